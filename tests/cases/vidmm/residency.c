/* residency.c: more allocations than the budget: which are evicted, come back with their contents, and at which address
 * the device then finds them (vidmm.md 5). */
#include <string.h>

#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 32768u
#define MANY 24u
#define ROOM 8u /* allocations that fit */
#define T    AEROGPU_FEATURE_TRANSFER

static uint8_t residency_pattern[SIZE];

static struct agpu_vidmm *residency_vidmm(struct agpu_test *t)
{
    return &agpu_runtime_kmd(t->env->umd.runtime)->vm;
}

/* Sets a budget below every configurable one, so that a case need not fill 128 MiB. */
static void set_room(struct agpu_test *t, uint32_t allocations)
{
    struct agpu_segment *segment = &residency_vidmm(t)->segments[AGPU_SEGMENT_SYSTEM - 1];

    segment->budget = segment->committed + (uint64_t)allocations * SIZE;
}

static bool make_many(struct agpu_test *t, struct agpu_client_memory *memories, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!agpu_client_alloc(t, SIZE, &memories[i])) {
            return false;
        }
        agpu_fill_pattern(residency_pattern, SIZE, i);
        if (!agpu_client_write(t, &memories[i], AGPU_LOCK_NOREFERENCE, residency_pattern, SIZE) ||
            !agpu_client_submit(t)) {
            return false;
        }
    }
    return agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

/* Given more allocations than the budget, each must keep its contents through eviction, read by CPU and device. */
static void contents_survive(struct agpu_test *t)
{
    struct agpu_client_memory memories[MANY];

    set_room(t, ROOM);
    agpu_return_unless(make_many(t, memories, MANY));
    agpu_check(t, residency_vidmm(t)->counters.evictions >= MANY - ROOM);
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_fill_pattern(residency_pattern, SIZE, i);
        agpu_return_unless(agpu_client_check(t, &memories[i], residency_pattern, SIZE));
    }
    agpu_check(t, residency_vidmm(t)->segments[0].committed <= residency_vidmm(t)->segments[0].budget);
    /* Checked by the device, which must find each of them at its present address. */
    for (uint32_t i = MANY; i-- > 1;) {
        agpu_client_copy(&memories[0], &memories[i]);
        agpu_return_unless(agpu_client_submit(t));
        agpu_fill_pattern(residency_pattern, SIZE, i);
        agpu_return_unless(agpu_client_check(t, &memories[0], residency_pattern, SIZE));
    }
    agpu_metric(t, "evictions", residency_vidmm(t)->counters.evictions, "1");
}

/* Given memory that has moved since its creation, the device must write and read it at its new address. */
static void tables_follow(struct agpu_test *t)
{
    struct agpu_client_memory memories[MANY];
    uint32_t moved = 0;

    set_room(t, ROOM);
    agpu_return_unless(make_many(t, memories, MANY));
    for (uint32_t i = 0; i + 1 < MANY; i += 2) {
        /* i is evicted, i + 1 is evicted: both come in for this submission. */
        agpu_client_copy(&memories[i], &memories[i + 1]);
        agpu_return_unless(agpu_client_submit(t));
        agpu_return_unless(agpu_time_left(t));
    }
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_fill_pattern(residency_pattern, SIZE, i | 1u);
        agpu_return_unless(agpu_client_check(t, &memories[i], residency_pattern, SIZE));
    }
    moved = (uint32_t)residency_vidmm(t)->counters.page_ins;
    agpu_check(t, moved >= MANY - ROOM);
}

/* After an eviction and return, the submission's table must have the new address, and the device must read the new
 * contents there. */
static void new_address_is_read(struct agpu_test *t)
{
    struct agpu_client_memory memories[MANY];
    struct agpu_client_memory target;
    uint64_t moved = 0;
    uint64_t at[MANY];

    agpu_return_unless(agpu_client_alloc(t, SIZE, &target) && agpu_client_submit(t));
    set_room(t, ROOM);
    agpu_return_unless(make_many(t, memories, MANY));
    /* Rewritten after it came back, announced as dirty, and read by the device at the new address. */
    for (uint32_t i = 0; i < MANY; i++) {
        const struct aerogpu_alloc_entry *entry;

        agpu_fill_pattern(residency_pattern, SIZE, 100 + i);
        agpu_return_unless(agpu_client_write(t, &memories[i], 0, residency_pattern, SIZE));
        agpu_client_copy(&target, &memories[i]);
        agpu_gate_hold(t);
        agpu_return_unless(agpu_client_submit(t));
        entry = agpu_pending_entry(t, memories[i].alloc_id);
        at[i] = entry != NULL ? entry->gpa : 0;
        agpu_check(t, at[i] != 0);
        agpu_gate_open(t);
        agpu_return_unless(agpu_client_check(t, &target, residency_pattern, SIZE));
    }
    /* They share the space of a few, so they cannot all have different addresses. */
    for (uint32_t i = ROOM; i < MANY; i++) {
        for (uint32_t k = 0; k < i; k++) {
            moved += at[k] == at[i];
        }
    }
    agpu_check(t, moved != 0);
}

