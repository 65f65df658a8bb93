/* submit.c: posting and consuming submissions: slots, indices, doorbells (ring.md 1, 2; device.md 2.1, 4.3). */
#include <string.h>

#include "pci/registers.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/ring.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/ring_layout.h"
#include "tests/cases/rig/rounds.h"

/* Posts one empty submission with the next fence number, without a doorbell. */
static bool ring_submit_post_empty(struct agpu_test *t)
{
    struct agpu_submission submission = {.fence = ++t->env->rig.fence};

    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

/* One empty submission must complete and advance the head to 1. */
static void empty_submission(struct agpu_test *t)
{
    agpu_return_unless(agpu_run_empty(t));
    agpu_check_head(t, 1);
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL),
                      AEROGPU_RING_CONTROL_ENABLE);
}

/* The device must skip each packet without effect exactly: the packets between them are executed in order. */
static void nop_stream(struct agpu_test *t)
{
    static const uint32_t sizes[] = {8, 12, 64, 4096, 20};
    struct agpu_rig *rig = &t->env->rig;
    uint8_t expected[5 * 4];

    agpu_put_create_buffer(rig, 1, sizeof expected, 0, 0);
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t *filler =
            agpu_rig_packet(rig, i % 2 == 0 ? AEROGPU_CMD_NOP : AEROGPU_CMD_DEBUG_MARKER, sizes[i]);

        /* Its payload looks like a valid packet that destroys the buffer. */
        for (uint32_t at = 8; at + 16 <= sizes[i]; at += 16) {
            const struct aerogpu_cmd_destroy_resource bait = {
                .hdr = {AEROGPU_CMD_DESTROY_RESOURCE, sizeof bait}, .resource_handle = 1};

            memcpy(filler + at, &bait, sizeof bait);
        }
        agpu_fill_pattern(expected + 4 * i, 4, i);
        agpu_put_upload(rig, 1, 4 * i, expected + 4 * i, 4);
    }
    agpu_rig_packet(rig, AEROGPU_CMD_NOP, 8);
    agpu_put_readback(rig, 1, 0, sizeof expected);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, expected, sizeof expected);
}

/* ---- slots and indices ---- */

/* Thirteen entries in a ring of four slots must each run from their slot, and the device must write only the head. */
static void slots_wrap(struct agpu_test *t)
{
    agpu_return_unless(agpu_ring_room(t, 4096));
    agpu_ring_lay(t, 4, 64, 0);
    for (unsigned i = 0; i < 13; i++) {
        agpu_return_unless(agpu_ring_batch(t, 1, false));
    }
    agpu_check_u64(t, agpu_ring_head(&t->env->ring), 13, "ring head after 13 entries", false, AGPU_HERE);
    agpu_ring_check_untouched(t);
}

/* A ring with a single slot must run one entry after the other. */
static void single_slot(struct agpu_test *t)
{
    agpu_return_unless(agpu_ring_room(t, 4096));
    agpu_ring_lay(t, 1, 64, 0);
    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(agpu_ring_batch(t, 1, false));
    }
    agpu_ring_check_untouched(t);
}

/* Every power of two of slots up to 65536 must work: the first and last slot, and those where a bit of the index
 * changes. */
static void ring_every_count(struct agpu_test *t)
{
    agpu_return_unless(agpu_ring_room(t, 64 + 65536 * 64));
    for (uint32_t count = 65536; count != 0; count /= 2) {
        agpu_ring_lay(t, count, 64, count - 1);
        agpu_return_unless(agpu_ring_batch(t, count < 600 ? count : 3, false));
        for (uint32_t bit = count == 65536 || count < 8 ? 1 : count / 4; bit < count; bit *= 2) {
            agpu_ring_move(t, bit - 1 + (count << 3));
            agpu_return_unless(agpu_ring_batch(t, 2, false));
        }
    }
}

/* The stride needs no alignment; the device must ignore the bytes between two descriptors. */
static void ring_every_stride(struct agpu_test *t)
{
    static const uint32_t strides[] = {64,  65,  66,  67,  68,  72,  80,  96,  100,  120,  127,  128,
                                       129, 144, 160, 192, 256, 320, 384, 500, 1024, 4096, 4100, 65600};

    agpu_return_unless(agpu_ring_room(t, 64 + 8 * 65600));
    for (unsigned i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        agpu_ring_lay(t, 8, strides[i], 0xFFFFFFF0 + i);
        agpu_return_unless(agpu_ring_batch(t, 1, false));
        agpu_return_unless(agpu_ring_batch(t, 8, false));
        agpu_return_unless(agpu_ring_batch(t, 5, false));
        agpu_return_unless(agpu_ring_check_untouched(t));
    }
}

