/* test_ring.c: the ring on a fake device that is slow, dead, inconsistent, or has translated addresses: states that the
 * model does not have (device.md 4.2, ring.md 1, 4, 5, 8). */
#include <string.h>

#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/quiesce.h"
#include "ring/ring.h"
#include "ring/ring_transport.h"
#include "tests/unit/pci/fake_machine.h"
#include "tests/unit/test.h"

static struct fake_pci_machine machine;
static struct agpu_function function;
static struct agpu_ring ring;
static unsigned reset_delay; /* relaxes until the memory part of a reset */
static bool reset_pending;
static bool reset_head, reset_page, reset_register; /* parts of the fake's reset */
static bool enabled_before_reset_done;
static bool moved_while_enabled; /* an address was written while the ring was enabled */
static unsigned doorbells;

static void memory_part(struct fake_pci_machine *m)
{
    struct aerogpu_ring_header *header = fake_translate(m, fake_reg64(m, AEROGPU_MMIO_REG_RING_GPA_LO));
    struct aerogpu_fence_page *page = fake_translate(m, fake_reg64(m, AEROGPU_MMIO_REG_FENCE_GPA_LO));

    /* The driver must write device addresses of live memory. */
    assert_non_null(header);
    if (reset_head) {
        header->head = header->tail;
    }
    if (reset_page && page != NULL) {
        page->completed_fence = 0;
    }
    reset_pending = false;
}

static void device_write(struct fake_pci_machine *m, uint32_t reg, uint32_t value)
{
    if (reg == AEROGPU_MMIO_REG_DOORBELL) {
        doorbells++;
    }
    if ((reg == AEROGPU_MMIO_REG_RING_GPA_LO || reg == AEROGPU_MMIO_REG_FENCE_GPA_LO) &&
        (m->regs[AEROGPU_MMIO_REG_RING_CONTROL / 4] & AEROGPU_RING_CONTROL_ENABLE) != 0) {
        moved_while_enabled = true;
    }
    if (reg != AEROGPU_MMIO_REG_RING_CONTROL) {
        return;
    }
    if (value & AEROGPU_RING_CONTROL_RESET) {
        if (reset_register) {
            fake_reg64_set(m, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 0);
        }
        reset_pending = true;
        if (reset_delay == 0) {
            memory_part(m);
        }
    } else if ((value & AEROGPU_RING_CONTROL_ENABLE) && reset_pending) {
        enabled_before_reset_done = true;
    }
}

static void device_relax(struct fake_pci_machine *m)
{
    if (reset_pending && reset_delay != 0 && m->relaxes >= reset_delay) {
        memory_part(m);
    }
}

static int setup(void **state)
{
    struct agpu_pci_found found;

    (void)state;
    fake_machine_init(&machine);
    fake_machine_add_aerogpu(&machine);
    assert_int_equal(agpu_scan_known(&machine.platform, &found, 1), 1);
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, NULL), AGPU_OK);
    machine.on_write = device_write;
    machine.on_relax = device_relax;
    reset_delay = 0;
    reset_pending = enabled_before_reset_done = moved_while_enabled = false;
    reset_head = reset_page = reset_register = true;
    doorbells = 0;
    memset(&ring, 0, sizeof ring);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    agpu_ring_stop(&ring);
    assert_int_equal(machine.dma_live, 0);
    return 0;
}

static enum agpu_status start_ring(struct agpu_ring_config config)
{
    return agpu_ring_start(&ring, &function, 0x3F, &config);
}

static void start_default(void)
{
    assert_int_equal(start_ring((struct agpu_ring_config){0}), AGPU_OK);
}

FIXTURE(setup, teardown);