/* Memory in use by the device must not be evicted: a lock that needs its space fails with DonotWait, and succeeds
 * afterwards. */
static void in_flight_is_not_evicted(struct agpu_test *t)
{
    struct agpu_client_memory memories[ROOM];
    struct agpu_client_memory extra;

    set_room(t, ROOM);
    agpu_return_unless(make_many(t, memories, ROOM));
    agpu_gate_hold(t);
    for (uint32_t i = 0; i < ROOM; i += 2) {
        agpu_client_copy(&memories[i], &memories[i + 1]);
        agpu_return_unless(agpu_client_submit(t));
    }
    /* All of it is in use: a lock that needs space may not evict any of it, and DonotWait may not wait. */
    agpu_return_unless(agpu_check_hr(t, agpu_client_alloc_only(SIZE, &extra), S_OK));
    agpu_check(t, FAILED(agpu_client_lock(&extra, AGPU_LOCK_WRITE | AGPU_LOCK_DONOTWAIT)));
    agpu_check(t, FAILED(agpu_client_lock(&extra, AGPU_LOCK_WRITE | AGPU_LOCK_DONOTEVICT)));
    agpu_gate_open(t);
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&extra, AGPU_LOCK_WRITE), S_OK));
    agpu_client_unlock(&extra);
    for (uint32_t i = 0; i < ROOM; i++) {
        agpu_fill_pattern(residency_pattern, SIZE, i | 1u);
        agpu_return_unless(agpu_client_check(t, &memories[i], residency_pattern, SIZE));
    }
}

/* Locked memory must not be evicted, whatever else needs its space. */
static void locked_is_not_evicted(struct agpu_test *t)
{
    struct agpu_client_memory memories[MANY];
    void *where;

    set_room(t, ROOM);
    agpu_return_unless(make_many(t, memories, 1));
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&memories[0], AGPU_LOCK_READ), S_OK));
    where = memories[0].data;
    agpu_return_unless(make_many(t, memories + 1, MANY - 1));
    agpu_fill_pattern(residency_pattern, SIZE, 0);
    agpu_check_eq_mem(t, where, residency_pattern, SIZE);
    agpu_check_hr(t, agpu_client_unlock(&memories[0]), S_OK);
}

/* Given a shared allocation and another handle of it, the destruction of the one must end the locks through it: the
 * memory is evicted, and the other handle shows its contents. */
static void locks_end_with_their_handle(struct agpu_test *t)
{
    for (uint32_t order = 0; order < 2; order++) {
        struct agpu_client_wish wish = {.bytes = SIZE, .shared = true};
        struct agpu_client_memory handles[2], memories[2 * ROOM];

        agpu_return_unless(agpu_check_hr(t, agpu_client_allocate(&wish, &handles[0]), S_OK) &&
                           agpu_check_hr(t, agpu_client_open_shared(wish.token, &handles[1]), S_OK) &&
                           agpu_check_hr(t, agpu_client_lock(&handles[order], AGPU_LOCK_WRITE), S_OK));
        agpu_fill_pattern(residency_pattern, SIZE, 99);
        memcpy(handles[order].data, residency_pattern, SIZE);
        agpu_client_free(t, &handles[order]);
        agpu_check_eq_u64(t, residency_vidmm(t)->open_locks, 0);
        set_room(t, ROOM);
        agpu_return_unless(make_many(t, memories, 2 * ROOM));
        agpu_check_eq_hex(t, agpu_client_address(&handles[1 - order]), 0); /* evicted */
        agpu_fill_pattern(residency_pattern, SIZE, 99);
        agpu_client_check(t, &handles[1 - order], residency_pattern, SIZE);
        agpu_client_free(t, &handles[1 - order]);
        for (uint32_t i = 0; i < 2 * ROOM; i++) {
            agpu_client_free(t, &memories[i]);
        }
    }
}

