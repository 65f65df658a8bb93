/* ring.c: ring, malformed entries and fences of the legacy device (legacy.md 3, 4). */
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/legacy_irq.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/legacy_entries.h"
#include "tests/cases/rig/place.h"

#include <string.h>

/* ---- ring ---- */

/* One submission with a command buffer must complete its fence and advance the head. */
static void legacy_ring_submit(struct agpu_test *t)
{
    struct agpu_legacy_rig rig = agpu_legacy_rig(t);
    struct agpu_legacy_submission submission = {
        .type = AGPU_LEGACY_RENDER, .cmd_address = rig.memory->device_address, .cmd_size = 4096, .fence = 1};

    memset(rig.memory->cpu, 0xEE, 4096); /* any bytes: the device executes no commands (legacy.md 5) */
    agpu_assert_ok(t, agpu_legacy_post(rig.ring, &submission));
    agpu_legacy_doorbell(rig.ring);
    agpu_assert_ok(t, agpu_legacy_wait_fence(rig.ring, 1));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 1);
    agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_TAIL), 1);
}

/* Head must wrap at the entry count, whatever the count is. */
static void legacy_ring_wraps(struct agpu_test *t)
{
    static const uint32_t counts[] = {2, 3, 5, 64};

    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        agpu_return_unless(agpu_legacy_restart(t, counts[i]));
        for (uint32_t n = 1; n <= 3 * counts[i] + 1; n++) {
            agpu_return_unless(agpu_legacy_run_empty(t));
            agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, n % counts[i]);
        }
    }
}

/* A ring must accept all entries but one; a further post returns BUSY until the device has read some. */
static void one_free(struct agpu_test *t)
{
    struct agpu_legacy_ring *ring = agpu_legacy_rig(t).ring;
    struct agpu_legacy_submission more = {.type = AGPU_LEGACY_RENDER, .fence = 5};

    agpu_return_unless(agpu_legacy_restart(t, 5));
    for (uint32_t n = 1; n <= 4; n++) {
        agpu_check(t, agpu_legacy_has_room(ring));
        agpu_return_unless(agpu_legacy_post_empty(t, n));
    }
    agpu_check(t, !agpu_legacy_has_room(ring));
    agpu_check_eq_u64(t, (uint32_t)agpu_legacy_post(ring, &more), (uint32_t)AGPU_ERR_BUSY);
    agpu_legacy_doorbell(ring);
    agpu_assert_ok(t, agpu_legacy_wait_fence(ring, 4));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 4);
    agpu_check(t, agpu_legacy_has_room(ring));
    agpu_check(t, agpu_legacy_run_empty(t));
}

/* A ring filled to the last entry must not be read, because head == tail means empty; so one entry stays free. */
static void filled_is_empty(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_return_unless(agpu_legacy_restart(t, 3));
    for (uint32_t n = 1; n <= 3; n++) {
        agpu_legacy_push_fence(t, before + n);
    }
    agpu_legacy_ring_doorbell(t);
    agpu_legacy_settle(t);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before);
    agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_HEAD), 0);
}

/* One doorbell must run 63 posted entries, and nothing may run before it. */
static void legacy_ring_batch(struct agpu_test *t)
{
    struct agpu_legacy_ring *ring = agpu_legacy_rig(t).ring;

    for (uint32_t n = 1; n <= 63; n++) {
        agpu_return_unless(agpu_legacy_post_empty(t, n));
    }
    agpu_legacy_settle(t);
    agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_HEAD),
                      0); /* nothing before the doorbell */
    agpu_legacy_doorbell(ring);
    agpu_assert_ok(t, agpu_legacy_wait_fence(ring, 63));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 63);
}

/* Only the doorbell must run the ring, whatever value it gets. */
static void legacy_doorbell(struct agpu_test *t)
{
    static const uint32_t values[] = {0, 1, 2, 0x80000000, 0xFFFFFFFF};
    uint32_t before = agpu_legacy_completed_register(t);

    for (uint32_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        agpu_legacy_push_fence(t, before + i + 1);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_TAIL, i + 1);
        agpu_legacy_settle(t);
        agpu_check_place(t, "RING_HEAD when RING_TAIL was written:", i + 1,
                         agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_HEAD), i);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_DOORBELL, values[i]);
        agpu_return_unless(agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + i + 1));
    }
}