/* head and tail must count through 2^32 and every other carry. */
static void index_wraps(struct agpu_test *t)
{
    agpu_return_unless(agpu_ring_room(t, 4096));
    agpu_ring_lay(t, 4, 64, 0xFFFFFFFD);
    for (unsigned i = 0; i < 7; i++) {
        agpu_return_unless(agpu_ring_batch(t, 1, false));
    }
    agpu_check_u64(t, agpu_ring_head(&t->env->ring), 4, "ring head past 2^32", false, AGPU_HERE);
    agpu_check_eq_u64(t, agpu_ring_header(&t->env->ring)->tail, 4);
}

/* Given head and tail around each power of two up to 2^32, a batch of five must run. */
static void index_carries(struct agpu_test *t)
{
    agpu_return_unless(agpu_ring_room(t, 4096));
    agpu_ring_lay(t, 8, 64, 0);
    for (unsigned bit = 1; bit <= 32; bit++) {
        agpu_ring_move(t, (uint32_t)((UINT64_C(1) << bit) - 2));
        agpu_return_unless(agpu_ring_batch(t, 5, false));
    }
    agpu_ring_check_untouched(t);
}

/* Given a batch whose indices pass 2^32, all of its entries must run, and the head must wrap. */
static void index_wraps_in_batch(struct agpu_test *t)
{
    agpu_return_unless(agpu_ring_room(t, 4096));
    agpu_ring_lay(t, 8, 64, 0xFFFFFFFC);
    agpu_return_unless(agpu_ring_batch(t, 8, false));
    agpu_check_u64(t, agpu_ring_head(&t->env->ring), 4, "ring head past 2^32", false, AGPU_HERE);
    agpu_ring_check_untouched(t);
}

/* Each half of the ring address must take effect at once, so that either may be written first while the ring is
 * disabled (device.md 4.5). */
static void ring_address_halves(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t address = t->env->ring.memory.device_address;
    const uint64_t page = t->env->ring.page.device_address;
    const bool has_page = t->env->ring.page.cpu != NULL;

    for (unsigned order = 0; order < 4; order++) {
        const unsigned high_first = order % 2;

        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        if (order < 2) { /* through 0, or one half written again over the other */
            agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, 0);
            if (has_page) {
                agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
            }
        }
        for (unsigned i = 0; i < 2; i++) {
            const unsigned half = i ^ high_first;

            agpu_reg_write(function, AEROGPU_MMIO_REG_RING_GPA_LO + 4 * half,
                           (uint32_t)(address >> 32 * half));
            if (has_page) {
                agpu_reg_write(function, AEROGPU_MMIO_REG_FENCE_GPA_LO + 4 * half,
                               (uint32_t)(page >> 32 * half));
            }
        }
        agpu_check_u64(t, agpu_reg_read64(function, AEROGPU_MMIO_REG_RING_GPA_LO), address, "RING_GPA", true,
                       AGPU_HERE);
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
        agpu_return_unless(agpu_run_empty(t));
        agpu_return_unless(agpu_check_head(t, order + 1));
        agpu_check_page(t, t->env->rig.fence);
    }
}

/* ---- doorbells ---- */

/* One doorbell must serve five posted submissions. */
static void doorbell_coalesces(struct agpu_test *t)
{
    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(ring_submit_post_empty(t));
    }
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 5);
}

/* Five submissions with a doorbell each must all complete, although the driver does not wait in between. */
static void doorbell_each(struct agpu_test *t)
{
    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(ring_submit_post_empty(t));
        agpu_doorbell(&t->env->ring);
    }
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 5);
    agpu_check_completed(t, t->env->rig.fence);
}

/* Thousands of doorbells, one per submission, must each be served. */
static void doorbell_thousand(struct agpu_test *t)
{
    struct agpu_rounds rounds;

    agpu_return_unless(agpu_ring_room(t, 4096));
    agpu_ring_lay(t, 32, 64, 0);
    for (agpu_rounds_begin(&rounds, t, 1030); agpu_rounds_next(&rounds);) {
        agpu_return_unless(agpu_ring_batch(t, 1, true));
    }
    agpu_ring_check_untouched(t);
}

