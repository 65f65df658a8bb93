/* error.c: faults in a submission descriptor, and the state after an error (ring.md 3, 3.1, device.md 4.6). */
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"

/* One damaged descriptor; before the damage it is valid, with work in its stream and a table of one entry. */
struct desc_fault {
    void (*damage)(struct aerogpu_submit_desc *desc);
    uint32_t code;
};

static void desc_size_zero(struct aerogpu_submit_desc *desc)
{
    desc->desc_size_bytes = 0;
}

static void desc_size_small(struct aerogpu_submit_desc *desc)
{
    desc->desc_size_bytes = 63;
}

static void desc_size_over_stride(struct aerogpu_submit_desc *desc)
{
    desc->desc_size_bytes = 65;
}

static void cmd_without_size(struct aerogpu_submit_desc *desc)
{
    desc->cmd_size_bytes = 0;
}

static void cmd_without_address(struct aerogpu_submit_desc *desc)
{
    desc->cmd_gpa = 0;
}

static void cmd_wraps(struct aerogpu_submit_desc *desc)
{
    desc->cmd_gpa = UINT64_MAX - desc->cmd_size_bytes + 2;
}

static void cmd_ends_at_2_64(struct aerogpu_submit_desc *desc)
{
    desc->cmd_gpa = UINT64_MAX - desc->cmd_size_bytes + 1;
}

static void cmd_below_header(struct aerogpu_submit_desc *desc)
{
    desc->cmd_size_bytes = 23;
}

static void table_without_size(struct aerogpu_submit_desc *desc)
{
    desc->alloc_table_size_bytes = 0;
}

static void table_without_address(struct aerogpu_submit_desc *desc)
{
    desc->alloc_table_gpa = 0;
}

static void table_wraps(struct aerogpu_submit_desc *desc)
{
    desc->alloc_table_gpa = UINT64_MAX - desc->alloc_table_size_bytes + 2;
}

static void table_below_header(struct aerogpu_submit_desc *desc)
{
    desc->alloc_table_size_bytes = 23;
}

/* Two faults in one descriptor: one error, and OOB takes precedence, whichever part has it. */
static void cmd_and_table(struct aerogpu_submit_desc *desc)
{
    desc->cmd_size_bytes = 8;
    table_wraps(desc);
}

static void table_and_cmd(struct aerogpu_submit_desc *desc)
{
    desc->alloc_table_size_bytes = 8;
    cmd_wraps(desc);
}

#define BEHIND 7u /* slot of the work that shows that the device continues */

/* Fills a descriptor with work in the given slot; its stream and table remain until the next begin_over. */
static bool good_desc(struct agpu_test *t, uint32_t slot, struct aerogpu_submit_desc *desc)
{
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;

    agpu_put_proof_memory(t);
    agpu_put_proof(t, slot, 0x600D0000 + slot);
    return agpu_check(t, agpu_rig_finish(rig, &submission)) &&
           agpu_check_ok(t, agpu_ring_describe(&submission, desc));
}

/* Like good_desc(), with commands that access no memory. */
static bool idle_desc(struct agpu_test *t, struct aerogpu_submit_desc *desc)
{
    struct agpu_submission submission;

    agpu_put_proof_memory(t);
    agpu_rig_packet(&t->env->rig, AEROGPU_CMD_NOP, 8);
    return agpu_check(t, agpu_rig_finish(&t->env->rig, &submission)) &&
           agpu_check_ok(t, agpu_ring_describe(&submission, desc));
}

/* Checks that the work of the next submission is done. */
static void check_continues(struct agpu_test *t)
{
    agpu_rig_begin_over(&t->env->rig);
    agpu_put_proof_memory(t);
    agpu_put_proof(t, BEHIND, 0x600D);
    if (agpu_run_clean(t)) {
        agpu_check_proof(t, BEHIND, 0x600D);
    }
}

