/* submit.c: posting and consuming: slots, indices, doorbells (ring.md 1, 2; device.md 2.1, 4.3). */
#include "pci/registers.h"
#include "ring/ring.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/submit.h"

/* Posts one empty submission under the next fence number, without doorbell. */
static bool ring_submit_post_empty(struct agpu_test *t)
{
    struct agpu_submission submission = {.fence = ++t->env->rig.fence};

    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

static void empty_submission(struct agpu_test *t)
{
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_head(t, 1);
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL),
                      AEROGPU_RING_CONTROL_ENABLE);
}

static void nop_stream(struct agpu_test *t)
{
    agpu_rig_packet(&t->env->rig, AEROGPU_CMD_NOP, 8);
    agpu_rig_packet(&t->env->rig, AEROGPU_CMD_NOP, 64);
    agpu_rig_packet(&t->env->rig, AEROGPU_CMD_DEBUG_MARKER, 20);
    agpu_run_clean(t);
}

static void slots_wrap(struct agpu_test *t)
{
    struct agpu_ring_config config = {.entry_count = 4};

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    for (unsigned i = 0; i < 13; i++) {
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(agpu_check_head(t, i + 1));
    }
}

static void single_slot(struct agpu_test *t)
{
    struct agpu_ring_config config = {.entry_count = 1};

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    for (unsigned i = 0; i < 3; i++) {
        agpu_return_unless(agpu_run_empty(t));
    }
}

static void index_wraps(struct agpu_test *t)
{
    struct agpu_ring_config config = {.entry_count = 4, .first_index = 0xFFFFFFFD};

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    for (unsigned i = 0; i < 7; i++) {
        agpu_return_unless(agpu_run_empty(t));
    }
    agpu_check_head(t, 4);
    agpu_check_eq_u64(t, agpu_ring_header(&t->env->ring)->tail, 4);
}

static void index_wraps_in_batch(struct agpu_test *t)
{
    struct agpu_ring_config config = {.entry_count = 8, .first_index = 0xFFFFFFFC};

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    for (unsigned i = 0; i < 8; i++) {
        agpu_return_unless(ring_submit_post_empty(t));
    }
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 4);
}

static void doorbell_coalesces(struct agpu_test *t)
{
    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(ring_submit_post_empty(t));
    }
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 5);
}

static void doorbell_each(struct agpu_test *t)
{
    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(ring_submit_post_empty(t));
        agpu_doorbell(&t->env->ring);
    }
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 5);
}

static void doorbell_value(struct agpu_test *t)
{
    static const uint32_t values[] = {0, 1, 0xFFFFFFFF};

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        agpu_return_unless(ring_submit_post_empty(t));
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_DOORBELL, values[i]);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    }
}

static void doorbell_without_work(struct agpu_test *t)
{
    struct agpu_error_info before = agpu_error_info(t->env);

    for (unsigned i = 0; i < 3; i++) {
        agpu_doorbell(&t->env->ring);
    }
    agpu_settle(t);
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, before.count);
    agpu_check_head(t, 0);
    agpu_run_empty(t);
}

static void doorbell_disabled(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_error_info before = agpu_error_info(t->env);

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_return_unless(ring_submit_post_empty(t));
    agpu_doorbell(&t->env->ring);
    agpu_settle(t);
    agpu_check_completed(t, 0);
    agpu_check_head(t, 0);
    /* Enabling does not replay the doorbell. */
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_settle(t);
    agpu_check_completed(t, 0);
    agpu_check_head(t, 0);
    /* A new one serves the entry that still waits. */
    agpu_doorbell(&t->env->ring);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, before.count);
}

static void pending_full(struct agpu_test *t)
{
    struct agpu_ring_config config = {.entry_count = 8};

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    for (unsigned i = 0; i < 8; i++) {
        agpu_return_unless(ring_submit_post_empty(t));
    }
    agpu_check(t, !agpu_ring_has_room(&t->env->ring));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 8);
    agpu_check(t, agpu_ring_has_room(&t->env->ring));
}

static void ring_submit_larger_stride(struct agpu_test *t)
{
    struct agpu_ring_config config = {.entry_count = 4, .entry_stride = 256};

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    for (unsigned i = 0; i < 9; i++) {
        agpu_return_unless(agpu_run_empty(t));
    }
}

static void larger_descriptor(struct agpu_test *t)
{
    struct agpu_ring_config config = {.entry_count = 4, .entry_stride = 128};
    struct aerogpu_submit_desc desc = {.desc_size_bytes = 128};

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    desc.signal_fence = ++t->env->rig.fence;
    /* What lies behind the first 64 bytes is ignored. */
    for (unsigned i = 64; i < 128; i++) {
        ((uint8_t *)t->env->ring.memory.cpu)[sizeof(struct aerogpu_ring_header) + i] = 0xEE;
    }
    agpu_assert_ok(t, agpu_ring_post_desc(&t->env->ring, &desc));
    agpu_doorbell(&t->env->ring);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, desc.signal_fence));
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, 0);
}

