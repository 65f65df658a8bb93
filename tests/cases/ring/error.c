/* error.c: faults in a submission descriptor, and what an error leaves behind (ring.md 3, 3.1,
 * device.md 4.6). */
#include "pci/registers.h"
#include "ring/ring.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/submit.h"

/* One damaged descriptor; it starts as a good one with a NOP stream and a table of one entry. */
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

static void cmd_and_table(struct aerogpu_submit_desc *desc)
{
    /* Both faults in one descriptor: one error, OOB wins. */
    desc->cmd_size_bytes = 8;
    table_wraps(desc);
}

static bool good_desc(struct agpu_test *t, struct aerogpu_submit_desc *desc)
{
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;

    agpu_rig_packet(rig, AEROGPU_CMD_NOP, 8);
    agpu_rig_alloc(rig, 1, &rig->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    return agpu_check(t, agpu_rig_finish(rig, &submission)) &&
           agpu_check_ok(t, agpu_ring_describe(&submission, desc));
}

static void bad_descriptor(struct agpu_test *t)
{
    const struct desc_fault *fault = t->test_case->arg;
    struct aerogpu_submit_desc desc;

    agpu_return_unless(good_desc(t, &desc));
    fault->damage(&desc);
    agpu_run_faulty_desc(t, &desc, fault->code);
}

static void good_descriptor(struct agpu_test *t)
{
    /* What the faults start from must itself be clean, else they prove nothing. */
    agpu_rig_packet(&t->env->rig, AEROGPU_CMD_NOP, 8);
    agpu_rig_alloc(&t->env->rig, 1, &t->env->rig.memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_run_clean(t);
}

static void empty_with_bad_table(struct agpu_test *t)
{
    struct aerogpu_submit_desc desc;

    agpu_return_unless(good_desc(t, &desc));
    desc.cmd_gpa = 0;
    desc.cmd_size_bytes = 0;
    agpu_rig_table_header(&t->env->rig)->magic ^= 1;
    agpu_run_faulty_desc(t, &desc, AEROGPU_ERROR_CMD_DECODE);
}

static void fence_zero(struct agpu_test *t)
{
    struct aerogpu_submit_desc desc;

    agpu_return_unless(good_desc(t, &desc));
    desc.signal_fence = 0;
    desc.cmd_size_bytes = 8;
    agpu_run_faulty_desc(t, &desc, AEROGPU_ERROR_CMD_DECODE);
}

static void wide_fence(struct agpu_test *t)
{
    struct aerogpu_submit_desc desc;

    t->env->rig.fence = UINT64_C(0x123456789ABCDEF0);
    agpu_return_unless(good_desc(t, &desc));
    desc.cmd_size_bytes = 8;
    agpu_run_faulty_desc(t, &desc, AEROGPU_ERROR_CMD_DECODE);
    agpu_check_eq_hex(t, agpu_error_info(t->env).fence, UINT64_C(0x123456789ABCDEF1));
}

static void counts_each(struct agpu_test *t)
{
    struct agpu_error_info before = agpu_error_info(t->env);
    struct agpu_error_info after;
    struct aerogpu_submit_desc desc;

    agpu_return_unless(good_desc(t, &desc));
    desc.cmd_size_bytes = 8;
    for (unsigned i = 0; i < 3; i++) {
        desc.signal_fence = 10 + i;
        agpu_assert_ok(t, agpu_ring_post_desc(&t->env->ring, &desc));
    }
    agpu_doorbell(&t->env->ring);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, 12));
    after = agpu_error_info(t->env);
    agpu_check(t, after.count >= before.count + 3);
    agpu_check_eq_u64(t, after.fence, 12);
}

static void good_between_bad(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct aerogpu_submit_desc bad;
    struct aerogpu_submit_desc good;

    agpu_return_unless(good_desc(t, &good));
    bad = good;
    bad.cmd_size_bytes = 8;
    bad.signal_fence = 10;
    good.signal_fence = 11;
    agpu_assert_ok(t, agpu_ring_post_desc(ring, &bad));
    agpu_assert_ok(t, agpu_ring_post_desc(ring, &good));
    agpu_doorbell(ring);
    agpu_assert_ok(t, agpu_fence_wait(ring, 11));
    agpu_check_eq_u64(t, agpu_error_info(t->env).fence, 10);
    agpu_check_head(t, 2);
}

static void registers_persist(struct agpu_test *t)
{
    struct agpu_error_info first;
    struct aerogpu_submit_desc desc;

    agpu_return_unless(good_desc(t, &desc));
    desc.cmd_size_bytes = 8;
    agpu_return_unless(agpu_run_faulty_desc(t, &desc, AEROGPU_ERROR_CMD_DECODE));
    first = agpu_error_info(t->env);
    for (unsigned i = 0; i < 3; i++) {
        agpu_return_unless(agpu_run_empty(t));
    }
    agpu_check_eq_u64(t, agpu_error_info(t->env).code, first.code);
    agpu_check_eq_u64(t, agpu_error_info(t->env).fence, first.fence);
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, first.count);
}

#define DESC_FAULT(function, expected)                                                                       \
    .spec = "ring.md 3.1", .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_ERROR_INFO,                  \
    .run = bad_descriptor, .arg = &(const struct desc_fault)                                                 \
    {                                                                                                        \
        function, expected                                                                                   \
    }
#define ERROR_CASE(function)                                                                                 \
    .spec = "ring.md 3.1", .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_ERROR_INFO, .run = (function)

static const struct agpu_case cases[] = {
    {.id = "error.desc.baseline", ERROR_CASE(good_descriptor)},
    {.id = "error.desc.size_zero",
     .flags = AGPU_CASE_MODEL_CHOICE,
     DESC_FAULT(desc_size_zero, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.desc.size_small",
     .flags = AGPU_CASE_MODEL_CHOICE,
     DESC_FAULT(desc_size_small, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.desc.size_over_stride",
     .flags = AGPU_CASE_MODEL_CHOICE,
     DESC_FAULT(desc_size_over_stride, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.cmd.address_without_size", DESC_FAULT(cmd_without_size, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.cmd.size_without_address", DESC_FAULT(cmd_without_address, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.cmd.address_wraps", DESC_FAULT(cmd_wraps, AEROGPU_ERROR_OOB)},
    {.id = "error.cmd.ends_at_2_64", DESC_FAULT(cmd_ends_at_2_64, AEROGPU_ERROR_OOB)},
    {.id = "error.cmd.below_stream_header", DESC_FAULT(cmd_below_header, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.table.address_without_size", DESC_FAULT(table_without_size, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.table.size_without_address", DESC_FAULT(table_without_address, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.table.address_wraps", DESC_FAULT(table_wraps, AEROGPU_ERROR_OOB)},
    {.id = "error.table.below_header", DESC_FAULT(table_below_header, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "error.desc.oob_wins", DESC_FAULT(cmd_and_table, AEROGPU_ERROR_OOB)},
    {.id = "error.table.checked_for_empty", ERROR_CASE(empty_with_bad_table)},
    {.id = "error.record.fence_zero", ERROR_CASE(fence_zero)},
    {.id = "error.record.64_bit_fence", ERROR_CASE(wide_fence)},
    {.id = "error.record.counts_each", ERROR_CASE(counts_each)},
    {.id = "error.record.persists", ERROR_CASE(registers_persist)},
    {.id = "error.recovery.good_after_bad_in_batch", ERROR_CASE(good_between_bad)},
};

AGPU_CASE_TABLE(agpu_cases_ring_error, cases);