TEST(programs_device_addresses)
{
    const struct aerogpu_ring_header *header;

    start_default();
    assert_ptr_not_equal((void *)(uintptr_t)ring.memory.device_address, ring.memory.cpu);
    assert_true(fake_reg64(&machine, AEROGPU_MMIO_REG_RING_GPA_LO) == ring.memory.device_address);
    assert_true(fake_reg64(&machine, AEROGPU_MMIO_REG_FENCE_GPA_LO) == ring.page.device_address);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_RING_CONTROL / 4], AEROGPU_RING_CONTROL_ENABLE);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4], 0);
    header = agpu_ring_header(&ring);
    assert_int_equal(header->magic, AEROGPU_RING_MAGIC);
    assert_int_equal(header->size_bytes, 64 + 64 * 64);
    assert_true(header->size_bytes <= machine.regs[AEROGPU_MMIO_REG_RING_SIZE_BYTES / 4]);
    assert_int_equal(header->head, 0);
    assert_int_equal(header->tail, 0);
    assert_int_equal(agpu_fence_page_value(&ring), 0);
    assert_false(moved_while_enabled);
    assert_int_equal(agpu_ring_stop(&ring), AGPU_OK); /* starts a ring that was left enabled */
    machine.regs[AEROGPU_MMIO_REG_RING_CONTROL / 4] = AEROGPU_RING_CONTROL_ENABLE;
    moved_while_enabled = false;
    start_default();
    assert_false(moved_while_enabled);
}

TEST(waits_for_a_late_reset)
{
    reset_delay = 700;
    start_default();
    assert_false(enabled_before_reset_done);
    assert_int_equal(agpu_ring_head(&ring), 0);
}

TEST(each_sign_is_needed)
{
    static bool *const signs[] = {&reset_head, &reset_page, &reset_register};
    static const char *const found[] = {"head == tail, found 0xffffffff and 0x0",
                                        "fence page 0, found 0xdead", "COMPLETED_FENCE 0, found 0x5"};

    for (unsigned i = 0; i < 3; i++) {
        uint64_t before = machine.now_ns;

        fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 5);
        *signs[i] = false;
        assert_int_equal(start_ring((struct agpu_ring_config){0}), AGPU_ERR_TIMEOUT);
        assert_in_range(machine.now_ns - before, 2000000000, 2100000000);
        assert_non_null(strstr(machine.log, found[i]));
        *signs[i] = true;
        /* Nothing is still allocated, and the memory was freed without bus mastering. */
        assert_int_equal(machine.dma_live, 0);
        assert_int_equal(machine.command_at_free & AGPU_PCI_COMMAND_MASTER, 0);
        assert_int_equal(agpu_command_read(&function) & AGPU_PCI_COMMAND_MASTER, AGPU_PCI_COMMAND_MASTER);
        assert_true(fake_reg64(&machine, AEROGPU_MMIO_REG_RING_GPA_LO) == 0);
    }
}

/* COMPLETED_FENCE is 0 in both halves after a reset (device.md 4.2). */
TEST(upper_half_of_a_reset)
{
    start_default();
    reset_register = false;
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 0x200000000);
    assert_int_equal(agpu_ring_reset(&ring), AGPU_ERR_TIMEOUT);
    reset_register = true;
    assert_int_equal(agpu_ring_stop(&ring), AGPU_OK);
}

TEST(dead_device_is_lost_at_once)
{
    uint64_t before = machine.now_ns;

    machine.gone = true;
    assert_int_equal(start_ring((struct agpu_ring_config){0}), AGPU_ERR_LOST);
    assert_true(machine.now_ns - before < 1000000);
    assert_int_equal(machine.dma_live, 0);
}

TEST(no_memory)
{
    for (unsigned allowed = 1; allowed <= 2; allowed++) {
        machine.dma_failing = allowed;
        assert_int_equal(start_ring((struct agpu_ring_config){0}), AGPU_ERR_NO_MEMORY);
        assert_int_equal(machine.dma_live, 0);
    }
    machine.dma_failing = 0;
}

TEST(bad_layouts)
{
    static const struct agpu_ring_config bad[] = {
        {.entry_count = 3},   {.entry_count = 0x80000000}, {.entry_stride = 63},
        {.entry_stride = 32}, {.entry_stride = 96},        {.entry_stride = 65536},
    };

    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(start_ring(bad[i]), AGPU_ERR_INVALID);
    }
}

