/* buffer_copy.c: COPY_BUFFER and its write-back into guest memory (commands.md 6.4, ring.md 9). */
#include <string.h>

#include "ring/ring.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/readback.h"

#define SIZE   4096u
#define POISON 0xAB

/* Creates a host-owned buffer with a pattern, in the stream. size <= 1024. */
static void put_source(struct agpu_test *t, uint32_t handle, uint32_t size, uint32_t seed)
{
    uint8_t data[1024];

    agpu_fill_pattern(data, size, seed);
    agpu_put_create_buffer(agpu_rig_of(t), handle, size, 0, 0);
    agpu_put_upload(agpu_rig_of(t), handle, 0, data, size);
}

/* Creates the guest-backed destination 2 over memory 0, allocation 9, all bytes POISON. */
static void put_destination(struct agpu_test *t, uint32_t flags)
{
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    memset(memory->cpu, POISON, memory->size);
    agpu_rig_alloc(agpu_rig_of(t), 9, memory, flags);
    agpu_put_create_buffer(agpu_rig_of(t), 2, SIZE, 9, 0);
    agpu_put_dirty(agpu_rig_of(t), 2, 0, SIZE);
}

static uint8_t *buffer_copy_destination(struct agpu_test *t)
{
    return agpu_rig_of(t)->memory[0].cpu;
}

/* A copy with write-back must change exactly its bytes of guest memory. */
static void writeback_exact(struct agpu_test *t)
{
    uint8_t data[1024];

    agpu_fill_pattern(data, sizeof data, 1);
    put_source(t, 1, sizeof data, 1);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 100, 1, 200, 300, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_filled(t, buffer_copy_destination(t), POISON, 100);
    agpu_check_eq_mem(t, buffer_copy_destination(t) + 100, data + 200, 300);
    agpu_check_filled(t, buffer_copy_destination(t) + 400, POISON, agpu_rig_of(t)->memory[0].size - 400);
}

/* A copy with write-back to the end of a buffer must write its bytes to guest memory and nothing after them. */
static void writeback_whole(struct agpu_test *t)
{
    uint8_t data[1024];

    agpu_fill_pattern(data, sizeof data, 2);
    put_source(t, 1, sizeof data, 2);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, SIZE - 1024, 1, 0, 1024, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_filled(t, buffer_copy_destination(t), POISON, SIZE - 1024);
    agpu_check_eq_mem(t, buffer_copy_destination(t) + SIZE - 1024, data, 1024);
    agpu_check_filled(t, buffer_copy_destination(t) + SIZE, POISON, agpu_rig_of(t)->memory[0].size - SIZE);
}

/* A copy of size 0 must change nothing and not disturb the packets around it. */
static void zero_size(struct agpu_test *t)
{
    uint8_t data[64];
    uint8_t expected[128];

    /* It changes neither copy; the packets around it are executed. */
    agpu_fill_pattern(data, sizeof data, 3);
    put_source(t, 1, 64, 3);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, 0, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 8, 1, 8, 16, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, SIZE, 1, 64, 0, AEROGPU_COPY_FLAG_NONE);
    if (t->env->model) { /* before any other check (commands.md 15) */
        agpu_put_copy_buffer(agpu_rig_of(t), 77, 0, 78, 0, 0, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    agpu_put_readback(agpu_rig_of(t), 2, 0, sizeof expected);
    agpu_return_unless(agpu_run_clean(t));
    memset(expected, POISON, sizeof expected);
    memcpy(expected + 8, data + 8, 16);
    agpu_check_eq_mem(t, buffer_copy_destination(t), expected, sizeof expected);
    agpu_check_filled(t, buffer_copy_destination(t) + sizeof expected, POISON, SIZE - sizeof expected);
    agpu_check_readback(t, expected, sizeof expected);
}

/* A copy without write-back must change the device's copy and not guest memory. */
static void without_writeback(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    uint8_t data[256];
    uint8_t expected[512];

    agpu_return_unless(executor != NULL);
    agpu_fill_pattern(data, sizeof data, 4);
    put_source(t, 1, sizeof data, 4);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 128, 1, 0, 256, AEROGPU_COPY_FLAG_NONE);
    agpu_put_readback(agpu_rig_of(t), 2, 0, 512);
    agpu_return_unless(agpu_run_clean(t));
    memset(expected, POISON, sizeof expected);
    memcpy(expected + 128, data, sizeof data);
    /* The device's copy has changed and guest memory has not, except on an executor that has only one of them. */
    agpu_check_readback(t, expected, sizeof expected);
    if (executor->implicit) {
        agpu_check_eq_mem(t, buffer_copy_destination(t), expected, sizeof expected);
    } else {
        agpu_check_filled(t, buffer_copy_destination(t), POISON, sizeof expected);
    }
    agpu_check_filled(t, buffer_copy_destination(t) + 512, POISON, SIZE - 512);
}

