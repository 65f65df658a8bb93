/* handle.c: handles of every width, thousands of them, and memory that the device frees with its resources (commands.md
 * 2, 6.1). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"

#define GATHER 0xFCu /* target of the copies of single buffers, to read them back at once */
#define ROOM   4096u /* bytes of a stream reserved for packets after a check for space */

/* ---- bits ---- */

#define BASE    0x2A500u
#define BYTES   16u
#define HANDLES 65u

/* Each bit alone, one number, and that number with one bit changed. */
static uint32_t handle_of(uint32_t i)
{
    if (i < 32) {
        return 1u << i;
    }
    return i < 64 ? BASE ^ 1u << (i - 32) : BASE;
}

static void handle_bytes(uint32_t i, uint8_t bytes[BYTES])
{
    agpu_fill_origin(bytes, BYTES, 1000 + i, AGPU_FROM_DEVICE);
}

/* Checks the contents of the buffers from the first to HANDLES - 2, and of the last one unless it is destroyed. */
static bool handles_hold(struct agpu_test *t, uint32_t count)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t expected[HANDLES * BYTES];

    agpu_put_create_buffer(r, GATHER, sizeof expected, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        handle_bytes(i, expected + i * BYTES);
        agpu_put_copy_buffer(r, GATHER, i * BYTES, handle_of(i), 0, BYTES, AEROGPU_COPY_FLAG_NONE);
    }
    agpu_put_readback(r, GATHER, 0, count * BYTES);
    if (!agpu_run_clean(t) || !agpu_check_readback(t, expected, count * BYTES)) {
        return false;
    }
    agpu_put_readback_done(r);
    agpu_put_destroy(r, GATHER);
    return agpu_run_clean(t);
}

/* Buffers whose handles differ in one bit must be different buffers, and be destroyed separately. */
static void handle_bits(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t bytes[BYTES];

    agpu_put_create_buffer(r, UINT32_MAX, BYTES, 0, 0); /* a handle like any other */
    agpu_put_destroy(r, UINT32_MAX);
    for (uint32_t i = 0; i < HANDLES; i++) {
        handle_bytes(i, bytes);
        agpu_put_create_buffer(r, handle_of(i), BYTES, 0, 0);
        agpu_put_upload(r, handle_of(i), 0, bytes, BYTES);
    }
    agpu_return_unless(handles_hold(t, HANDLES));
    /* Destroying one does not destroy those that differ in one bit. */
    agpu_put_destroy(r, BASE);
    agpu_return_unless(handles_hold(t, HANDLES - 1));
    agpu_put_copy_buffer(r, handle_of(0), 0, BASE, 0, BYTES, AEROGPU_COPY_FLAG_NONE);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

/* ---- many ---- */

#define MANY_FIRST 1000u
#define MANY       9000u

/* Runs the pending packets if little space is left for more. */
static bool room_for_more(struct agpu_test *t)
{
    return agpu_rig_of(t)->cmd_used + ROOM < AGPU_RIG_CMD_BYTES || agpu_run_clean(t);
}

static uint32_t word_of(uint32_t i)
{
    return i * 2654435761u | 1;
}

/* Thousands of buffers must each keep their word, while every second one is replaced. */
static void handle_many(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t *expected = r->memory[2].cpu;

    /* Each gets a word; every second one is destroyed and replaced by an empty one of another size. */
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t word = word_of(i);

        agpu_return_unless(room_for_more(t));
        agpu_put_create_buffer(r, MANY_FIRST + i, sizeof word, 0, 0);
        agpu_put_upload(r, MANY_FIRST + i, 0, &word, sizeof word);
    }
    for (uint32_t i = 1; i < MANY; i += 2) {
        agpu_return_unless(room_for_more(t));
        agpu_put_destroy(r, MANY_FIRST + i);
    }
    for (uint32_t i = 1; i < MANY; i += 2) {
        agpu_return_unless(room_for_more(t));
        agpu_put_create_buffer(r, MANY_FIRST + i, 2 * sizeof(uint32_t), 0, 0);
    }
    agpu_put_create_buffer(r, GATHER, MANY * sizeof(uint32_t), 0, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_return_unless(room_for_more(t));
        agpu_put_copy_buffer(r, GATHER, i * sizeof(uint32_t), MANY_FIRST + i, (i & 1) * sizeof(uint32_t),
                             sizeof(uint32_t), AEROGPU_COPY_FLAG_NONE);
        expected[i] = i & 1 ? 0 : word_of(i);
    }
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_readback(r, GATHER, 0, MANY * sizeof(uint32_t));
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, expected, MANY * sizeof(uint32_t));
}