/* A doorbell must work with any written value. */
static void doorbell_value(struct agpu_test *t)
{
    static const uint32_t values[] = {0, 1, 0xFFFFFFFF, 2, 0x100, 0x10000, 0x80000000, 0};

    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        agpu_return_unless(ring_submit_post_empty(t));
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_DOORBELL, values[i]);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    }
}

/* A doorbell without new entries must cause no error, and the ring must work afterwards. */
static void doorbell_without_work(struct agpu_test *t)
{
    struct agpu_error_info before = agpu_errors_so_far(t->env);

    for (unsigned i = 0; i < 3; i++) {
        agpu_doorbell(&t->env->ring);
    }
    agpu_settle(t);
    agpu_check_eq_u64(t, agpu_error_count(t->env), before.count);
    agpu_check_head(t, 0);
    agpu_run_empty(t);
}

/* A doorbell while the ring is disabled must be ignored, also after the enable; the next doorbell serves the entry. */
static void doorbell_disabled(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_error_info before = agpu_errors_so_far(t->env);

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
    /* A new doorbell serves the waiting entry. */
    agpu_doorbell(&t->env->ring);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_eq_u64(t, agpu_error_count(t->env), before.count);
}

/* A ring with all of its slots pending must run every entry. */
static void pending_full(struct agpu_test *t)
{
    agpu_return_unless(agpu_ring_room(t, 64 + 8192 * 64));
    for (uint32_t count = 8; count <= 8192; count *= 32) {
        agpu_ring_lay(t, count, 64, count - 3);
        agpu_return_unless(agpu_ring_batch(t, count, false));
        agpu_check(t, agpu_ring_has_room(&t->env->ring));
        agpu_return_unless(agpu_ring_batch(t, 1, false));
        agpu_return_unless(agpu_ring_batch(t, count - 1, false));
    }
    agpu_ring_check_untouched(t);
}

/* A descriptor may state any size up to the stride; the device must ignore bytes after its first 64. */
static void larger_descriptor(struct agpu_test *t)
{
    static const uint32_t sizes[] = {64, 65, 66, 68, 96, 127, 128};

    agpu_return_unless(agpu_ring_room(t, 4096));
    agpu_ring_lay(t, 4, 128, 0);
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct aerogpu_submit_desc desc = {.desc_size_bytes = sizes[i], .signal_fence = ++t->env->rig.fence};

        agpu_assert_ok(t, agpu_ring_post_desc(&t->env->ring, &desc));
        agpu_doorbell(&t->env->ring);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, desc.signal_fence));
        agpu_return_unless(agpu_check_completed(t, desc.signal_fence));
        agpu_return_unless(agpu_check_u64(t, agpu_error_count(t->env), 0,
                                          "ERROR_COUNT after desc_size_bytes from 64 to the stride", false,
                                          AGPU_HERE));
        agpu_ring_put_decoy(t, i);
    }
    agpu_ring_check_untouched(t);
}

/* Sets one field that the device must ignore, or all of them. */
static void ring_submit_odd_field(struct aerogpu_submit_desc *desc, unsigned which)
{
    const bool all = which == 0;

    desc->flags = all || which == 1 ? ~(AEROGPU_SUBMIT_FLAG_PRESENT | AEROGPU_SUBMIT_FLAG_NO_IRQ) : 0;
    desc->context_id = all || which == 2 ? 0x12345678 : 0;
    desc->engine_id = all || which == 3 ? 7 : 0;
    desc->cmd_reserved0 = all || which == 4 ? UINT32_MAX : 0;
    desc->alloc_table_reserved0 = all || which == 5 ? UINT32_MAX : 0;
    desc->reserved0 = all || which == 6 ? UINT64_MAX : 0;
}

/* A submission must do its work whatever its reserved fields contain. */
static void ring_submit_ignored_fields(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    uint8_t expected[7 * 4];

    agpu_put_create_buffer(rig, 1, sizeof expected, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    for (unsigned which = 0; which < 7; which++) {
        struct agpu_submission submission;
        struct aerogpu_submit_desc desc;

        agpu_fill_pattern(expected + 4 * which, 4, 77 + which);
        agpu_put_upload(rig, 1, 4 * which, expected + 4 * which, 4);
        agpu_return_unless(agpu_check(t, agpu_rig_finish(rig, &submission)));
        agpu_assert_ok(t, agpu_ring_describe(&submission, &desc));
        ring_submit_odd_field(&desc, which);
        agpu_assert_ok(t, agpu_ring_post_desc(&t->env->ring, &desc));
        agpu_doorbell(&t->env->ring);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, desc.signal_fence));
        agpu_check_no_errors_counted(t);
        agpu_rig_begin_over(rig);
    }
    agpu_put_readback(rig, 1, 0, sizeof expected);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, expected, sizeof expected);
}