/* Given a destination in READONLY memory, a copy without write-back must be done and leave guest memory unchanged. */
static void readonly_destination(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    uint8_t data[64];
    bool passed = true;

    /* SW refuses it (ring.md 8). */
    agpu_return_unless(executor != NULL);
    agpu_fill_pattern(data, sizeof data, 5);
    put_source(t, 1, 64, 5);
    put_destination(t, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_alloc(agpu_rig_of(t), 9, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, 64, AEROGPU_COPY_FLAG_NONE);
    agpu_return_unless(executor->implicit ? agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed)
                                          : agpu_run_clean(t));
    agpu_choice(t, "copy_into_readonly_without_write_back", passed ? "done" : "refused");
    agpu_check_filled(t, buffer_copy_destination(t), POISON, SIZE);
    if (passed && !executor->implicit) {
        agpu_put_readback(agpu_rig_of(t), 2, 0, 64);
        agpu_return_unless(agpu_run_clean(t));
        agpu_check_readback(t, data, 64);
    }
}

/* Copies of one stream must run in order: each reads the result of the previous one. */
static void buffer_copy_chain(struct agpu_test *t)
{
    uint8_t data[256];

    /* Packets of one stream run in order: each copy reads the result of the previous one. */
    agpu_fill_pattern(data, sizeof data, 6);
    put_source(t, 1, sizeof data, 6);
    agpu_put_create_buffer(agpu_rig_of(t), 3, 256, 0, 0);
    agpu_put_create_buffer(agpu_rig_of(t), 4, 256, 0, 0);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 3, 0, 1, 0, 256, AEROGPU_COPY_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 4, 0, 3, 0, 256, AEROGPU_COPY_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 4, 0, 256, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_eq_mem(t, buffer_copy_destination(t), data, 256);
}

/* A copy between guest-backed buffers must carry the bytes, to the end of the source. */
static void guest_to_guest(struct agpu_test *t)
{
    struct agpu_dma *source = &agpu_rig_of(t)->memory[1];

    agpu_fill_pattern(source->cpu, source->size, 7);
    agpu_rig_alloc(agpu_rig_of(t), 8, source, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(agpu_rig_of(t), 1, source->size, 8, 0);
    agpu_put_dirty(agpu_rig_of(t), 1, 0, source->size);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, source->size - SIZE, SIZE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_eq_mem(t, buffer_copy_destination(t), (uint8_t *)source->cpu + source->size - SIZE, SIZE);
}

/* A pending dirty range of the destination must not overwrite the result of a later copy. */
static void newer_than_dirty(struct agpu_test *t)
{
    uint8_t data[256];

    /* A pending dirty range of the destination is applied first and does not overwrite the result of the copy. */
    agpu_fill_pattern(data, sizeof data, 8);
    put_source(t, 1, sizeof data, 8);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, 256, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_readback(agpu_rig_of(t), 2, 0, 256);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, data, 256);
    agpu_check_eq_mem(t, buffer_copy_destination(t), data, 256);
}