/* Given one fault in a descriptor, the device must report one error with the right code and do none of its work. */
static void bad_descriptor(struct agpu_test *t)
{
    const struct desc_fault *fault = t->test_case->arg;
    struct aerogpu_submit_desc desc;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_return_unless(good_desc(t, 0, &desc));
    fault->damage(&desc);
    agpu_run_faulty_desc(t, &desc, fault->code);
    agpu_check_eq_u64(t, agpu_error_count(t->env), 1); /* a single error, also for two faults */
    agpu_check_no_proof(t, 0);
    /* The same when the commands need no table. */
    agpu_rig_begin_over(&t->env->rig);
    agpu_return_unless(idle_desc(t, &desc));
    desc.flags =
        AEROGPU_SUBMIT_FLAG_PRESENT | AEROGPU_SUBMIT_FLAG_NO_IRQ; /* flags do not change the count either */
    fault->damage(&desc);
    agpu_run_faulty_desc(t, &desc, fault->code);
    agpu_check_eq_u64(t, agpu_error_count(t->env), 2);
    check_continues(t);
}

/* Given a wrong descriptor size, the fence must complete and the ring continue. Known devices accept any size, or
 * record an error and may still execute (ring.md 3.1); the model refuses. */
static void bad_desc_size(struct agpu_test *t)
{
    const struct desc_fault *fault = t->test_case->arg;
    struct aerogpu_submit_desc desc;
    struct agpu_error_info info;

    if (t->env->model) {
        bad_descriptor(t);
        return;
    }
    agpu_return_unless(agpu_proof_begin(t));
    agpu_return_unless(good_desc(t, 0, &desc));
    fault->damage(&desc);
    agpu_assert_ok(t, agpu_ring_post_desc(&t->env->ring, &desc));
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, desc.signal_fence));
    info = agpu_error_info(t->env);
    if (info.count == 0) {
        agpu_check_proof(t, 0, 0x600D0000);
    } else {
        agpu_check_error(t, &(struct agpu_error_info){0}, desc.signal_fence, fault->code);
        if (agpu_proof_done(t, 0)) {
            agpu_check_proof(t, 0, 0x600D0000);
        }
    }
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    check_continues(t);
}

/* The undamaged descriptor of the fault cases must do its work, and a submission without a table must not use the
 * previous one. */
static void good_descriptor(struct agpu_test *t)
{
    /* The work before the damage must itself succeed, otherwise the faults give no evidence. */
    agpu_return_unless(agpu_proof_begin(t));
    agpu_put_proof_memory(t);
    agpu_put_proof(t, 0, 0x600D);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_proof(t, 0, 0x600D);
    /* A submission without a table has none, not the previous one. */
    agpu_put_proof(t, 1, 0x600D);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_check_no_proof(t, 1);
}

/* A submission without commands and with a bad table must report an error, and the ring must continue. */
static void empty_with_bad_table(struct agpu_test *t)
{
    struct aerogpu_submit_desc desc;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_return_unless(good_desc(t, 0, &desc));
    desc.cmd_gpa = 0;
    desc.cmd_size_bytes = 0;
    agpu_rig_table_header(&t->env->rig)->magic ^= 1;
    agpu_run_faulty_desc(t, &desc, AEROGPU_ERROR_CMD_DECODE);
    check_continues(t);
}

/* A bad table must end the submission even if its commands need none. A known device may still execute them (ring.md
 * 3.2). */
