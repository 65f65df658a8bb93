/* header.c: what the device checks at a doorbell: ring registers and header fields (ring.md 1, 2). */
#include "pci/registers.h"
#include "ring/ring.h"
#include "ring/order.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/submit.h"

/* One damaged header. */
struct header_fault {
    void (*damage)(struct aerogpu_ring_header *header, const struct agpu_ring *ring);
    uint32_t code; /* on our model */
};

static void header_bad_magic(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    (void)ring;
    header->magic ^= 1;
}

static void header_bad_major(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    (void)ring;
    header->abi_version += 0x10000;
}

static void major_zero(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    (void)ring;
    header->abi_version &= 0xFFFF;
}

static void size_too_small(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    (void)ring;
    header->size_bytes--;
}

static void size_over_mapping(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    header->size_bytes = (uint32_t)ring->memory.size + 1;
}

static void entry_count_zero(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    (void)ring;
    header->entry_count = 0;
}

static void entry_count_odd(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    (void)ring;
    header->entry_count = 3;
}

static void entry_count_huge(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    (void)ring;
    /* times a stride of 64 is 2^37: must not be taken modulo 2^32 */
    header->entry_count = 0x80000000;
}

static void header_stride_small(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    (void)ring;
    header->entry_stride_bytes = 60;
}

static void stride_huge(struct aerogpu_ring_header *header, const struct agpu_ring *ring)
{
    (void)ring;
    header->entry_stride_bytes = 0xFFFFFFC0;
}

static bool header_post_empty(struct agpu_test *t)
{
    struct agpu_submission submission = {.fence = ++t->env->rig.fence};

    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

/* The entry that the bad header kept from running runs once the header is good again. */
static void runs_when_repaired(struct agpu_test *t)
{
    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL),
                      AEROGPU_RING_CONTROL_ENABLE);
    agpu_store_barrier();
    agpu_doorbell(&t->env->ring);
    agpu_check_ok(t, agpu_fence_wait(&t->env->ring, t->env->rig.fence));
    agpu_check_head(t, 1);
}

static void bad_header(struct agpu_test *t)
{
    const struct header_fault *fault = t->test_case->arg;
    struct aerogpu_ring_header *header = agpu_ring_header(&t->env->ring);
    struct aerogpu_ring_header good;
    struct agpu_error_info before = agpu_error_info(t->env);

    agpu_return_unless(header_post_empty(t));
    good = *header;
    fault->damage(header, &t->env->ring);
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(agpu_wait_error_count(t, before.count + 1));
    agpu_check_error(t, &before, 0, fault->code);
    agpu_check_head(t, 0);
    agpu_check_completed(t, 0);
    *header = good;
    runs_when_repaired(t);
}

static void header_newer_minor(struct agpu_test *t)
{
    agpu_ring_header(&t->env->ring)->abi_version |= 0xFFFF;
    agpu_run_empty(t);
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, 0);
}

static void header_ignored_fields(struct agpu_test *t)
{
    struct aerogpu_ring_header *header = agpu_ring_header(&t->env->ring);

    header->flags = UINT32_MAX;
    header->reserved0 = UINT32_MAX;
    header->reserved1 = UINT32_MAX;
    header->reserved2[0] = UINT64_MAX;
    agpu_run_empty(t);
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, 0);
    agpu_check_eq_hex(t, header->flags, UINT32_MAX);
}

static void pending_too_many(struct agpu_test *t)
{
    struct aerogpu_ring_header *header = agpu_ring_header(&t->env->ring);
    struct agpu_error_info before = agpu_error_info(t->env);
    uint32_t tail = header->entry_count + 1;

    agpu_publish32(&header->tail, tail);
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(agpu_wait_error_count(t, before.count + 1));
    agpu_check_error(t, &before, 0, AEROGPU_ERROR_CMD_DECODE);
    /* All dropped: head catches up, nothing ran. */
    agpu_check_head(t, tail);
    agpu_check_completed(t, 0);
    t->env->ring.tail = tail;
    agpu_run_empty(t);
}