/* A batch that passes the last entry must continue at the first, not after the last: a valid entry is there too. */
static void batch_wraps(struct agpu_test *t)
{
    static const uint32_t counts[] = {3, 5, 8};
    struct agpu_legacy_ring *ring = agpu_legacy_rig(t).ring;

    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint32_t before = agpu_legacy_completed_register(t);
        struct aerogpu_legacy_ring_entry_submit *behind;

        agpu_return_unless(agpu_legacy_restart(t, counts[i]));
        for (uint32_t n = 1; n < counts[i]; n++) {
            agpu_legacy_push_fence(t, before + n);
        }
        agpu_legacy_ring_doorbell(t);
        agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, counts[i] - 1);
        behind = agpu_legacy_entry(ring, counts[i]); /* of the same page */
        *behind = *(struct aerogpu_legacy_ring_entry_submit *)agpu_legacy_entry(ring, 0);
        behind->fence = before + 1000;
        agpu_legacy_push_fence(t, before + 10); /* the last entry */
        agpu_legacy_push_fence(t, before + 11); /* the first */
        agpu_legacy_ring_doorbell(t);
        agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 1);
        agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + 11);
    }
}

/* The fence of the entry must count; its copy in the descriptor is ignored. */
static void fence_of_entry(struct agpu_test *t)
{
    struct agpu_legacy_ring *ring = agpu_legacy_rig(t).ring;
    uint32_t before = agpu_legacy_completed_register(t);
    static const uint32_t others[] = {100, 0, 1};

    for (uint32_t i = 0; i < 3; i++) {
        uint64_t address;
        struct aerogpu_legacy_submission_desc_header *header =
            agpu_legacy_descriptor(ring, ring->tail, &address);

        agpu_legacy_push_fence(t, before + i + 1);
        header->fence = others[i] == 100 ? before + 100 : others[i];
        agpu_legacy_ring_doorbell(t);
        agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, i + 1);
        agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + i + 1);
    }
}

/* One doorbell must run hundreds of entries. */
static void long_batch(struct agpu_test *t)
{
    enum { COUNT = 500 };
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_return_unless(agpu_legacy_restart(t, COUNT));
    for (uint32_t n = 1; n < COUNT; n++) {
        agpu_legacy_push_fence(t, before + n);
    }
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, COUNT - 1);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + COUNT - 1);
}

/* Entries above 64 KiB of the ring must work; the indices are set there. */
static void far_entries(struct agpu_test *t)
{
    enum { COUNT = 4000, FAR = 3000 };
    struct agpu_legacy_ring *ring = agpu_legacy_rig(t).ring;
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_return_unless(agpu_legacy_restart(t, COUNT));
    ring->tail = FAR;
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_HEAD, FAR);
    agpu_legacy_push_fence(t, before + 1);
    agpu_legacy_push_fence(t, before + 2);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, FAR + 2);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + 2);
}

/* The device must use the ring base from the time of the doorbell, whenever it was written. */
static void base_moves(struct agpu_test *t)
{
    const struct agpu_legacy_rig rig = agpu_legacy_rig(t);
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_return_unless(agpu_legacy_restart(t, 8));
    agpu_legacy_push_fence(t, before + 1);
    *(struct aerogpu_legacy_ring_entry_submit *)rig.memory->cpu =
        *(struct aerogpu_legacy_ring_entry_submit *)agpu_legacy_entry(rig.ring, 0);
    ((struct aerogpu_legacy_ring_entry_submit *)rig.memory->cpu)->fence = before + 9;
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_BASE_LO, (uint32_t)rig.memory->device_address);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_BASE_HI, (uint32_t)(rig.memory->device_address >> 32));
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 9);
}