static void bad_table_runs_nothing(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    const uint32_t before[4] = {1, 2, 3, 4}, after[4] = {5, 6, 7, 8};

    agpu_put_create_buffer(rig, 9, sizeof before, 0, 0);
    agpu_put_upload(rig, 9, 0, before, sizeof before);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_upload(rig, 9, 0, after, sizeof after);
    agpu_rig_alloc_range(rig, 5, 4096, 4096, AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_table_entry(rig, 0)->alloc_id = 0;
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    agpu_put_readback(rig, 9, 0, sizeof before);
    agpu_return_unless(agpu_run_clean(t));
    if (t->env->model || *(uint32_t *)rig->memory[AGPU_READBACK_MEMORY].cpu != after[0]) {
        agpu_check_readback(t, before, sizeof before);
    }
}

/* ERROR_FENCE must be the fence of the failed submission, also 0, and never the previous one. */
static void fence_zero(struct agpu_test *t)
{
    agpu_return_unless(agpu_run_refused(t, UINT64_C(0x700000007), 0));
    agpu_check_eq_hex(t, agpu_error_fence(t->env), UINT64_C(0x700000007));
    agpu_return_unless(agpu_run_refused(t, 0, 0));
    agpu_check_eq_hex(t, agpu_error_fence(t->env), 0);
    agpu_check_eq_u64(t, agpu_error_count(t->env), 2);
    agpu_check_completed(t, UINT64_C(0x700000007));
    agpu_return_unless(agpu_run_refused(t, UINT64_C(0x700000008), 0));
    agpu_check_eq_hex(t, agpu_error_fence(t->env), UINT64_C(0x700000008));
    agpu_check_irq(t, AEROGPU_IRQ_ERROR);
}

/* ERROR_FENCE and COMPLETED_FENCE must have all 64 bits of a failed submission's fence. */
static void wide_fence(struct agpu_test *t)
{
    static const uint64_t fences[] = {UINT64_C(0x123456789ABCDEF1), UINT64_C(0x8000000080000000),
                                      UINT64_C(0x80000001FFFFFFFF), UINT64_MAX - 1};

    for (unsigned i = 0; i < sizeof fences / sizeof fences[0]; i++) {
        agpu_return_unless(agpu_run_refused(t, fences[i], 0));
        agpu_check_completed(t, fences[i]);
        agpu_check_eq_hex(t, agpu_error_fence(t->env), fences[i]);
    }
}

/* Each error must add one to ERROR_COUNT, past 2^8 and 2^16. */
static void counts_each(struct agpu_test *t)
{
    enum { BATCH = 500, BATCHES = 132 };
    const struct agpu_ring_config config = {.entry_count = 512};
    uint64_t fence = 10;

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    for (unsigned batch = 1; batch <= BATCHES; batch++) {
        for (unsigned i = 0; i < BATCH; i++) {
            agpu_return_unless(agpu_post_refused(t, ++fence, AEROGPU_SUBMIT_FLAG_NO_IRQ));
        }
        agpu_doorbell(&t->env->ring);
        agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, fence));
        agpu_return_unless(agpu_check_eq_u64(t, agpu_error_count(t->env), batch * BATCH));
        agpu_return_unless(agpu_check_eq_u64(t, agpu_error_fence(t->env), fence));
    }
}

/* Applies one of the faults of a descriptor, its table, or its stream. */
static void spoil(struct agpu_test *t, struct aerogpu_submit_desc *desc, uint32_t kind)
{
    switch (kind % 5) {
    case 0:
        desc->cmd_size_bytes = 0;
        break;
    case 1:
        desc->cmd_size_bytes = 8;
        break;
    case 2:
        desc->alloc_table_size_bytes = 8;
        break;
    case 3:
        agpu_rig_table_header(&t->env->rig)->magic ^= 1;
        break;
    default:
        agpu_rig_stream_header(&t->env->rig)->magic ^= 1;
        break;
    }
}

/* Given a batch of four submissions, valid or faulty in each of the sixteen combinations, only the valid ones must do
 * their work. Each error is counted, the registers show the last, fence and head advance. */
static void good_between_bad(struct agpu_test *t)
{
    enum { BATCH = 4 };
    struct agpu_ring *ring = &t->env->ring;
    uint32_t errors = 0;

    agpu_return_unless(agpu_proof_begin(t));
    for (uint32_t bad = 0; bad < 1u << BATCH; bad++) {
        uint64_t failed = 0;

        agpu_proof_clear(t);
        agpu_rig_begin_over(&t->env->rig);
        for (uint32_t i = 0; i < BATCH; i++) {
            struct aerogpu_submit_desc desc;

            agpu_rig_begin(&t->env->rig);
            agpu_return_unless(good_desc(t, i, &desc));
            if (bad >> i & 1) {
                spoil(t, &desc, i + bad);
                failed = desc.signal_fence;
                errors++;
            }
            agpu_assert_ok(t, agpu_ring_post_desc(ring, &desc));
        }
        agpu_doorbell(ring);
        agpu_assert_ok(t, agpu_fence_wait(ring, t->env->rig.fence));
        for (uint32_t i = 0; i < BATCH; i++) {
            if (bad >> i & 1) {
                agpu_return_unless(agpu_check_no_proof(t, i));
            } else {
                agpu_return_unless(agpu_check_proof(t, i, 0x600D0000 + i));
            }
        }
        agpu_check_place(t, "ERROR_COUNT after a batch with bad ones", bad, agpu_error_count(t->env), errors);
        if (failed != 0) {
            agpu_check_place(t, "ERROR_FENCE after a batch with bad ones", bad, agpu_error_fence(t->env),
                             failed);
        }
        agpu_check_head(t, 1 + BATCH * (bad + 1));
    }
}