/* A submission that needs more memory than the budget must be refused, and smaller ones must continue. */
static void too_large_a_set(struct agpu_test *t)
{
    struct agpu_client_memory memories[MANY];
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    uint64_t submitted;

    set_room(t, ROOM);
    agpu_return_unless(make_many(t, memories, MANY));
    submitted = kmd->submitted;
    agpu_client_packet(AEROGPU_CMD_NOP, sizeof(struct aerogpu_cmd_hdr));
    for (uint32_t i = 0; i < ROOM + 2; i++) {
        agpu_client_list(memories[i].allocation, false);
    }
    agpu_check_hr(t, agpu_client_render(), E_OUTOFMEMORY);
    agpu_check_eq_u64(t, kmd->submitted, submitted);
    /* Nothing is lost, and smaller submissions continue. */
    agpu_client_copy(&memories[0], &memories[1]);
    agpu_return_unless(agpu_client_submit(t));
    for (uint32_t i = 1; i < MANY; i++) {
        agpu_fill_pattern(residency_pattern, SIZE, i);
        agpu_return_unless(agpu_client_check(t, &memories[i], residency_pattern, SIZE));
    }
}

/* Random copies between more buffers than fit must leave each with the pattern that a model of them predicts. */
static void random_copies(struct agpu_test *t)
{
    struct agpu_client_memory memories[MANY];
    uint32_t holds[MANY];
    uint32_t state = 1;

    set_room(t, ROOM);
    agpu_return_unless(make_many(t, memories, MANY));
    for (uint32_t i = 0; i < MANY; i++) {
        holds[i] = i;
    }
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t from, to;

        agpu_return_unless(agpu_time_left(t));
        state = state * 1664525u + 1013904223u;
        from = (state >> 8) % MANY;
        to = (state >> 16) % MANY;
        if (from == to) {
            continue;
        }
        agpu_client_copy(&memories[to], &memories[from]);
        agpu_return_unless(agpu_client_submit(t));
        holds[to] = holds[from];
    }
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_fill_pattern(residency_pattern, SIZE, holds[i]);
        agpu_return_unless(agpu_client_check(t, &memories[i], residency_pattern, SIZE));
    }
}

/* Through the driver, staging textures and buffers must come back from eviction with the device's writes. */
static void residency_through_the_driver(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE staging[MANY];
    D3D10DDI_HRESOURCE source;

    set_room(t, ROOM);
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_fill_pattern(residency_pattern, SIZE, i);
        source = agpu_make_default(t, SIZE, residency_pattern);
        staging[i] = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
        agpu_assert(t, source.pDrvPrivate && staging[i].pDrvPrivate);
        agpu_umd_copy(t, staging[i], source);
        agpu_umd_destroy(t, source);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_fill_pattern(residency_pattern, SIZE, i);
        agpu_return_unless(agpu_check_staging(t, staging[i], residency_pattern, SIZE));
    }
    agpu_check(t, residency_vidmm(t)->counters.evictions != 0);
}

/* Freed allocations must return their budget and their swap space. */
static void budget_returns(struct agpu_test *t)
{
    struct agpu_client_memory memories[MANY];
    uint64_t before = residency_vidmm(t)->segments[0].committed;

    set_room(t, ROOM);
    agpu_return_unless(make_many(t, memories, MANY));
    agpu_check(t, residency_vidmm(t)->swap_bytes >= (uint64_t)(MANY - ROOM) * SIZE);
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_client_free(t, &memories[i]);
    }
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_check_eq_u64(t, residency_vidmm(t)->segments[0].committed, before);
    agpu_check_eq_u64(t, residency_vidmm(t)->swap_bytes, 0);
}

#define CASE(name, function)                                                                                 \
    AGPU_STACK_CASE(name, "vidmm.md 5", T, 0, .body = function, .gate = true, .client = true)

static const struct agpu_case vidmm_residency_cases[] = {
    CASE("vidmm.residency.contents_survive", contents_survive),
    CASE("vidmm.residency.tables_follow", tables_follow),
    CASE("vidmm.residency.new_address_is_read", new_address_is_read),
    CASE("vidmm.residency.in_flight_is_not_evicted", in_flight_is_not_evicted),
    CASE("vidmm.residency.locked_is_not_evicted", locked_is_not_evicted),
    CASE("vidmm.residency.locks_end_with_their_handle", locks_end_with_their_handle),
    CASE("vidmm.residency.too_large_a_set", too_large_a_set),
    CASE("vidmm.residency.random_copies", random_copies),
    CASE("vidmm.residency.through_the_driver", residency_through_the_driver),
    CASE("vidmm.residency.budget_returns", budget_returns),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_residency, vidmm_residency_cases);