static void ring_submit_ignored_fields(struct agpu_test *t)
{
    struct aerogpu_submit_desc desc = {
        .desc_size_bytes = sizeof desc,
        .flags = 0xFFFFFFFC, /* all but PRESENT and NO_IRQ */
        .context_id = 0x12345678,
        .engine_id = 7,
        .cmd_reserved0 = 0xFFFFFFFF,
        .alloc_table_reserved0 = 0xFFFFFFFF,
        .reserved0 = UINT64_MAX,
    };

    desc.signal_fence = ++t->env->rig.fence;
    agpu_assert_ok(t, agpu_ring_post_desc(&t->env->ring, &desc));
    agpu_doorbell(&t->env->ring);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, desc.signal_fence));
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, 0);
}

/* Nothing happens while bus mastering is off. */
static bool held_back(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint64_t fence = agpu_fence_mmio_value(function);
    uint32_t head = agpu_ring_head(&t->env->ring);

    agpu_command_write(function, agpu_command_read(function) & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    if (!ring_submit_post_empty(t)) {
        return false;
    }
    agpu_doorbell(&t->env->ring);
    agpu_settle(t);
    return agpu_check_completed(t, fence) && agpu_check_head(t, head);
}

static void bus_master_gates(struct agpu_test *t)
{
    agpu_return_unless(held_back(t));
    agpu_function_restore(&t->env->function);
    agpu_doorbell(&t->env->ring);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 1);
}

static void bus_master_defers(struct agpu_test *t)
{
    agpu_return_unless(held_back(t));
    agpu_function_restore(&t->env->function);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
}

static void ring_submit_soak(struct agpu_test *t)
{
    struct agpu_ring_config config = {.entry_count = 16};
    unsigned posted = 0;

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    while (posted < 2000) {
        agpu_return_unless(agpu_time_left(t));
        for (unsigned i = 0; i < 1 + posted % 7 && posted < 2000; i++, posted++) {
            agpu_assert_ok(t, agpu_ring_wait_room(&t->env->ring));
            agpu_return_unless(ring_submit_post_empty(t));
        }
        agpu_doorbell(&t->env->ring);
    }
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 2000);
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, 0);
}

static const struct agpu_case cases[] = {
    {.id = "ring.submit.empty", .spec = "ring.md 6", .needs = AGPU_NEED_RING, .run = empty_submission},
    {.id = "ring.submit.nop_stream", .spec = "commands.md 11", .needs = AGPU_NEED_RING, .run = nop_stream},
    {.id = "ring.submit.ignored_fields",
     .spec = "ring.md 3",
     .needs = AGPU_NEED_RING,
     .run = ring_submit_ignored_fields},
    {.id = "ring.wrap.slots", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = slots_wrap},
    {.id = "ring.wrap.single_slot", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = single_slot},
    {.id = "ring.wrap.index_past_2_32", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = index_wraps},
    {.id = "ring.wrap.index_in_batch",
     .spec = "ring.md 1",
     .needs = AGPU_NEED_RING,
     .run = index_wraps_in_batch},
    {.id = "ring.doorbell.coalesces",
     .spec = "device.md 4.3",
     .needs = AGPU_NEED_RING,
     .run = doorbell_coalesces},
    {.id = "ring.doorbell.each", .spec = "device.md 4.3", .needs = AGPU_NEED_RING, .run = doorbell_each},
    {.id = "ring.doorbell.any_value",
     .spec = "device.md 4.3",
     .needs = AGPU_NEED_RING,
     .run = doorbell_value},
    {.id = "ring.doorbell.without_work",
     .spec = "ring.md 2",
     .needs = AGPU_NEED_RING,
     .run = doorbell_without_work},
    {.id = "ring.doorbell.while_disabled",
     .spec = "device.md 4.3",
     .needs = AGPU_NEED_RING,
     .run = doorbell_disabled},
    {.id = "ring.pending.full", .spec = "ring.md 2", .needs = AGPU_NEED_RING, .run = pending_full},
    {.id = "ring.stride.larger",
     .spec = "ring.md 1",
     .needs = AGPU_NEED_RING,
     .run = ring_submit_larger_stride},
    {.id = "ring.stride.larger_descriptor",
     .spec = "ring.md 3",
     .needs = AGPU_NEED_RING,
     .run = larger_descriptor},
    {.id = "ring.bus_master.gates",
     .spec = "device.md 2.1",
     .needs = AGPU_NEED_RING,
     .run = bus_master_gates},
    {.id = "ring.bus_master.defers",
     .spec = "device.md 2.1",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = bus_master_defers},
    {.id = "ring.soak.batches", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = ring_submit_soak},
};

AGPU_CASE_TABLE(agpu_cases_ring_submit, cases);