/* Head and tail beyond the entry count must be taken modulo the count. */
static void legacy_ring_modulo(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_return_unless(agpu_legacy_restart(t, 5));
    agpu_legacy_push_fence(t, before + 1);
    agpu_legacy_push_fence(t, before + 2);
    agpu_legacy_push_fence(t, before + 3);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_HEAD, 5 + 1);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_TAIL, 10 + 2);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 2);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 2);
}

/* An entry of an unknown type must be skipped, and the next one must run. */
static void other_types(struct agpu_test *t)
{
    static const uint32_t types[] = {0,       2,          3,          0xFFFFFFFF, 0x101,
                                     0x10001, 0x01000001, 0x80000001, 0x01000000, 0x100};

    for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const uint32_t before = agpu_legacy_completed_register(t);

        agpu_legacy_push_raw(t, (struct agpu_legacy_raw){.type = types[i], .number = before + 10});
        agpu_legacy_push_fence(t, before + 1);
        agpu_legacy_ring_doorbell(t);
        agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 2 * i + 2);
        agpu_return_unless(agpu_check_place(t, "FENCE_COMPLETED after an entry of type", types[i],
                                            agpu_legacy_completed_register(t), before + 1));
    }
}

/* An entry count of more than 16 bits must be used in full, although its low part alone would be another ring size. */
static void legacy_ring_large_counts(struct agpu_test *t)
{
    enum { ENTRIES = 9 };
    static const uint32_t counts[] = {0x10005, 0x10000, 0x80000003, 0x1000004, 0xFFFFFFFF};

    for (uint32_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint32_t before = agpu_legacy_completed_register(t);

        agpu_return_unless(agpu_legacy_restart(t, 64));
        for (uint32_t n = 1; n <= ENTRIES; n++) {
            agpu_legacy_push_fence(t, before + n);
        }
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, counts[i]);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_TAIL, ENTRIES);
        agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
        agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, ENTRIES);
        agpu_return_unless(agpu_check_place(t, "FENCE_COMPLETED with RING_ENTRY_COUNT", counts[i],
                                            agpu_legacy_completed_register(t), before + ENTRIES));
    }
    agpu_return_unless(agpu_legacy_restart(t, 64));
    agpu_legacy_run_empty(t);
}

/* Without a ring base, a doorbell must have no effect. */
static void no_base(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_legacy_push_fence(t, before + 1);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_BASE_LO, 0);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_BASE_HI, 0);
    agpu_legacy_ring_doorbell(t);
    agpu_legacy_settle(t);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before);
    agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_HEAD), 0);
}

/* With RING_ENTRY_COUNT 0, a doorbell must have no effect. */
static void legacy_ring_no_entries(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_legacy_push_fence(t, before + 1);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 0);
    agpu_legacy_ring_doorbell(t);
    agpu_legacy_settle(t);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before);
    agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_HEAD), 0);
}

/* A doorbell while Bus Master is clear must be dropped, not served later. */
static void master_off(struct agpu_test *t)
{
    const struct agpu_function *function = agpu_legacy_rig(t).function;
    uint16_t on = agpu_command_read(function);
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_legacy_push_fence(t, before + 1);
    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    agpu_legacy_ring_doorbell(t);
    agpu_legacy_settle(t);
    agpu_command_write(function, on);
    agpu_legacy_settle(t);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before); /* lost, not saved for later */
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 1);
}

/* Entries whose address wraps must be skipped, and the head must still reach the tail. */
static void wrapping_entry(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 8);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_BASE_LO, 0xFFFFFFF0);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_BASE_HI, 0xFFFFFFFF);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_TAIL, 3);
    agpu_legacy_write(t, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 3);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before);
}

/* A reset of the ring by the driver must drop posted entries, and the ring must work afterwards. */
static void reset_drops(struct agpu_test *t)
{
    struct agpu_legacy_ring *ring = agpu_legacy_rig(t).ring;
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_return_unless(agpu_legacy_post_empty(t, 1));
    agpu_return_unless(agpu_legacy_post_empty(t, 2));
    agpu_assert_ok(t, agpu_legacy_reset(ring));
    agpu_legacy_doorbell(ring);
    agpu_legacy_settle(t);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before);
    for (unsigned i = 0; i < 3; i++) {
        agpu_return_unless(agpu_legacy_run_empty(t));
    }
}

