/* ring.c: ring, malformed entries and fences of the legacy device (legacy.md 3, 4). */
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/legacy_irq.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/legacy_entries.h"

#include <string.h>

/* ---- ring ---- */

static void legacy_ring_submit(struct agpu_test *t)
{
    struct agpu_legacy_rig rig = agpu_legacy_rig(t);
    struct agpu_legacy_submission submission = {
        .type = AGPU_LEGACY_RENDER, .cmd_address = rig.memory->device_address, .cmd_size = 4096, .fence = 1};

    memset(rig.memory->cpu, 0xEE, 4096); /* whatever the bytes are: nothing executes them (legacy.md 5) */
    agpu_assert_ok(t, agpu_legacy_post(rig.ring, &submission));
    agpu_legacy_doorbell(rig.ring);
    agpu_assert_ok(t, agpu_legacy_wait_fence(rig.ring, 1));
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 1);
    agpu_check_eq_u64(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_RING_TAIL), 1);
}

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

/* Why one entry stays free: head == tail means empty, so a ring filled to the last entry is not read. */
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

static void other_types(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_legacy_push_raw(t, (struct agpu_legacy_raw){.type = 0, .number = before + 10});
    agpu_legacy_push_raw(t, (struct agpu_legacy_raw){.type = 2, .number = before + 11});
    agpu_legacy_push_raw(t, (struct agpu_legacy_raw){.type = 0xFFFFFFFF, .number = before + 12});
    agpu_legacy_push_fence(t, before + 1);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 4);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + 1);
}

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
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before); /* lost, not kept for later */
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 1);
}

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

/* ---- malformed: counted by the device, and the fence completes all the same ---- */

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
    agpu_legacy_push_fence(t, before + 2);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 2);
}

/* ---- fences ---- */

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

static void highest_wins(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_legacy_push_fence(t, before + 3);
    agpu_legacy_push_fence(t, before + 1);
    agpu_legacy_push_fence(t, before + 2);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 3);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before + 3);
    agpu_legacy_push_fence(t, before + 1000); /* gaps are fine */
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 1000);
}

static void legacy_ring_zero(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    agpu_return_unless(agpu_legacy_post_empty(t, 0));
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 1);
    agpu_check_eq_u64(t, agpu_legacy_completed_register(t), before);
    agpu_check_eq_hex(t, agpu_legacy_read(t, AEROGPU_LEGACY_REG_INT_STATUS), 0);
}

/* The driver's 64-bit fences pass 2^32 while the device's numbers just go on. */
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

/* Nothing resets FENCE_COMPLETED, so a driver that numbers from 1 again has to go on from there. */
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

static const struct agpu_case cases[] = {
    RING_CASE("ring.legacy.submit", "legacy.md 3", legacy_ring_submit),
    RING_CASE("ring.legacy.wrap", "legacy.md 3", legacy_ring_wraps),
    RING_CASE("ring.legacy.one_entry_free", "legacy.md 3", one_free),
    RING_CASE("ring.legacy.filled_is_empty", "legacy.md 3", filled_is_empty),
    RING_CASE("ring.legacy.batch", "legacy.md 3", legacy_ring_batch),
    RING_CASE("ring.legacy.indices_modulo_count", "legacy.md 3", legacy_ring_modulo),
    RING_CASE("ring.legacy.other_type_skipped", "legacy.md 3", other_types),
    RING_CASE("ring.legacy.no_base_ignored", "legacy.md 3", no_base),
    RING_CASE("ring.legacy.no_entries_ignored", "legacy.md 3", legacy_ring_no_entries),
    RING_CASE("ring.legacy.doorbell_lost_without_master", "legacy.md 2", master_off),
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

AGPU_CASE_TABLE(agpu_cases_legacy_ring, cases);