/* Given small sets of buffers, each with other handles, one half of a set must stay when the other goes. The table of a
 * device is small after a reset: some sets fill its end. */
static void handle_sets(struct agpu_test *t)
{
    enum { SETS = 200, SET = 28 };
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    r->fence = 0;
    agpu_rig_begin_over(r);
    for (uint32_t first = 1; first < SETS * SET; first += SET) {
        agpu_return_unless(room_for_more(t));
        for (uint32_t i = 0; i < SET; i++) {
            agpu_put_create_buffer(r, (first + i) * 2654435761u, sizeof first, 0, 0);
        }
        for (uint32_t i = 0; i < 2 * SET; i += 2) { /* every second one, then the others */
            if (i >= SET) {
                agpu_put_upload(r, (first + i % SET + 1) * 2654435761u, 0, &first, sizeof first);
            }
            agpu_put_destroy(r, (first + i % SET + i / SET) * 2654435761u);
        }
    }
    agpu_run_clean(t);
}

/* The memory of a new buffer must be zero although its previous owner filled it, for buffers of many sizes. */
static void handle_zero_again(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *full = r->memory[1].cpu;
    uint8_t *zero = r->memory[2].cpu;
    uint32_t at = 0;

    agpu_fill_origin(full, 4096, 3, AGPU_FROM_DEVICE);
    memset(zero, 0, r->memory[2].size);
    for (uint32_t size = 4; size <= 2048; size += 68) {
        agpu_put_create_buffer(r, 1, size, 0, 0);
        agpu_put_upload(r, 1, 0, full, size);
        agpu_put_destroy(r, 1);
    }
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_create_buffer(r, GATHER, 65536 - 4096, 0, 0);
    for (uint32_t size = 4; size <= 2048; size += 68) {
        agpu_put_create_buffer(r, 1, size, 0, 0);
        agpu_put_copy_buffer(r, GATHER, at, 1, 0, size, AEROGPU_COPY_FLAG_NONE);
        agpu_put_destroy(r, 1);
        at += size;
    }
    agpu_put_readback(r, GATHER, 0, at);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, zero, at);
}

/* ---- turn-over ---- */

#define TURN_BYTES (40u << 20)
#define TURNS      28u /* 1.1 GiB: more than a device of 1 GiB holds */

/* Given 1.1 GiB of resources in total, destroyed one after the other, each creation must succeed. */
static void memory_returned(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t data[64];

    for (uint32_t i = 0; i < TURNS; i++) {
        if (i % 2 == 0) {
            agpu_put_create_buffer(r, 1, TURN_BYTES, 0, 0);
        } else {
            agpu_put_create_texture(r, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 3200, 3200, 0, 0);
        }
        agpu_put_destroy(r, 1);
        if (i % 4 == 3) {
            agpu_return_unless(agpu_time_left(t));
            agpu_return_unless(agpu_run_clean(t));
        }
    }
    agpu_fill_origin(data, sizeof data, 4, AGPU_FROM_SOURCE);
    agpu_put_create_buffer(r, 1, TURN_BYTES, 0, 0);
    agpu_put_upload(r, 1, TURN_BYTES - sizeof data, data, sizeof data);
    agpu_put_readback(r, 1, TURN_BYTES - sizeof data, sizeof data);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, data, sizeof data);
}

#define HANDLE_CASE(name, section, function)                                                                 \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case resource_handle_cases[] = {
    HANDLE_CASE("buffer.handle.every_bit", "commands.md 2", handle_bits),
    HANDLE_CASE("buffer.handle.thousands", "commands.md 2", handle_many),
    HANDLE_CASE("buffer.handle.small_sets", "commands.md 2", handle_sets),
    HANDLE_CASE("buffer.create.zero_again", "commands.md 6.1", handle_zero_again),
    HANDLE_CASE("buffer.destroy.memory_returned", "commands.md 6.1", memory_returned),
};

AGPU_CASE_TABLE(agpu_cases_resource_handle, resource_handle_cases);