/* A ring register with an unusable value, then the right one again. */
static void bad_register(struct agpu_test *t, uint32_t reg, uint32_t bad, uint32_t code)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_error_info before = agpu_error_info(t->env);
    uint32_t good = agpu_reg_read(function, reg);

    agpu_return_unless(header_post_empty(t));
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write(function, reg, bad);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(agpu_wait_error_count(t, before.count + 1));
    agpu_check_error(t, &before, 0, code);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write(function, reg, good);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_check_head(t, 0);
    runs_when_repaired(t);
}

static void size_register_zero(struct agpu_test *t)
{
    bad_register(t, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0, AEROGPU_ERROR_CMD_DECODE);
}

static void size_register_small(struct agpu_test *t)
{
    bad_register(t, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 64, AEROGPU_ERROR_CMD_DECODE);
}

static void bad_address(struct agpu_test *t, uint64_t address, uint32_t code)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_error_info before = agpu_error_info(t->env);

    agpu_return_unless(header_post_empty(t));
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_doorbell(&t->env->ring);
    agpu_return_unless(agpu_wait_error_count(t, before.count + 1));
    agpu_check_error(t, &before, 0, code);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, t->env->ring.memory.device_address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    runs_when_repaired(t);
}

static void header_address_zero(struct agpu_test *t)
{
    bad_address(t, 0, AEROGPU_ERROR_CMD_DECODE);
}

static void header_address_wraps(struct agpu_test *t)
{
    /* Not even the header fits below 2^64, so no head can be written either. */
    bad_address(t, UINT64_MAX - 31, AEROGPU_ERROR_OOB);
}

#define HEADER_FAULT(function, expected)                                                                     \
    .spec = "ring.md 2", .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_ERROR_INFO, .run = bad_header, \
    .arg = &(const struct header_fault)                                                                      \
    {                                                                                                        \
        function, expected                                                                                   \
    }
#define REGISTER_FAULT(function)                                                                             \
    .spec = "ring.md 2", .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_ERROR_INFO, .run = (function)

static const struct agpu_case cases[] = {
    {.id = "ring.header.newer_minor",
     .spec = "ring.md 1",
     .needs = AGPU_NEED_RING,
     .run = header_newer_minor},
    {.id = "ring.header.ignored_fields",
     .spec = "ring.md 1",
     .needs = AGPU_NEED_RING,
     .run = header_ignored_fields},
    {.id = "ring.header.bad_magic", HEADER_FAULT(header_bad_magic, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.header.bad_major", HEADER_FAULT(header_bad_major, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.header.major_zero", HEADER_FAULT(major_zero, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.header.size_too_small", HEADER_FAULT(size_too_small, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.header.size_over_mapping", HEADER_FAULT(size_over_mapping, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.header.entry_count_zero", HEADER_FAULT(entry_count_zero, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.header.entry_count_not_power_of_two",
     HEADER_FAULT(entry_count_odd, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.header.entry_count_huge", HEADER_FAULT(entry_count_huge, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.header.stride_small", HEADER_FAULT(header_stride_small, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.header.stride_huge", HEADER_FAULT(stride_huge, AEROGPU_ERROR_CMD_DECODE)},
    {.id = "ring.pending.too_many", REGISTER_FAULT(pending_too_many)},
    {.id = "ring.registers.size_zero", REGISTER_FAULT(size_register_zero)},
    {.id = "ring.registers.size_small", REGISTER_FAULT(size_register_small)},
    {.id = "ring.registers.address_zero", REGISTER_FAULT(header_address_zero)},
    {.id = "ring.registers.address_wraps", REGISTER_FAULT(header_address_wraps)},
};

AGPU_CASE_TABLE(agpu_cases_ring_header, cases);
