/* dma_place.c: memory of every kind below and above 4 GiB, with one kind at a time on the other side from the rest. A
 * device that drops half of an address, or mixes halves of two addresses, fails for that kind (device.md 4.2, ring.md
 * 1, 3, 5, 8). */
#include "mm/kmd/adapter.h"
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"

#include <string.h>

#define POISON         0xCD
#define LATER_WAITS_NS UINT64_C(200000000)

enum dma_kind { KIND_NONE, KIND_RING, KIND_PAGE, KIND_STREAM, KIND_TABLE, KIND_SOURCE, KIND_TARGET };

/* Every kind of memory is at `rest`, except one. */
struct arrangement {
    enum agpu_dma_place rest;
    enum dma_kind other;
};

static enum agpu_dma_place place_of(const struct arrangement *wanted, enum dma_kind kind)
{
    if (kind != wanted->other) {
        return wanted->rest;
    }
    return wanted->rest == AGPU_DMA_LOW ? AGPU_DMA_HIGH : AGPU_DMA_LOW;
}

static bool choose_place(const struct agpu_test *t, enum agpu_dma_place place)
{
    const struct agpu_platform *platform = t->env->platform;

    return platform->dma_place != NULL &&
           platform->dma_place(platform->ctx, &t->env->function.found.ref, place);
}

/* Replaces the memory by as much at `place`. On failure there is no memory. */
static enum agpu_status move_memory(const struct agpu_test *t, struct agpu_dma *memory,
                                    enum agpu_dma_place place)
{
    const struct agpu_platform *platform = t->env->platform;
    const size_t size = memory->size;

    platform->dma_free(platform->ctx, memory);
    choose_place(t, place);
    return platform->dma_alloc(platform->ctx, &t->env->function.found.ref, size, memory);
}

static enum agpu_status move_fence_page(const struct agpu_test *t, enum agpu_dma_place place)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_ring *ring = &t->env->ring;
    enum agpu_status status;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    status = move_memory(t, &ring->page, place);
    if (status != AGPU_OK) {
        return status;
    }
    agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, ring->page.device_address);
    return agpu_ring_reset(ring);
}

static enum agpu_status arrange_rig(const struct agpu_test *t, const struct arrangement *wanted)
{
    struct agpu_rig *rig = agpu_rig_of((struct agpu_test *)(uintptr_t)t);
    struct {
        enum dma_kind kind;
        struct agpu_dma *memory;
    } const movable[] = {{KIND_STREAM, &rig->cmd},
                         {KIND_TABLE, &rig->table},
                         {KIND_SOURCE, &rig->memory[0]},
                         {KIND_TARGET, &rig->memory[1]}};
    enum agpu_status status;

    choose_place(t, wanted->rest);
    status = agpu_rig_open(rig, &t->env->function);
    for (unsigned i = 0; i < sizeof movable / sizeof movable[0] && status == AGPU_OK; i++) {
        if (movable[i].kind == wanted->other) {
            status = move_memory(t, movable[i].memory, place_of(wanted, movable[i].kind));
        }
    }
    if (status == AGPU_OK) {
        agpu_rig_begin_over(rig);
    }
    return status;
}

/* Starts a ring and opens a rig. The caller calls take_down() even on failure. */
static enum agpu_status bring_up(const struct agpu_test *t, const struct arrangement *wanted)
{
    struct agpu_env *env = t->env;
    enum agpu_status status;

    choose_place(t, place_of(wanted, KIND_RING));
    status = agpu_kmd_adapter_start(&env->adapter, NULL, &env->transport);
    if (status == AGPU_OK && env->ring.page.cpu != NULL &&
        place_of(wanted, KIND_PAGE) != place_of(wanted, KIND_RING)) {
        status = move_fence_page(t, place_of(wanted, KIND_PAGE));
    }
    return status == AGPU_OK ? arrange_rig(t, wanted) : status;
}