/* Given submissions with one doorbell, each copy must read the result of the previous submission. */
static void across_submissions(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct agpu_submission submission;
    uint8_t data[256];

    /* Three submissions with one doorbell run in ring order. */
    agpu_fill_pattern(data, sizeof data, 9);
    put_source(t, 1, sizeof data, 9);
    agpu_assert(t, agpu_rig_finish(agpu_rig_of(t), &submission));
    agpu_assert_ok(t, agpu_ring_post(ring, &submission));
    agpu_rig_begin(agpu_rig_of(t));
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_assert(t, agpu_rig_finish(agpu_rig_of(t), &submission));
    agpu_assert_ok(t, agpu_ring_post(ring, &submission));
    agpu_rig_begin(agpu_rig_of(t));
    agpu_rig_alloc(agpu_rig_of(t), 9, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, 256, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_eq_mem(t, buffer_copy_destination(t), data, 256);
}

/* A copy in a submission with a stale fence must still be done. */
static void executes_without_signal(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct agpu_submission submission;
    uint8_t data[64];

    /* A stale fence signals nothing, but its commands run (ring.md 4). */
    t->env->rig.fence = 99;
    agpu_return_unless(agpu_run_empty(t));
    agpu_fill_pattern(data, sizeof data, 10);
    put_source(t, 1, sizeof data, 10);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_assert(t, agpu_rig_finish(agpu_rig_of(t), &submission));
    submission.fence = 50;
    agpu_assert_ok(t, agpu_ring_post(ring, &submission));
    t->env->rig.fence = 100;
    agpu_return_unless(agpu_run_empty(t)); /* ordered after it */
    agpu_check_eq_mem(t, buffer_copy_destination(t), data, 64);
}

/* A write-back must reach the memory that this submission's table names. */
static void moved_destination(struct agpu_test *t)
{
    struct agpu_dma *second = &agpu_rig_of(t)->memory[1];
    uint8_t data[64];

    /* Write-back uses the table of this submission. */
    agpu_fill_pattern(data, sizeof data, 11);
    put_source(t, 1, sizeof data, 11);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_return_unless(agpu_run_clean(t));
    memset(second->cpu, POISON, second->size);
    agpu_rig_alloc(agpu_rig_of(t), 9, second, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_filled(t, buffer_copy_destination(t), POISON, SIZE);
    agpu_check_eq_mem(t, second->cpu, data, 64);
}

/* READONLY of the current submission's table must decide whether a write-back is refused, not the table of the
 * creation. */
static void flags_of_this_table(struct agpu_test *t)
{
    uint8_t data[64];

    agpu_fill_pattern(data, sizeof data, 14);
    put_source(t, 1, sizeof data, 14);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_alloc(agpu_rig_of(t), 9, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_return_unless(agpu_check_filled(t, buffer_copy_destination(t), POISON, SIZE));
    agpu_put_destroy(agpu_rig_of(t), 2);
    put_destination(t, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_alloc(agpu_rig_of(t), 9, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_eq_mem(t, buffer_copy_destination(t), data, 64);
    agpu_check_filled(t, buffer_copy_destination(t) + 64, POISON, SIZE - 64);
}

/* A copy must be written back although both buffers are destroyed in the same stream. */
static void destroyed_afterwards(struct agpu_test *t)
{
    uint8_t data[64];

    agpu_fill_pattern(data, sizeof data, 12);
    put_source(t, 1, sizeof data, 12);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_destroy(agpu_rig_of(t), 1);
    agpu_put_destroy(agpu_rig_of(t), 2);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_eq_mem(t, buffer_copy_destination(t), data, 64);
}

/* A copy of a whole large buffer must be written back completely. */
static void buffer_copy_large(struct agpu_test *t)
{
    struct agpu_dma *source = &agpu_rig_of(t)->memory[1];
    struct agpu_dma *target = &agpu_rig_of(t)->memory[0];
    uint32_t size = (uint32_t)source->size;

    agpu_fill_pattern(source->cpu, size, 13);
    agpu_rig_alloc(agpu_rig_of(t), 8, source, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_rig_alloc(agpu_rig_of(t), 9, target, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(agpu_rig_of(t), 1, size, 8, 0);
    agpu_put_create_buffer(agpu_rig_of(t), 2, size, 9, 0);
    agpu_put_dirty(agpu_rig_of(t), 1, 0, size);
    agpu_put_dirty(agpu_rig_of(t), 2, 0, size);
    agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, size, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_eq_mem(t, target->cpu, source->cpu, size);
}

/* In fifty rounds, each copy must write back the bytes of its own round. */
static void buffer_copy_repeated(struct agpu_test *t)
{
    struct agpu_dma *source = &agpu_rig_of(t)->memory[1];

    agpu_rig_alloc(agpu_rig_of(t), 8, source, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(agpu_rig_of(t), 1, SIZE, 8, 0);
    agpu_put_dirty(agpu_rig_of(t), 1, 0, SIZE);
    put_destination(t, AEROGPU_ALLOC_FLAG_NONE);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t round = 0; round < 50; round++) {
        agpu_return_unless(agpu_time_left(t));
        agpu_fill_pattern(source->cpu, SIZE, round);
        agpu_rig_alloc(agpu_rig_of(t), 8, source, AEROGPU_ALLOC_FLAG_READONLY);
        agpu_rig_alloc(agpu_rig_of(t), 9, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_dirty(agpu_rig_of(t), 1, 0, SIZE);
        agpu_put_copy_buffer(agpu_rig_of(t), 2, 0, 1, 0, SIZE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_eq_mem(t, buffer_copy_destination(t), source->cpu, SIZE));
    }
}

#define COPY_CASE(name, function)                                                                            \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 6.4", .needs = AGPU_NEED_RING,                                    \
        .features = AEROGPU_FEATURE_TRANSFER, .run = (function)                                              \
    }

static const struct agpu_case resource_buffer_copy_cases[] = {
    COPY_CASE("buffer.copy.writeback_exact", writeback_exact),
    COPY_CASE("buffer.copy.writeback_to_the_end", writeback_whole),
    COPY_CASE("buffer.copy.zero_size", zero_size),
    COPY_CASE("buffer.copy.without_writeback", without_writeback),
    COPY_CASE("buffer.copy.readonly_without_writeback", readonly_destination),
    COPY_CASE("buffer.copy.chain", buffer_copy_chain),
    COPY_CASE("buffer.copy.guest_to_guest", guest_to_guest),
    COPY_CASE("buffer.copy.newer_than_dirty", newer_than_dirty),
    COPY_CASE("buffer.copy.across_submissions", across_submissions),
    COPY_CASE("buffer.copy.executes_without_signal", executes_without_signal),
    COPY_CASE("buffer.copy.table_moves", moved_destination),
    {.id = "buffer.copy.flags_of_this_table",
     .spec = "ring.md 8",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = flags_of_this_table},
    COPY_CASE("buffer.copy.destroyed_afterwards", destroyed_afterwards),
    COPY_CASE("buffer.copy.large", buffer_copy_large),
    COPY_CASE("buffer.copy.repeated", buffer_copy_repeated),
};

AGPU_CASE_TABLE(agpu_cases_resource_buffer_copy, resource_buffer_copy_cases);