/* The registers must keep the last error while later submissions do real work. */
static void registers_persist(struct agpu_test *t)
{
    struct agpu_error_info first, now;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_return_unless(agpu_run_refused(t, 100, 0));
    first = agpu_error_info(t->env);
    agpu_check(t, first.code != AEROGPU_ERROR_NONE);
    t->env->rig.fence = 100;
    for (uint32_t i = 0; i < 4; i++) {
        struct agpu_submission submission;

        if (i % 2) {
            agpu_put_proof_memory(t);
            agpu_put_proof(t, i, i);
        }
        agpu_assert(t, agpu_rig_finish(&t->env->rig, &submission));
        submission.context_id = i;
        if (i == 2) { /* its high half differs from that of the error */
            submission.fence = t->env->rig.fence = UINT64_C(0x700000000);
        }
        agpu_return_unless(agpu_submit_wait(t, &submission));
        agpu_rig_begin_over(&t->env->rig);
        agpu_irq_ack(&t->env->function, UINT32_MAX);
        now = agpu_error_info(t->env);
        agpu_check_place(t, "ERROR_CODE after good submission", i, now.code, first.code);
        agpu_check_place(t, "ERROR_FENCE after good submission", i, now.fence, 100);
        agpu_check_place(t, "ERROR_COUNT after good submission", i, now.count, 1);
    }
}

/* Rings with this ring address and size; the device must count one error with this code and no fence. */
static bool ring_level_error(struct agpu_test *t, uint64_t address, uint32_t size, uint32_t code)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_error_info before = agpu_errors_so_far(t->env);
    struct agpu_error_info after;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, size);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_doorbell(&t->env->ring);
    if (!agpu_wait_error_count(t, before.count + 1)) {
        return false;
    }
    after = agpu_error_info(t->env);
    agpu_check_eq_u64(t, after.count, before.count + 1);
    agpu_check_eq_hex(t, after.fence, 0);
    return agpu_check_eq_hex(t, after.code, code);
}

/* Given several errors of different kinds in a row, ERROR_CODE must be that of the last. Faults of the ring itself have
 * the same code on every device (ring.md 2). */
static void last_code(struct agpu_test *t)
{
    const struct agpu_dma *memory = &t->env->ring.memory;

    for (unsigned round = 0; round < 2; round++) {
        agpu_return_unless(agpu_run_refused(t, 100 + round, 0));
        agpu_return_unless(ring_level_error(t, memory->device_address, 0, AEROGPU_ERROR_CMD_DECODE));
        agpu_return_unless(ring_level_error(t, UINT64_MAX - 31, (uint32_t)memory->size, AEROGPU_ERROR_OOB));
        agpu_return_unless(ring_level_error(t, 0, (uint32_t)memory->size, AEROGPU_ERROR_CMD_DECODE));
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        agpu_reg_write64(&t->env->function, AEROGPU_MMIO_REG_RING_GPA_LO, memory->device_address);
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, (uint32_t)memory->size);
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    }
    t->env->rig.fence = 200;
    agpu_run_empty(t);
}

/* A ring reset must clear all error registers, and the next error counts as the first. */
static void cleared_by_reset(struct agpu_test *t)
{
    struct agpu_error_info info;

    for (unsigned round = 0; round < 2; round++) {
        agpu_return_unless(agpu_run_refused(t, UINT64_C(0x900000009), 0));
        agpu_assert_ok(t, t->env->transport.reset(t->env->transport.ctx));
        info = agpu_error_info(t->env);
        agpu_check_eq_hex(t, info.code, AEROGPU_ERROR_NONE);
        agpu_check_eq_hex(t, info.fence, 0);
        agpu_check_eq_u64(t, info.count, 0);
        agpu_check_irq(t, 0);
    }
    agpu_return_unless(agpu_run_refused(t, 3, 0));
    agpu_check_eq_u64(t, agpu_error_count(t->env), 1);
}