/* ---- malformed: counted by the device, and the fence still completes ---- */

/* A malformed entry must still complete its fence with an interrupt, and the ring must continue. */
static void legacy_ring_malformed(struct agpu_test *t)
{
    struct agpu_legacy_raw raw = *(const struct agpu_legacy_raw *)t->test_case->arg;
    uint32_t before = agpu_legacy_completed_register(t);

    raw.type = AEROGPU_LEGACY_RING_ENTRY_SUBMIT;
    raw.number = before + 1;
    agpu_legacy_push_raw(t, raw);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 1);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 1);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS, AEROGPU_LEGACY_INT_FENCE);
    agpu_legacy_push_fence(t, before + 2);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 2);
}

/* ---- fences ---- */

/* Fences must advance step by step past a multiple of 2^16, and in jumps that differ only in some bits. */
static void past_sixteen_bits(struct agpu_test *t)
{
    uint32_t fence = (agpu_legacy_completed_register(t) | 0xFFFF) - 2;

    for (unsigned i = 0; i < 6; i++) {
        agpu_legacy_push_fence(t, ++fence);
        agpu_legacy_ring_doorbell(t);
        agpu_return_unless(agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, fence));
    }
    fence += 0x10000; /* the low half is equal */
    agpu_legacy_push_fence(t, fence);
    agpu_legacy_ring_doorbell(t);
    agpu_return_unless(agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, fence));
    fence += 0xFFF0; /* the low half is lower */
    agpu_legacy_push_fence(t, fence);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, fence);
}

/* A fence that is not above the completed one must change nothing and raise no interrupt. */
static void legacy_ring_stale(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_legacy_push_fence(t, before + 5);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 5);
    agpu_legacy_int_ack(agpu_legacy_rig(t).function, UINT32_MAX);
    agpu_legacy_push_fence(t, before + 5);
    agpu_legacy_push_fence(t, before + 1);
    agpu_legacy_push_fence(t, 0);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 4);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + 5);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), 0); /* it did not advance */
}

/* Given fences out of order in one batch, FENCE_COMPLETED must end at the highest. */
static void highest_wins(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_legacy_push_fence(t, before + 3);
    agpu_legacy_push_fence(t, before + 1);
    agpu_legacy_push_fence(t, before + 2);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 3);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + 3);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_INT_STATUS,
                      AEROGPU_LEGACY_INT_FENCE); /* one of them advanced it */
    agpu_legacy_push_fence(t, before + 1000);    /* gaps are fine */
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 1000);
}

/* A submission with fence 0 must be consumed without signalling anything. */
static void legacy_ring_zero(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_return_unless(agpu_legacy_post_empty(t, 0));
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 1);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), 0);
}

/* The driver's 64-bit fences must pass 2^32 while the device's numbers simply continue. */
static void legacy_ring_extends(struct agpu_test *t)
{
    struct agpu_legacy_ring *ring = agpu_legacy_rig(t).ring;
    const uint64_t first = UINT64_C(0xFFFFFFFE);
    uint32_t before = agpu_legacy_completed_register(t);
    uint64_t seen;

    for (uint32_t n = 0; n < 5; n++) {
        agpu_return_unless(agpu_legacy_post_empty(t, first + n));
        agpu_legacy_doorbell(ring);
        agpu_assert_ok(t, agpu_legacy_wait_fence(ring, first + n));
        agpu_check_ok(t, agpu_legacy_completed(ring, &seen));
        agpu_check_eq_hex(t, seen, first + n);
        agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + 1 + n);
    }
}

/* A restart must keep FENCE_COMPLETED, since nothing resets it; a driver that starts at 1 again must continue from
 * there. */