TEST(full_ring_is_busy)
{
    struct agpu_submission submission = {.fence = 1};

    assert_int_equal(start_ring((struct agpu_ring_config){.entry_count = 4, .first_index = 0xFFFFFFFE}),
                     AGPU_OK);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(agpu_ring_has_room(&ring));
        assert_int_equal(agpu_ring_post(&ring, &submission), AGPU_OK);
        submission.fence++;
    }
    assert_false(agpu_ring_has_room(&ring));
    assert_int_equal(agpu_ring_post(&ring, &submission), AGPU_ERR_BUSY);
    assert_int_equal(agpu_ring_header(&ring)->tail, 2);
    assert_int_equal(ring.last_submitted, 4);
    assert_int_equal(agpu_ring_wait_room(&ring), AGPU_ERR_TIMEOUT);
    machine.gone = true;
    assert_int_equal(agpu_ring_wait_room(&ring), AGPU_ERR_LOST);
    machine.gone = false;
    agpu_ring_header(&ring)->head = 0xFFFFFFFF;
    assert_int_equal(agpu_ring_wait_room(&ring), AGPU_OK);
    assert_int_equal(agpu_ring_post(&ring, &submission), AGPU_OK);
}

TEST(corrupt_head_looks_full)
{
    start_default();
    agpu_ring_header(&ring)->head = 12345; /* ahead of the tail */
    assert_false(agpu_ring_has_room(&ring));
}

TEST(posts_descriptors)
{
    struct agpu_submission submission = {
        .cmd_address = 0x123456789000,
        .cmd_size = 100,
        .table_address = 0xABCDEF000,
        .table_size = 56,
        .flags = AEROGPU_SUBMIT_FLAG_PRESENT,
        .context_id = 7,
        .fence = 42,
    };
    const struct aerogpu_submit_desc *slot;

    assert_int_equal(start_ring((struct agpu_ring_config){.entry_count = 4, .entry_stride = 128}), AGPU_OK);
    ring.tail = 0;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(agpu_ring_post(&ring, &submission), AGPU_OK);
    }
    slot = (const void *)((uint8_t *)ring.memory.cpu + 64 + 2 * 128);
    assert_int_equal(slot->desc_size_bytes, 64);
    assert_int_equal(slot->flags, 1);
    assert_int_equal(slot->context_id, 7);
    assert_true(slot->cmd_gpa == 0x123456789000);
    assert_int_equal(slot->cmd_size_bytes, 100);
    assert_true(slot->alloc_table_gpa == 0xABCDEF000);
    assert_int_equal(slot->alloc_table_size_bytes, 56);
    assert_int_equal(slot->signal_fence, 42);
    assert_int_equal(doorbells, 0);
    agpu_doorbell(&ring);
    assert_int_equal(doorbells, 1);
}

TEST(refuses_bad_submissions)
{
    static const struct agpu_submission bad[] = {
        {.cmd_address = 4096},
        {.cmd_size = 24},
        {.table_address = 4096},
        {.table_size = 24},
        {.cmd_address = UINT64_MAX - 23, .cmd_size = 24},
        {.table_address = UINT64_MAX, .table_size = 24},
    };
    struct aerogpu_submit_desc desc;

    start_default();
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(agpu_ring_describe(&bad[i], &desc), AGPU_ERR_INVALID);
        assert_int_equal(agpu_ring_post(&ring, &bad[i]), AGPU_ERR_INVALID);
    }
    assert_int_equal(agpu_ring_header(&ring)->tail, 0);
}

static struct aerogpu_fence_page *page(void)
{
    return ring.page.cpu;
}

static void submit_up_to(uint64_t fence)
{
    struct agpu_submission submission = {.fence = fence};

    assert_int_equal(agpu_ring_post(&ring, &submission), AGPU_OK);
}

TEST(page_is_believed_in_range)
{
    uint64_t value;

    start_default();
    submit_up_to(10);
    page()->completed_fence = 4;
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    assert_int_equal(value, 4);
}

TEST(registers_decide_when_the_page_lies)
{
    uint64_t value;

    start_default();
    submit_up_to(10);
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 6);
    page()->completed_fence = 11; /* not a submitted fence */
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    assert_int_equal(value, 6);
    page()->completed_fence = 10; /* the last fence, before the register shows it */
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    assert_int_equal(value, 10);
}

TEST(page_does_not_go_back)
{
    uint64_t value;

    start_default();
    submit_up_to(10);
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 6);
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    page()->completed_fence = 7;
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    assert_int_equal(value, 7);
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 7);
    page()->completed_fence = 3; /* backwards */
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    assert_int_equal(value, 7);
}

TEST(values_are_clamped)
{
    uint64_t value;

    assert_int_equal(start_ring((struct agpu_ring_config){.no_fence_page = true}), AGPU_OK);
    assert_null(ring.page.cpu);
    submit_up_to(10);
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 1000);
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    assert_int_equal(value, 10);
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 2);
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    assert_int_equal(value, 10);
}

