/* header.c: the checks of the device at a doorbell: ring registers and header fields (ring.md 1, 2). */
#include <string.h>

#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/order.h"
#include "tests/cases/rig/ring_layout.h"

/* One field of the header, with values that the device must refuse. */
struct header_fault {
    size_t offset;
    uint32_t flip_from, flip_to; /* flips each bit from <= bit < to by itself */
    const uint32_t *values;
    uint32_t count;
    bool from_used;    /* values are relative to the bytes in use */
    bool from_mapping; /* values are relative to RING_SIZE_BYTES */
};

/* A ring of 4 slots of 96 bytes in a mapping of one page: stated, used and mapped size differ. */
#define HEADER_COUNT  4u
#define HEADER_STRIDE 96u
#define HEADER_USED   (64u + HEADER_COUNT * HEADER_STRIDE)

static bool header_ring(struct agpu_test *t)
{
    if (!agpu_ring_room(t, 2048)) {
        return false;
    }
    agpu_ring_lay(t, HEADER_COUNT, HEADER_STRIDE, 0);
    return true;
}

static bool header_post_empty(struct agpu_test *t)
{
    struct agpu_submission submission = {.fence = ++t->env->rig.fence};

    return agpu_check_ok(t, agpu_ring_post(&t->env->ring, &submission));
}

static void header_doorbell(struct agpu_test *t)
{
    agpu_store_barrier();
    agpu_doorbell(&t->env->ring);
}

/* Checks the fence in the register and, if there is one, in the page. */
static bool header_completed(struct agpu_test *t, uint64_t fence)
{
    return agpu_check_page(t, fence) && agpu_check_completed(t, fence);
}

/* Checks that the refused entry runs after the header is repaired, and no other. */
static bool header_recovers(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    const uint32_t errors = agpu_error_count_before(t->env);
    const uint32_t slot = ring->tail - 1;

    agpu_check_eq_hex(t, agpu_reg_read(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL),
                      AEROGPU_RING_CONTROL_ENABLE);
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    header_doorbell(t);
    if (!agpu_check_ok(t, agpu_fence_wait(ring, t->env->rig.fence)) || !agpu_check_head(t, ring->tail) ||
        !header_completed(t, t->env->rig.fence) ||
        !agpu_check_u64(t, agpu_error_count(t->env), errors, "ERROR_COUNT once the fault is repaired", false,
                        AGPU_HERE)) {
        return false;
    }
    agpu_ring_put_decoy(t, slot);
    return true;
}

/* Known devices differ for a size that exceeds only the mapping (ring.md 2). */
static uint32_t header_code(const struct agpu_test *t, size_t offset, uint32_t value)
{
    const bool over_mapping =
        offset == offsetof(struct aerogpu_ring_header, size_bytes) && value > t->env->ring.memory.size;

    if (over_mapping && !t->env->model && agpu_error_code(t->env) == AEROGPU_ERROR_OOB) {
        return AEROGPU_ERROR_OOB;
    }
    return AEROGPU_ERROR_CMD_DECODE;
}

/* Rings once with one field damaged: the device must report an error and do nothing else. */
static bool header_refused(struct agpu_test *t, size_t offset, uint32_t value)
{
    struct agpu_ring *ring = &t->env->ring;
    struct agpu_error_info before = agpu_errors_so_far(t->env);
    struct aerogpu_ring_header good, bad;
    const uint64_t fence = t->env->rig.fence;

    if (!header_post_empty(t)) {
        return false;
    }
    memcpy(&good, ring->memory.cpu, sizeof good);
    memcpy((uint8_t *)ring->memory.cpu + offset, &value, sizeof value);
    memcpy(&bad, ring->memory.cpu, sizeof bad);
    header_doorbell(t);
    if (!agpu_wait_error_count(t, before.count + 1) ||
        !agpu_check_ring_error(t, &before, header_code(t, offset, value)) ||
        !agpu_check_memory(t, ring->memory.cpu, &bad, sizeof bad, "the refused ring header", AGPU_HERE) ||
        !header_completed(t, fence)) {
        return false;
    }
    memcpy(ring->memory.cpu, &good, sizeof good);
    return header_recovers(t);
}

/* Given one header field with an invalid value, a doorbell must report an error and run nothing; the repaired ring must
 * work. */