static void take_down(const struct agpu_test *t)
{
    struct agpu_env *env = t->env;

    if (env->ring.memory.cpu != NULL) {
        agpu_kmd_adapter_stop(&env->adapter);
    }
    agpu_rig_close(&env->rig);
    choose_place(t, AGPU_DMA_ANYWHERE);
}

/* Copies guest memory to the device and back into other guest memory. */
static void put_round_trip(struct agpu_rig *rig)
{
    struct agpu_dma *source = &rig->memory[0];
    struct agpu_dma *target = &rig->memory[1];

    agpu_fill_pattern(source->cpu, source->size, 41);
    memset(target->cpu, POISON, target->size);
    agpu_rig_alloc(rig, 1, source, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_rig_alloc(rig, 2, target, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(rig, 1, source->size, 1, 0);
    agpu_put_create_buffer(rig, 2, target->size, 2, 0);
    agpu_put_create_buffer(rig, 3, source->size, 0, 0);
    agpu_put_dirty(rig, 1, 0, source->size);
    agpu_put_copy_buffer(rig, 3, 0, 1, 0, source->size, 0);
    agpu_put_copy_buffer(rig, 2, 0, 3, 0, source->size, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static bool page_shows(const struct agpu_test *t, uint64_t fence)
{
    const struct agpu_ring *ring = &t->env->ring;
    struct agpu_wait wait;

    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    do {
        if (agpu_fence_page_value(ring) == fence) {
            return true;
        }
    } while (agpu_wait_again(&wait));
    return false;
}

static bool transfers(const struct agpu_env *env)
{
    return (env->abi.features & AEROGPU_FEATURE_TRANSFER) != 0;
}

/* Runs the same work with all memory at `rest`. Records no failure: it only decides whether the case can continue. */
static bool works_at(const struct agpu_test *t, enum agpu_dma_place rest)
{
    const struct arrangement wanted = {.rest = rest, .other = KIND_NONE};
    struct agpu_env *env = t->env;
    struct agpu_submission submission;
    bool works = bring_up(t, &wanted) == AGPU_OK;

    if (works) {
        if (transfers(env)) {
            put_round_trip(&env->rig);
        }
        works = agpu_rig_finish(&env->rig, &submission) && agpu_ring_post(&env->ring, &submission) == AGPU_OK;
    }
    if (works) {
        agpu_doorbell(&env->ring);
        works = agpu_fence_wait(&env->ring, submission.fence) == AGPU_OK &&
                (!transfers(env) ||
                 memcmp(env->rig.memory[0].cpu, env->rig.memory[1].cpu, env->rig.memory[0].size) == 0);
    }
    take_down(t);
    return works;
}

static bool side_works(struct agpu_test *t, enum agpu_dma_place side)
{
    enum agpu_answer *known = &t->env->works_at[side];

    if (*known == AGPU_NOT_ASKED) {
        *known = works_at(t, side) ? AGPU_YES : AGPU_NO;
        if (*known == AGPU_NO) {
            agpu_wait_limit(t->platform, LATER_WAITS_NS); /* one long wait for that is enough */
        }
    }
    return *known == AGPU_YES;
}

/* Work must complete with all memory on one side: otherwise a kind of memory on the other side gives no evidence. If it
 * completes on neither side, the address is not the cause, and other cases report the failure. */
static bool rest_works(struct agpu_test *t, enum agpu_dma_place rest)
{
    const bool low = rest == AGPU_DMA_LOW;

    if (t->env->requirement.hidden != 0) { /* the work is a transfer */
        agpu_skip(t, AGPU_SKIP_NOT_REQUIRED);
        return false;
    }
    if (side_works(t, rest)) {
        return true;
    }
    if (side_works(t, low ? AGPU_DMA_HIGH : AGPU_DMA_LOW)) {
        agpu_result_set(t, AGPU_FAIL,
                        low ? "nothing works with all memory below 4 GiB, and does with all above"
                            : "nothing works with all memory above 4 GiB, and does with all below");
    } else {
        agpu_blocked(t, "transfers", "nothing works, with all memory below 4 GiB or with all above");
    }
    return false;
}

static void check_arranged(struct agpu_test *t, const struct arrangement *wanted)
{
    struct agpu_env *env = t->env;
    struct agpu_rig *rig = agpu_rig_of(t);

    agpu_assert_ok(t, bring_up(t, wanted));
    for (unsigned round = 0; round < 2; round++) {
        if (transfers(env)) {
            agpu_rig_begin_over(rig);
            put_round_trip(rig);
        }
        agpu_return_unless(agpu_run_clean(t));
        agpu_check_completed(t, rig->fence);
        if (env->ring.page.cpu != NULL && !page_shows(t, rig->fence)) {
            agpu_check_eq_u64(t, agpu_fence_page_value(&env->ring), rig->fence);
            return;
        }
        if (transfers(env)) {
            agpu_return_unless(
                agpu_check_eq_mem(t, rig->memory[1].cpu, rig->memory[0].cpu, rig->memory[0].size));
        }
        for (uint32_t handle = 1; transfers(env) && handle <= 3; handle++) {
            agpu_put_destroy(rig, handle);
        }
        agpu_return_unless(agpu_run_clean(t));
    }
}

static bool has_both_sides(struct agpu_test *t)
{
    if (!choose_place(t, AGPU_DMA_HIGH)) {
        agpu_skip_because(t, AGPU_SKIP_DMA_PLACE, "the machine has no memory above 4 GiB for the device");
        return false;
    }
    if (!choose_place(t, AGPU_DMA_LOW)) {
        agpu_skip_because(t, AGPU_SKIP_DMA_PLACE, "the machine has no memory below 4 GiB for the device");
        return false;
    }
    return true;
}

/* Given one kind of memory on the other side of 4 GiB than the rest, work must complete as with all on one side. */
static void one_kind_elsewhere(struct agpu_test *t)
{
    const struct arrangement *wanted = t->test_case->arg;

    if (has_both_sides(t) && rest_works(t, wanted->rest)) {
        check_arranged(t, wanted);
    }
    take_down(t);
}

/* ---- pages here and there ---- */

#define PAGES      16u
#define PAGE_BYTES 4096u

/* Allocates pages below and above 4 GiB in turn if the machine can, otherwise anywhere. */
static bool alloc_scattered(struct agpu_test *t, struct agpu_dma *pages)
{
    const struct agpu_platform *platform = t->env->platform;
    const bool both = choose_place(t, AGPU_DMA_HIGH);
    bool ok = true;

    for (unsigned i = 0; i < 2 * PAGES && ok; i++) {
        if (both) {
            choose_place(t, (i * 5 / 3) % 2 ? AGPU_DMA_HIGH : AGPU_DMA_LOW);
        }
        ok = agpu_setup(
            t, platform->dma_alloc(platform->ctx, &t->env->function.found.ref, PAGE_BYTES, &pages[i]),
            "a page of memory", AGPU_HERE);
    }
    choose_place(t, AGPU_DMA_ANYWHERE);
    return ok;
}

/* Source page i goes to target page i * 7 % PAGES; the table lists the pages in no order of address. */
static void put_scattered(struct agpu_rig *rig, struct agpu_dma *pages)
{
    for (uint32_t i = 0; i < PAGES; i++) {
        const uint32_t to = i * 7 % PAGES;

        agpu_fill_pattern(pages[i].cpu, PAGE_BYTES, 100 + i);
        memset(pages[PAGES + to].cpu, POISON, PAGE_BYTES);
        agpu_rig_alloc(rig, 40 - i, &pages[i], AEROGPU_ALLOC_FLAG_READONLY);
        agpu_rig_alloc(rig, 90 + to, &pages[PAGES + to], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_create_buffer(rig, 1 + i, PAGE_BYTES, 40 - i, 0);
        agpu_put_create_buffer(rig, 1 + PAGES + to, PAGE_BYTES, 90 + to, 0);
        agpu_put_dirty(rig, 1 + i, 0, PAGE_BYTES);
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        agpu_put_copy_buffer(rig, 1 + PAGES + i * 7 % PAGES, 0, 1 + i, 0, PAGE_BYTES,
                             AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
}

static void check_scattered(struct agpu_test *t, struct agpu_dma *pages)
{
    put_scattered(agpu_rig_of(t), pages);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < PAGES; i++) {
        agpu_check_eq_mem(t, pages[PAGES + i * 7 % PAGES].cpu, pages[i].cpu, PAGE_BYTES);
    }
    for (uint32_t handle = 1; handle <= 2 * PAGES; handle++) {
        agpu_put_destroy(agpu_rig_of(t), handle);
    }
    agpu_run_clean(t);
}

/* Transfers must work with single pages below and above 4 GiB in one table, in no order of address. */
static void scattered_pages(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_dma pages[2 * PAGES] = {0};

    if (t->env->works_at[AGPU_DMA_LOW] == AGPU_NO && t->env->works_at[AGPU_DMA_HIGH] == AGPU_NO) {
        agpu_blocked(t, "transfers", "nothing works, with all memory below 4 GiB or with all above");
        return;
    }
    if (alloc_scattered(t, pages)) {
        check_scattered(t, pages);
    }
    for (unsigned i = 0; i < 2 * PAGES; i++) {
        if (pages[i].cpu != NULL) {
            platform->dma_free(platform->ctx, &pages[i]);
        }
    }
}

#define ARRANGED(side, place, name, member, section, bits)                                                   \
    {                                                                                                        \
        .id = "dma." side "." name, .spec = section, .needs = AGPU_NEED_FUNCTION, .features = (bits),        \
        .arg = &(const struct arrangement){(place), (member)}, .run = one_kind_elsewhere                     \
    }
#define HIGH(name, member, section, bits) ARRANGED("high", AGPU_DMA_LOW, name, member, section, bits)
#define LOW(name, member, section, bits)  ARRANGED("low", AGPU_DMA_HIGH, name, member, section, bits)

static const struct agpu_case function_dma_place_cases[] = {
    HIGH("ring", KIND_RING, "device.md 4.2", 0),
    HIGH("fence_page", KIND_PAGE, "ring.md 5", AEROGPU_FEATURE_FENCE_PAGE),
    HIGH("stream", KIND_STREAM, "ring.md 3", AEROGPU_FEATURE_TRANSFER),
    HIGH("table", KIND_TABLE, "ring.md 3", AEROGPU_FEATURE_TRANSFER),
    HIGH("source", KIND_SOURCE, "ring.md 8", AEROGPU_FEATURE_TRANSFER),
    HIGH("target", KIND_TARGET, "ring.md 8", AEROGPU_FEATURE_TRANSFER),
    LOW("ring", KIND_RING, "device.md 4.2", 0),
    LOW("fence_page", KIND_PAGE, "ring.md 5", AEROGPU_FEATURE_FENCE_PAGE),
    LOW("stream", KIND_STREAM, "ring.md 3", AEROGPU_FEATURE_TRANSFER),
    LOW("table", KIND_TABLE, "ring.md 3", AEROGPU_FEATURE_TRANSFER),
    LOW("source", KIND_SOURCE, "ring.md 8", AEROGPU_FEATURE_TRANSFER),
    LOW("target", KIND_TARGET, "ring.md 8", AEROGPU_FEATURE_TRANSFER),
    {.id = "dma.scattered.pages",
     .spec = "ring.md 8",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = scattered_pages},
};

AGPU_CASE_TABLE(agpu_cases_function_dma_place, function_dma_place_cases);