TEST(wait_times_out)
{
    uint64_t before;

    start_default();
    submit_up_to(10);
    before = machine.now_ns;
    assert_int_equal(agpu_fence_wait(&ring, 10), AGPU_ERR_TIMEOUT);
    assert_in_range(machine.now_ns - before, 2000000000, 2100000000);
}

TEST(wait_sees_registers_without_page)
{
    uint64_t before;

    start_default();
    submit_up_to(10);
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 10);
    before = machine.now_ns;
    assert_int_equal(agpu_fence_wait(&ring, 10), AGPU_OK);
    assert_true(machine.now_ns - before < 2000000);
}

static void device_vanishes(struct fake_pci_machine *m)
{
    m->gone = m->relaxes > 100;
}

TEST(wait_sees_the_device_vanish)
{
    start_default();
    submit_up_to(10);
    machine.relaxes = 0;
    machine.on_relax = device_vanishes;
    assert_int_equal(agpu_fence_wait(&ring, 10), AGPU_ERR_LOST);
    assert_true(machine.relaxes < 2000);
    machine.gone = false;
    machine.on_relax = device_relax;
}

TEST(reset_starts_afresh)
{
    struct agpu_transport transport;
    struct agpu_submission submission = {.fence = 3};
    uint64_t value;

    assert_int_equal(start_ring((struct agpu_ring_config){.entry_count = 4, .first_index = 9}), AGPU_OK);
    transport = agpu_ring_transport(&ring);
    while (transport.has_room(transport.ctx)) {
        assert_int_equal(transport.submit(transport.ctx, &submission), AGPU_OK);
    }
    assert_int_equal(transport.submit(transport.ctx, &submission), AGPU_ERR_BUSY);
    assert_int_equal(doorbells, 4);
    assert_int_equal(transport.reset(transport.ctx), AGPU_OK);
    assert_true(transport.has_room(transport.ctx));
    assert_int_equal(agpu_ring_head(&ring), 9);
    assert_int_equal(transport.completed_fence(transport.ctx, &value), AGPU_OK);
    assert_int_equal(value, 0);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_RING_CONTROL / 4], AEROGPU_RING_CONTROL_ENABLE);
}

TEST(stop_releases_a_dead_device)
{
    start_default();
    machine.gone = true;
    assert_int_equal(agpu_ring_stop(&ring), AGPU_ERR_LOST);
    assert_int_equal(machine.dma_live, 0);
    assert_int_equal(agpu_ring_stop(&ring), AGPU_OK); /* a second stop has no effect */
    machine.gone = false;
}

/* Registers by which the device reaches memory or the interrupt line. */
static const uint16_t dangerous[] = {
    AEROGPU_MMIO_REG_RING_GPA_LO,          AEROGPU_MMIO_REG_RING_GPA_HI,
    AEROGPU_MMIO_REG_RING_SIZE_BYTES,      AEROGPU_MMIO_REG_FENCE_GPA_LO,
    AEROGPU_MMIO_REG_FENCE_GPA_HI,         AEROGPU_MMIO_REG_IRQ_ENABLE,
    AEROGPU_MMIO_REG_SCANOUT0_ENABLE,      AEROGPU_MMIO_REG_SCANOUT0_WIDTH,
    AEROGPU_MMIO_REG_SCANOUT0_HEIGHT,      AEROGPU_MMIO_REG_SCANOUT0_FORMAT,
    AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO,
    AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI,   AEROGPU_MMIO_REG_CURSOR_ENABLE,
    AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO,     AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI,
};
#define DANGEROUS (sizeof dangerous / sizeof dangerous[0])

static void set_dangerous(void)
{
    for (size_t i = 0; i < DANGEROUS; i++) {
        machine.regs[dangerous[i] / 4] = 0x1000;
    }
}