static void bad_header(struct agpu_test *t)
{
    const struct header_fault *fault = t->test_case->arg;
    uint32_t base = 0;

    agpu_return_unless(header_ring(t));
    for (uint32_t bit = fault->flip_from; bit < fault->flip_to; bit++) {
        uint32_t field;

        memcpy(&field, (const uint8_t *)t->env->ring.memory.cpu + fault->offset, sizeof field);
        agpu_return_unless(header_refused(t, fault->offset, field ^ UINT32_C(1) << bit));
    }
    if (fault->from_used) {
        base = HEADER_USED;
    } else if (fault->from_mapping) {
        base = (uint32_t)t->env->ring.memory.size;
    }
    for (uint32_t i = 0; i < fault->count; i++) {
        agpu_return_unless(header_refused(t, fault->offset, base + fault->values[i]));
    }
    agpu_ring_check_untouched(t);
}

/* Rings once with a valid value in a field. */
static bool header_accepted(struct agpu_test *t, size_t offset, uint32_t value)
{
    uint8_t *header = t->env->ring.memory.cpu;
    uint32_t good, after;
    bool ok;

    memcpy(&good, header + offset, sizeof good);
    memcpy(header + offset, &value, sizeof value);
    ok = agpu_ring_batch(t, 2, false);
    memcpy(&after, header + offset, sizeof after);
    memcpy(header + offset, &good, sizeof good);
    return agpu_check_u64(t, after, value, "the field of the ring header, which is the driver's", true,
                          AGPU_HERE) &&
           ok;
}

#define FIELD(name) offsetof(struct aerogpu_ring_header, name)

/* A ring whose header has another ABI minor, with the same major, must be accepted. */
static void header_newer_minor(struct agpu_test *t)
{
    agpu_return_unless(header_ring(t));
    for (unsigned bit = 0; bit < 16; bit++) {
        agpu_return_unless(header_accepted(t, FIELD(abi_version), 0x10000u | 1u << bit));
    }
    agpu_return_unless(header_accepted(t, FIELD(abi_version), 0x10000u));
    agpu_return_unless(header_accepted(t, FIELD(abi_version), 0x1FFFFu));
    agpu_ring_check_untouched(t);
}

/* A ring must work with any stated size from the bytes in use to the bytes mapped, and with a mapping exactly as large
 * as the bytes in use. */
static void header_sizes(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint32_t mapped;

    agpu_return_unless(header_ring(t));
    mapped = (uint32_t)t->env->ring.memory.size;
    agpu_return_unless(header_accepted(t, FIELD(size_bytes), HEADER_USED + 1));
    agpu_return_unless(header_accepted(t, FIELD(size_bytes), HEADER_USED + 64));
    agpu_return_unless(header_accepted(t, FIELD(size_bytes), mapped - 1));
    agpu_return_unless(header_accepted(t, FIELD(size_bytes), mapped));
    for (uint32_t more = 0; more < 2; more++) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, HEADER_USED + more);
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
        agpu_return_unless(agpu_ring_batch(t, 4, false));
    }
    agpu_ring_check_untouched(t);
}

/* RING_SIZE_BYTES must be treated as unsigned 32 bits, although drivers map no ring so large (ring.md 1). */
static void header_large_mapping(struct agpu_test *t)
{
    static const uint32_t sizes[] = {0x7FFFFFFF, 0x80000000, 0x80001000, 0xFFFFF000, UINT32_MAX};
    const struct agpu_function *function = &t->env->function;

    agpu_return_unless(header_ring(t));
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, sizes[i]);
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
        agpu_return_unless(agpu_ring_batch(t, 4, false));
    }
}

/* Flags and reserved fields of the ring header must be ignored. */
static void header_ignored_fields(struct agpu_test *t)
{
    static const size_t fields[] = {FIELD(flags),          FIELD(reserved0),      FIELD(reserved1),
                                    FIELD(reserved2),      FIELD(reserved2) + 4,  FIELD(reserved2) + 8,
                                    FIELD(reserved2) + 12, FIELD(reserved2) + 16, FIELD(reserved2) + 20};

    agpu_return_unless(header_ring(t));
    for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        agpu_return_unless(header_accepted(t, fields[i], UINT32_MAX));
        agpu_return_unless(header_accepted(t, fields[i], 1));
    }
    agpu_ring_check_untouched(t);
}