#define WORK (AEROGPU_FEATURE_ERROR_INFO | AEROGPU_FEATURE_TRANSFER)
#define DESC_FAULT(function, expected)                                                                       \
    .spec = "ring.md 3.1", .needs = AGPU_NEED_RING, .features = WORK, .run = bad_descriptor,                 \
    .arg = &(const struct desc_fault)                                                                        \
    {                                                                                                        \
        function, expected                                                                                   \
    }
#define DESC_SIZE(function)                                                                                  \
    .spec = "ring.md 3.1", .needs = AGPU_NEED_RING, .features = WORK, .run = bad_desc_size,                  \
    .arg = &(const struct desc_fault)                                                                        \
    {                                                                                                        \
        function, AEROGPU_ERROR_CMD_DECODE                                                                   \
    }
#define WORK_CASE(function)                                                                                  \
    .spec = "ring.md 3.1", .needs = AGPU_NEED_RING, .features = WORK, .run = (function)
#define ERROR_CASE(function)                                                                                 \
    .spec = "ring.md 3.1", .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_ERROR_INFO, .run = (function)

static const struct agpu_case ring_error_cases[] = {
    {.id = "error.desc.baseline", WORK_CASE(good_descriptor)},
    {.id = "error.desc.size_zero", DESC_SIZE(desc_size_zero)},
    {.id = "error.desc.size_small", DESC_SIZE(desc_size_small)},
    {.id = "error.desc.size_over_stride", DESC_SIZE(desc_size_over_stride)},
    {.id = "error.cmd.address_without_size", DESC_FAULT(cmd_without_size, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.cmd.size_without_address", DESC_FAULT(cmd_without_address, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.cmd.address_wraps", DESC_FAULT(cmd_wraps, AEROGPU_ERROR_OOB)},
    /* the command buffer ends at 2^64 */
    {.id = "error.cmd.ends_at_2_64", DESC_FAULT(cmd_ends_at_2_64, AEROGPU_ERROR_OOB)},
    {.id = "error.cmd.below_stream_header", DESC_FAULT(cmd_below_header, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.table.address_without_size", DESC_FAULT(table_without_size, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.table.size_without_address", DESC_FAULT(table_without_address, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.table.address_wraps", DESC_FAULT(table_wraps, AEROGPU_ERROR_OOB)},
    {.id = "error.table.below_header", DESC_FAULT(table_below_header, AEROGPU_ERROR_CMD_DECODE)},
    /* the command buffer is malformed, the table out of bounds: the code is OOB */
    {.id = "error.desc.oob_wins", DESC_FAULT(cmd_and_table, AEROGPU_ERROR_OOB)},
    /* the table is malformed, the command buffer out of bounds: the code is OOB */
    {.id = "error.desc.oob_wins_reversed", DESC_FAULT(table_and_cmd, AEROGPU_ERROR_OOB)},
    {.id = "error.table.runs_nothing", WORK_CASE(bad_table_runs_nothing)},
    {.id = "error.table.checked_for_empty", WORK_CASE(empty_with_bad_table)},
    {.id = "error.record.fence_zero", ERROR_CASE(fence_zero)},
    {.id = "error.record.64_bit_fence", ERROR_CASE(wide_fence)},
    {.id = "error.record.counts_each", ERROR_CASE(counts_each)},
    {.id = "error.record.last_code", ERROR_CASE(last_code)},
    {.id = "error.record.cleared_by_reset", ERROR_CASE(cleared_by_reset)},
    {.id = "error.record.persists", WORK_CASE(registers_persist)},
    {.id = "error.recovery.good_after_bad_in_batch", WORK_CASE(good_between_bad)},
};

AGPU_CASE_TABLE(agpu_cases_ring_error, ring_error_cases);