static void survives_restart(struct agpu_test *t)
{
    struct agpu_legacy_ring *ring = agpu_legacy_rig(t).ring;
    uint32_t before;
    uint64_t seen;

    for (unsigned i = 0; i < 3; i++) {
        agpu_return_unless(agpu_legacy_run_empty(t));
    }
    before = agpu_legacy_completed_register(t);
    agpu_return_unless(agpu_legacy_restart(t, 16));
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before);
    agpu_check_ok(t, agpu_legacy_completed(ring, &seen));
    agpu_check_eq_u64(t, seen, 0);
    agpu_return_unless(agpu_legacy_run_empty(t));
    agpu_check_ok(t, agpu_legacy_completed(ring, &seen));
    agpu_check_eq_u64(t, seen, 1);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + 1);
}

#define RING_CASE(name, section, function, ...)                                                              \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .flags = AGPU_CASE_LEGACY,                 \
        .run = (function), __VA_ARGS__                                                                       \
    }

static const struct agpu_case legacy_ring_cases[] = {
    RING_CASE("ring.legacy.submit", "legacy.md 3", legacy_ring_submit),
    RING_CASE("ring.legacy.wrap", "legacy.md 3", legacy_ring_wraps),
    RING_CASE("ring.legacy.one_entry_free", "legacy.md 3", one_free),
    RING_CASE("ring.legacy.filled_is_empty", "legacy.md 3", filled_is_empty),
    RING_CASE("ring.legacy.batch", "legacy.md 3", legacy_ring_batch),
    RING_CASE("ring.legacy.doorbell", "legacy.md 3", legacy_doorbell),
    RING_CASE("ring.legacy.batch_wraps", "legacy.md 3", batch_wraps),
    RING_CASE("ring.legacy.long_batch", "legacy.md 3", long_batch),
    RING_CASE("ring.legacy.far_entries", "legacy.md 3", far_entries),
    RING_CASE("ring.legacy.base_moves", "legacy.md 2", base_moves),
    RING_CASE("fence.legacy.of_the_entry", "legacy.md 3", fence_of_entry),
    RING_CASE("fence.legacy.past_sixteen_bits", "legacy.md 3", past_sixteen_bits),
    RING_CASE("ring.legacy.indices_modulo_count", "legacy.md 3", legacy_ring_modulo),
    RING_CASE("ring.legacy.large_counts", "legacy.md 2", legacy_ring_large_counts),
    RING_CASE("ring.legacy.other_type_skipped", "legacy.md 3", other_types),
    RING_CASE("ring.legacy.no_base_ignored", "legacy.md 3", no_base),
    RING_CASE("ring.legacy.no_entries_ignored", "legacy.md 3", legacy_ring_no_entries),
    RING_CASE("ring.legacy.doorbell_lost_without_master", "legacy.md 2", master_off),
    /* The reference does not check whether an entry's address wraps; that the model skips such an entry is its own
     * choice (legacy.md 3). */
    {.id = "ring.legacy.wrapping_entry_skipped",
     .spec = "legacy.md 3",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_LEGACY | AGPU_CASE_MODEL_CHOICE,
     .run = wrapping_entry},
    RING_CASE("ring.legacy.reset_drops_work", "legacy.md 2", reset_drops),
    RING_CASE("error.legacy.no_descriptor", "legacy.md 3", legacy_ring_malformed,
              .arg = &(const struct agpu_legacy_raw){.no_descriptor = true}),
    RING_CASE("error.legacy.short_descriptor", "legacy.md 3", legacy_ring_malformed,
              .arg = &(const struct agpu_legacy_raw){.desc_size = 31}),
    RING_CASE("error.legacy.descriptor_version", "legacy.md 3", legacy_ring_malformed,
              .arg = &(const struct agpu_legacy_raw){.version = 2}),
    RING_CASE("fence.legacy.stale_ignored", "legacy.md 3", legacy_ring_stale),
    RING_CASE("fence.legacy.highest_wins", "legacy.md 3", highest_wins),
    RING_CASE("fence.legacy.zero_signals_nothing", "legacy.md 3", legacy_ring_zero),
    RING_CASE("fence.legacy.extends_past_2_32", "legacy.md 3", legacy_ring_extends),
    RING_CASE("fence.legacy.survives_restart", "legacy.md 3", survives_restart),
};

AGPU_CASE_TABLE(agpu_cases_legacy_ring, legacy_ring_cases);
