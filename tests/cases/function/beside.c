/* beside.c: a write to one field of configuration space or one register must not change another, nor lose a pending
 * doorbell (device.md 2, 2.1, 4.2). */
#include "pci/config.h"
#include "pci/registers.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/submit.h"

#define CACHE_LINE_SIZE 0x0Cu
#define LATENCY_TIMER   0x0Du
#define HEADER_BYTES    0x40u

/* Writable fields of the header, and the writable bits of each. */
static const struct beside_field {
    uint8_t offset, size;
    uint16_t mask;
} fields[] = {
    {AGPU_PCI_COMMAND, 2, AGPU_PCI_COMMAND_IO},
    {AGPU_PCI_COMMAND, 2, AGPU_PCI_COMMAND_MEMORY},
    {AGPU_PCI_COMMAND, 2, AGPU_PCI_COMMAND_MASTER},
    {AGPU_PCI_COMMAND, 2, AGPU_PCI_COMMAND_INTX_OFF},
    {CACHE_LINE_SIZE, 1, 0xFF},
    {LATENCY_TIMER, 1, 0xFF},
    {AGPU_PCI_INTERRUPT_LINE, 1, 0xFF},
};
#define FIELDS (sizeof fields / sizeof fields[0])

static uint32_t field_read(const struct agpu_test *t, const struct beside_field *field)
{
    return agpu_config_read(&t->env->function, field->offset, field->size) & field->mask;
}

/* Reads all fields; fields of the same register come from one read. */
static void fields_read(const struct agpu_test *t, uint32_t values[FIELDS])
{
    uint32_t all = 0;

    for (unsigned i = 0; i < FIELDS; i++) {
        if (i == 0 || fields[i].offset != fields[i - 1].offset) {
            all = agpu_config_read(&t->env->function, fields[i].offset, fields[i].size);
        }
        values[i] = all & fields[i].mask;
    }
}

static void field_write(const struct agpu_test *t, const struct beside_field *field, bool set)
{
    const uint32_t all = agpu_config_read(&t->env->function, field->offset, field->size);

    agpu_config_write(&t->env->function, field->offset, field->size,
                      set ? all | field->mask : all & ~(uint32_t)field->mask);
}

/* A write that flips one configuration field must not change any other field, while all others are set and while all
 * are clear. The values that a board stores in the flipped field are not checked. */
static void fields_alone(struct agpu_test *t)
{
    uint32_t before[FIELDS], saved[FIELDS], now[FIELDS];

    fields_read(t, saved);
    for (unsigned set = 0; set < 2; set++) {
        for (unsigned i = 0; i < 2 * FIELDS; i++) { /* two passes record fields that a later write changed */
            field_write(t, &fields[i % FIELDS], set != 0);
            before[i % FIELDS] = field_read(t, &fields[i % FIELDS]);
        }
        for (unsigned turn = 0; turn < 2 * FIELDS; turn++) {
            const struct beside_field *written = &fields[turn / 2];

            field_write(t, written, (set != 0) != (turn % 2 == 0));
            fields_read(t, now);
            for (unsigned i = 0; i < FIELDS; i++) {
                if (i != turn / 2) {
                    agpu_check_place2(t, "config field at", fields[i].offset,
                                      "beside a write of that with mask:", written->mask, now[i], before[i]);
                }
            }
        }
    }
    for (unsigned i = FIELDS; i-- > 0;) {
        const uint32_t all = agpu_config_read(&t->env->function, fields[i].offset, fields[i].size);

        agpu_config_write(&t->env->function, fields[i].offset, fields[i].size,
                          (all & ~(uint32_t)fields[i].mask) | saved[i]);
    }
}