/* ---- more entries than there are ---- */

/* Given a tail more than entry_count after the head, a doorbell must report an error, run nothing, and set head to
 * tail. */
static void pending_too_many(struct agpu_test *t)
{
    static const uint32_t pending[] = {HEADER_COUNT + 1, 2 * HEADER_COUNT, 0x101,      0x10001,
                                       0x80000000,       0x80000001,       0xFFFFFFFC, 0xFFFFFFFF};
    struct agpu_ring *ring = &t->env->ring;

    agpu_return_unless(header_ring(t));
    for (unsigned i = 0; i < sizeof pending / sizeof pending[0]; i++) {
        struct agpu_error_info before = agpu_errors_so_far(t->env);
        const uint64_t fence = t->env->rig.fence;

        /* Every slot has a valid descriptor; none of them may run. */
        ring->tail += pending[i];
        agpu_publish32(&agpu_ring_header(ring)->tail, ring->tail);
        header_doorbell(t);
        agpu_return_unless(agpu_wait_error_count(t, before.count + 1));
        agpu_return_unless(agpu_check_ring_error(t, &before, AEROGPU_ERROR_CMD_DECODE));
        agpu_return_unless(agpu_check_head(t, ring->tail));
        agpu_return_unless(agpu_check_completed(t, fence));
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
        agpu_return_unless(agpu_ring_batch(t, HEADER_COUNT, false));
    }
    agpu_ring_check_untouched(t);
}

/* ---- the registers ---- */

/* Rings once with an unusable value in a register. */
static bool register_refused(struct agpu_test *t, uint32_t reg, uint64_t bad, bool pair, uint32_t code)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_error_info before = agpu_errors_so_far(t->env);
    const uint64_t good = pair ? agpu_reg_read64(function, reg) : agpu_reg_read(function, reg);
    const uint32_t head = agpu_ring_head(&t->env->ring);
    const uint64_t fence = t->env->rig.fence;

    if (!header_post_empty(t)) {
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t value = i == 0 ? bad : good;

        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        if (pair) {
            agpu_reg_write64(function, reg, value);
        } else {
            agpu_reg_write(function, reg, (uint32_t)value);
        }
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
        if (i == 0) {
            header_doorbell(t);
            if (!agpu_wait_error_count(t, before.count + 1) || !agpu_check_ring_error(t, &before, code)) {
                return false;
            }
        }
    }
    return agpu_check_head(t, head) && agpu_check_completed(t, fence) && header_recovers(t);
}

/* With RING_SIZE_BYTES 0, a doorbell must report an error and run nothing. */
static void size_register_zero(struct agpu_test *t)
{
    agpu_return_unless(header_ring(t));
    register_refused(t, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0, false, AEROGPU_ERROR_CMD_DECODE);
    agpu_ring_check_untouched(t);
}

/* With RING_SIZE_BYTES below the bytes in use, a doorbell must report an error and run nothing. */
static void size_register_small(struct agpu_test *t)
{
    static const uint32_t sizes[] = {1, 63, 64, 128, HEADER_USED - 1};

    agpu_return_unless(header_ring(t));
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        agpu_return_unless(
            register_refused(t, AEROGPU_MMIO_REG_RING_SIZE_BYTES, sizes[i], false, AEROGPU_ERROR_CMD_DECODE));
    }
    agpu_ring_check_untouched(t);
}

/* With ring address 0, a doorbell must report an error and run nothing. */
static void header_address_zero(struct agpu_test *t)
{
    agpu_return_unless(header_ring(t));
    register_refused(t, AEROGPU_MMIO_REG_RING_GPA_LO, 0, true, AEROGPU_ERROR_CMD_DECODE);
    agpu_ring_check_untouched(t);
}

/* Given a ring that extends past the end of the 64-bit address range, a doorbell must report OOB and run nothing. */
static void header_address_wraps(struct agpu_test *t)
{
    /* Addresses below 2^64: the header does not fit, and no head can be written; the header fits but its slots do not;
     * the ring would end at 2^64 exactly. */
    static const uint64_t below[] = {32, 64, 128, 2048, 4096};

    agpu_return_unless(header_ring(t));
    for (unsigned i = 0; i < sizeof below / sizeof below[0]; i++) {
        agpu_return_unless(register_refused(t, AEROGPU_MMIO_REG_RING_GPA_LO, UINT64_MAX - below[i] + 1, true,
                                            AEROGPU_ERROR_OOB));
    }
    agpu_ring_check_untouched(t);
}