TEST(quiesce_clears_what_is_dangerous)
{
    machine.on_write = NULL; /* a reset of a device without a ring */
    set_dangerous();
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = 0;
    assert_int_equal(agpu_ring_quiesce(&function, 0x3F), AGPU_OK);
    for (size_t i = 0; i < DANGEROUS; i++) {
        assert_int_equal(machine.regs[dangerous[i] / 4], 0);
    }
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_RING_CONTROL / 4], AEROGPU_RING_CONTROL_RESET);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ACK / 4], UINT32_MAX);
    set_dangerous(); /* registers of a missing feature are not written */
    assert_int_equal(agpu_ring_quiesce(&function, 0), AGPU_OK);
    for (size_t i = 0; i < DANGEROUS; i++) {
        const bool always = i < 3 || dangerous[i] == AEROGPU_MMIO_REG_IRQ_ENABLE;

        assert_int_equal(machine.regs[dangerous[i] / 4], always ? 0 : 0x1000);
    }
}

TEST(quiesce_waits_for_fence_and_status)
{
    machine.on_write = NULL;
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 5);
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = 0;
    assert_int_equal(agpu_ring_quiesce(&function, 0x3F), AGPU_ERR_TIMEOUT);
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 0);
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = 1;
    assert_int_equal(agpu_ring_quiesce(&function, 0x3F), AGPU_ERR_TIMEOUT);
}

TEST(stop_takes_the_addresses_away)
{
    start_default();
    machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4] = 3;
    machine.regs[AEROGPU_MMIO_REG_IRQ_ACK / 4] = 0;
    assert_int_equal(agpu_ring_stop(&ring), AGPU_OK);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(machine.regs[dangerous[i] / 4], 0);
    }
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ACK / 4], UINT32_MAX);
}

static void expect_no_address(void)
{
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(machine.regs[dangerous[i] / 4], 0);
    }
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_RING_CONTROL / 4], 0);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ACK / 4], UINT32_MAX);
}

/* A driver that leaves D0 keeps the memory of its ring; a start without a sign of the reset frees it. */
TEST(suspends_and_resumes)
{
    assert_int_equal(start_ring((struct agpu_ring_config){.entry_count = 8, .first_index = 5}), AGPU_OK);
    const struct agpu_dma memory = ring.memory;
    machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4] = 3;
    submit_up_to(2);
    assert_int_equal(agpu_ring_suspend(&ring), AGPU_OK);
    expect_no_address();
    assert_ptr_equal(ring.memory.cpu, memory.cpu);
    memset(memory.cpu, 0xEE, memory.size);
    assert_int_equal(agpu_ring_resume(&ring), AGPU_OK);
    assert_true(fake_reg64(&machine, AEROGPU_MMIO_REG_RING_GPA_LO) == memory.device_address);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_RING_CONTROL / 4], AEROGPU_RING_CONTROL_ENABLE);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4], 0);
    assert_int_equal(agpu_ring_header(&ring)->head, 5);
    assert_int_equal(agpu_ring_header(&ring)->tail, 5);
    assert_int_equal(ring.last_submitted, 0);
    reset_head = false;
    assert_int_equal(agpu_ring_resume(&ring), AGPU_ERR_TIMEOUT);
    expect_no_address();
    assert_int_equal(agpu_ring_stop(&ring), AGPU_ERR_TIMEOUT);
    assert_int_equal(start_ring((struct agpu_ring_config){0}), AGPU_ERR_TIMEOUT);
    expect_no_address();
    assert_int_equal(machine.dma_live, 0);
}

/* A removed device reads as all ones everywhere. Here the other registers answer, so the device is present. */
TEST(all_ones_of_a_present_device_is_clamped)
{
    uint64_t value;

    assert_int_equal(start_ring((struct agpu_ring_config){.no_fence_page = true}), AGPU_OK);
    submit_up_to(10);
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, UINT64_MAX);
    assert_int_equal(agpu_fence_completed(&ring, &value), AGPU_OK);
    assert_int_equal(value, 10);
}

TEST(handler_is_bounded)
{
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = 3; /* asserted again after each acknowledge */
    assert_int_equal(agpu_irq_service(&function), 3);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ACK / 4], 3);
}

/* They are acknowledged, and are no interrupt of this function: the line may be that of another. */
TEST(handler_ignores_bits_without_a_meaning)
{
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = 0x7FFFFFFC;
    assert_int_equal(agpu_irq_service(&function), 0);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ACK / 4], 0x7FFFFFFC);
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = UINT32_MAX;
    assert_int_equal(agpu_irq_service(&function), 0x80000003);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ACK / 4], UINT32_MAX);
}