/* RING_CONTROL must read back bit 0 alone, whichever other bits are written; bit 1, the reset, is left out. */
static void ring_control_bits(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    agpu_return_unless(agpu_run_empty(t));
    for (unsigned bit = 2; bit < 32; bit++) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, UINT32_C(1) << bit);
        agpu_return_unless(agpu_check_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_CONTROL), 0,
                                          "RING_CONTROL with ENABLE 0 and another bit", true, AGPU_HERE));
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL,
                       UINT32_C(1) << bit | AEROGPU_RING_CONTROL_ENABLE);
        agpu_return_unless(agpu_check_u64(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_CONTROL), 1,
                                          "RING_CONTROL with ENABLE 1 and another bit", true, AGPU_HERE));
    }
    /* None of them caused a reset. */
    agpu_check_completed(t, 1);
    agpu_run_empty(t);
}

/* Checks that nothing happens while Bus Master is clear. */
static bool held_back(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint64_t fence = agpu_fence_mmio_value(function);
    uint32_t head = agpu_ring_head(&t->env->ring);

    agpu_command_write(function, agpu_command_read(function) & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    for (unsigned i = 0; i < 3; i++) {
        if (!ring_submit_post_empty(t)) {
            return false;
        }
        agpu_doorbell(&t->env->ring);
    }
    agpu_settle(t);
    return agpu_check_completed(t, fence) && agpu_check_head(t, head);
}

/* With Bus Master clear nothing may happen; once it is set, a doorbell must serve all entries. */
static void bus_master_gates(struct agpu_test *t)
{
    agpu_return_unless(held_back(t));
    agpu_function_restore(&t->env->function);
    agpu_doorbell(&t->env->ring);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 3);
}

/* Given Bus Master clear, a doorbell must be remembered and served when it is set, without a second doorbell. */
static void bus_master_defers(struct agpu_test *t)
{
    agpu_return_unless(held_back(t));
    agpu_function_restore(&t->env->function);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 3);
}

static const struct agpu_case ring_submit_cases[] = {
    {.id = "ring.submit.empty", .spec = "ring.md 6", .needs = AGPU_NEED_RING, .run = empty_submission},
    {.id = "ring.submit.nop_stream",
     .spec = "commands.md 11",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = nop_stream},
    {.id = "ring.submit.ignored_fields",
     .spec = "ring.md 3",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = ring_submit_ignored_fields},
    {.id = "ring.wrap.slots", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = slots_wrap},
    {.id = "ring.wrap.single_slot", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = single_slot},
    {.id = "ring.wrap.index_past_2_32", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = index_wraps},
    {.id = "ring.wrap.index_in_batch",
     .spec = "ring.md 1",
     .needs = AGPU_NEED_RING,
     .run = index_wraps_in_batch},
    {.id = "ring.wrap.index_carries", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = index_carries},
    {.id = "ring.count.every", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = ring_every_count},
    {.id = "ring.registers.address_halves",
     .spec = "device.md 4.5",
     .needs = AGPU_NEED_RING,
     .run = ring_address_halves},
    {.id = "ring.registers.control_bits",
     .spec = "device.md 4.2",
     .needs = AGPU_NEED_RING,
     .run = ring_control_bits},
    {.id = "ring.doorbell.coalesces",
     .spec = "device.md 4.3",
     .needs = AGPU_NEED_RING,
     .run = doorbell_coalesces},
    {.id = "ring.doorbell.each", .spec = "device.md 4.3", .needs = AGPU_NEED_RING, .run = doorbell_each},
    {.id = "ring.doorbell.thousand",
     .spec = "device.md 4.3",
     .needs = AGPU_NEED_RING,
     .run = doorbell_thousand},
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
    {.id = "ring.stride.larger", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = ring_every_stride},
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
     .run = bus_master_defers},
};

AGPU_CASE_TABLE(agpu_cases_ring_submit, ring_submit_cases);