#define HEADER_FAULT(...)                                                                                    \
    .spec = "ring.md 2", .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_ERROR_INFO, .run = bad_header, \
    .arg = &(const struct header_fault)                                                                      \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define VALUES(...)                                                                                          \
    .values = (const uint32_t[]){__VA_ARGS__},                                                               \
    .count = sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
#define REGISTER_FAULT(function)                                                                             \
    .spec = "ring.md 2", .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_ERROR_INFO, .run = (function)

static const struct agpu_case ring_header_cases[] = {
    {.id = "ring.header.newer_minor",
     .spec = "ring.md 1",
     .needs = AGPU_NEED_RING,
     .run = header_newer_minor},
    {.id = "ring.header.sizes", .spec = "ring.md 1", .needs = AGPU_NEED_RING, .run = header_sizes},
    {.id = "ring.header.large_mapping",
     .spec = "ring.md 1",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .run = header_large_mapping},
    {.id = "ring.header.ignored_fields",
     .spec = "ring.md 1",
     .needs = AGPU_NEED_RING,
     .run = header_ignored_fields},
    {.id = "ring.header.bad_magic",
     HEADER_FAULT(FIELD(magic), .flip_to = 32, VALUES(0, UINT32_MAX, AEROGPU_FENCE_PAGE_MAGIC))},
    {.id = "ring.header.bad_major",
     HEADER_FAULT(FIELD(abi_version), .flip_from = 16, .flip_to = 32, VALUES(0x20004, 0xFFFF0004))},
    {.id = "ring.header.major_zero", HEADER_FAULT(FIELD(abi_version), VALUES(0, 1, 4, 0xFFFF))},
    {.id = "ring.header.size_too_small",
     HEADER_FAULT(FIELD(size_bytes), .from_used = true,
                  VALUES(UINT32_MAX, 0xFFFFFFC0, 0u - (HEADER_USED - 64), 0u - HEADER_USED))},
    {.id = "ring.header.size_over_mapping",
     HEADER_FAULT(FIELD(size_bytes), .from_mapping = true, VALUES(1, 64, 0x10000, 0x7FFFE000, 0xFFFFE000))},
    {.id = "ring.header.entry_count_zero", HEADER_FAULT(FIELD(entry_count), VALUES(0))},
    {.id = "ring.header.entry_count_not_power_of_two", HEADER_FAULT(FIELD(entry_count), VALUES(3))},
    {.id = "ring.header.entry_count_over_size",
     HEADER_FAULT(FIELD(entry_count), VALUES(5, 6, 7, 8, 16, 0x10004))},
    /* entry_count times the stride is far above 2^32; the device must not take it modulo 2^32 */
    {.id = "ring.header.entry_count_huge",
     HEADER_FAULT(FIELD(entry_count), VALUES(0x80000000, 0x40000000, 0x08000000, 0xFFFFFFFF))},
    {.id = "ring.header.stride_small", HEADER_FAULT(FIELD(entry_stride_bytes), VALUES(0, 1, 32, 60, 62, 63))},
    {.id = "ring.header.stride_over_size",
     HEADER_FAULT(FIELD(entry_stride_bytes), VALUES(HEADER_STRIDE + 1, 128, 0x10060))},
    {.id = "ring.header.stride_huge",
     HEADER_FAULT(FIELD(entry_stride_bytes), VALUES(0xFFFFFFC0, 0x40000000, 0x80000000, 0xFFFFFFFF))},
    {.id = "ring.pending.too_many", REGISTER_FAULT(pending_too_many)},
    {.id = "ring.registers.size_zero", REGISTER_FAULT(size_register_zero)},
    {.id = "ring.registers.size_small", REGISTER_FAULT(size_register_small)},
    {.id = "ring.registers.address_zero", REGISTER_FAULT(header_address_zero)},
    {.id = "ring.registers.address_wraps", REGISTER_FAULT(header_address_wraps)},
};

AGPU_CASE_TABLE(agpu_cases_ring_header, ring_header_cases);