/* A ring reset must not change the configuration header, compared dword by dword after work. */
static void reset_keeps_header(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint32_t line = agpu_config_read(function, AGPU_PCI_INTERRUPT_LINE, 1);
    uint32_t header[HEADER_BYTES / 4];

    agpu_config_write(function, AGPU_PCI_INTERRUPT_LINE, 1, 0xA5);
    for (uint32_t at = 0; at < HEADER_BYTES; at += 4) {
        header[at / 4] = agpu_config_read(function, at, 4);
    }
    for (unsigned i = 0; i < 2; i++) {
        agpu_return_unless(agpu_run_empty(t));
        agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
        t->env->rig.fence = 0;
        for (uint32_t at = 0; at < HEADER_BYTES; at += 4) {
            agpu_check_place(t, "config dword after a ring reset, at", at, agpu_config_read(function, at, 4),
                             header[at / 4]);
        }
    }
    agpu_config_write(function, AGPU_PCI_INTERRUPT_LINE, 1, line);
}

/* Registers for which a write of their present value must have no effect. */
static const uint16_t unchanging[] = {
    AEROGPU_MMIO_REG_RING_GPA_LO,     AEROGPU_MMIO_REG_RING_GPA_HI,    AEROGPU_MMIO_REG_RING_SIZE_BYTES,
    AEROGPU_MMIO_REG_FENCE_GPA_LO,    AEROGPU_MMIO_REG_FENCE_GPA_HI,   AEROGPU_MMIO_REG_RING_CONTROL,
    AEROGPU_MMIO_REG_IRQ_ENABLE,      AEROGPU_MMIO_REG_SCANOUT0_WIDTH, AEROGPU_MMIO_REG_SCANOUT0_FORMAT,
    AEROGPU_MMIO_REG_SCANOUT0_ENABLE, AEROGPU_MMIO_REG_CURSOR_ENABLE,  AEROGPU_MMIO_REG_CURSOR_X,
};

/* Given an enabled ring, a write of its present value to a register must leave the value and the ring unchanged: an
 * empty submission completes after each. */
static void written_again(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    for (unsigned i = 0; i < sizeof unchanging / sizeof unchanging[0]; i++) {
        const uint32_t value = agpu_reg_read(function, unchanging[i]);

        agpu_reg_write(function, unchanging[i], value);
        agpu_check_place(t, "register written with its own value:", unchanging[i],
                         agpu_reg_read(function, unchanging[i]), value);
        agpu_check_place(t, "RING_CONTROL after a write of its own value to register", unchanging[i],
                         agpu_reg_read(function, AEROGPU_MMIO_REG_RING_CONTROL), AEROGPU_RING_CONTROL_ENABLE);
        agpu_return_unless(agpu_run_empty(t));
    }
}

/* Given a doorbell that waits for Bus Master, a register write must not lose it: the fence completes once Bus Master is
 * set. */
static void written_behind_doorbell(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;

    for (unsigned i = 0; i < sizeof unchanging / sizeof unchanging[0]; i++) {
        const struct agpu_submission submission = {.fence = ++t->env->rig.fence};

        agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
        agpu_command_write(function, agpu_command_read(function) & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
        agpu_doorbell(&t->env->ring);
        agpu_reg_write(function, unchanging[i], agpu_reg_read(function, unchanging[i]));
        agpu_function_restore(function);
        if (!agpu_check_ok(t, agpu_fence_wait(&t->env->ring, submission.fence))) {
            agpu_check_place(t, "a fence after a doorbell without Bus Master and a write of register",
                             unchanging[i], agpu_fence_mmio_value(function), submission.fence);
            return;
        }
    }
}

#define BESIDE_CASE(name, section, need, function)                                                           \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = (need), .run = (function)                                  \
    }

static const struct agpu_case function_beside_cases[] = {
    BESIDE_CASE("discovery.config.fields_alone", "device.md 2", AGPU_NEED_FUNCTION, fields_alone),
    BESIDE_CASE("ring.reset.keeps_configuration", "device.md 4.2", AGPU_NEED_RING, reset_keeps_header),
    BESIDE_CASE("ring.registers.written_again", "device.md 4.2", AGPU_NEED_RING, written_again),
    BESIDE_CASE("ring.registers.written_behind_doorbell", "device.md 2.1", AGPU_NEED_RING,
                written_behind_doorbell),
};

AGPU_CASE_TABLE(agpu_cases_function_beside, function_beside_cases);
