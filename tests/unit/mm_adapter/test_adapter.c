/* test_adapter.c: polls read the device rarely, and the interrupt routine passes on the causes that it read (vidmm.md
 * 7). */
#include <string.h>

#include "mm/kmd/isr.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/unit/pci/fake_machine.h"
#include "tests/unit/test.h"

static struct fake_pci_machine machine;
static struct agpu_function function;
static struct agpu_abi abi;
static struct agpu_ring ring;
static struct agpu_kmd_adapter adapter;
static struct aerogpu_fence_page page;
static unsigned status_reads;
static bool (*handler)(void *ctx);
static void *handler_ctx;
static enum agpu_irq_way way_asked;
static enum agpu_status irq_answer;

static void adapter_reads(struct fake_pci_machine *m, uint32_t reg)
{
    (void)m;
    status_reads += reg == AEROGPU_MMIO_REG_IRQ_STATUS;
}

static void adapter_writes(struct fake_pci_machine *m, uint32_t reg, uint32_t value)
{
    if (reg == AEROGPU_MMIO_REG_IRQ_ACK) {
        m->regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] &= ~value;
    }
}

static enum agpu_status open_irq(void *ctx, const struct agpu_pci_ref *ref, enum agpu_irq_way way,
                                 bool (*routine)(void *), void *routine_ctx, struct agpu_text *why)
{
    (void)ctx;
    (void)ref;
    (void)why;
    handler = routine;
    handler_ctx = routine_ctx;
    way_asked = way;
    return irq_answer;
}

static void close_irq(void *ctx, const struct agpu_pci_ref *ref, struct agpu_irq_counts *out)
{
    (void)ctx;
    (void)ref;
    (void)out;
    handler = NULL;
}

static int setup(void **state)
{
    struct agpu_pci_found found;

    (void)state;
    fake_machine_init(&machine);
    fake_machine_add_aerogpu(&machine);
    machine.platform.irq_open = open_irq;
    machine.platform.irq_close = close_irq;
    assert_int_equal(agpu_scan_known(&machine.platform, &found, 1), 1);
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, NULL), AGPU_OK);
    machine.on_read = adapter_reads;
    machine.on_write = adapter_writes;
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = 0;
    machine.now_ns = 5000000000;
    abi = (struct agpu_abi){.features = 0x3F};
    page = (struct aerogpu_fence_page){.completed_fence = 5};
    ring = (struct agpu_ring){.function = &function, .platform = &machine.platform, .page = {.cpu = &page}};
    adapter = (struct agpu_kmd_adapter){.function = &function, .abi = &abi, .ring = &ring};
    status_reads = 0;
    irq_answer = AGPU_OK;
    return 0;
}

/* Polls once. Checks whether that read the device. */
static bool asks(bool expected)
{
    const unsigned before = status_reads;
    struct agpu_kmd_interrupt seen;
    bool asked, found;

    memset(&seen, 0xEE, sizeof seen);
    found = agpu_kmd_adapter_poll_interrupt(&adapter, &seen);
    asked = status_reads != before;
    assert_int_equal(asked, expected);
    assert_int_equal(found, seen.causes != 0);
    if (!asked) {
        assert_int_equal(seen.causes, 0);
        assert_false(seen.fault.mmio_readable);
    }
    return found;
}

FIXTURE(setup, NULL);

TEST(asks_after_a_while)
{
    asks(true);
    asks(false);
    machine.now_ns += AGPU_KMD_POLL_NS - 1;
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = AEROGPU_IRQ_SCANOUT_VBLANK;
    asks(false);
    machine.now_ns++;
    assert_true(asks(true));
    asks(false);
    machine.now_ns += AGPU_KMD_POLL_NS;
    assert_false(asks(true));
}

TEST(asks_after_each_move_of_the_page)
{
    asks(true);
    for (unsigned move = 0; move < 3; move++) {
        page.completed_fence++;
        asks(true);
        asks(false);
    }
}

TEST(without_a_page_it_asks_each_time)
{
    ring.page.cpu = NULL;
    asks(true);
    asks(true);
    ring.page.cpu = &page;
    abi.legacy = true;
    machine.on_read = NULL;
    machine.regs[0x300 / 4] = 0;
    assert_false(agpu_kmd_adapter_poll_interrupt(&adapter, &(struct agpu_kmd_interrupt){0}));
    assert_int_equal(adapter.polled_ns, 0);
}

TEST(errors_come_with_their_registers)
{
    struct agpu_kmd_interrupt seen;

    memset(&seen, 0xEE, sizeof seen);
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = AEROGPU_IRQ_FENCE;
    machine.regs[AEROGPU_MMIO_REG_ERROR_CODE / 4] = AEROGPU_ERROR_OOB;
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_ERROR_FENCE_LO, UINT64_C(0x700000009));
    assert_true(agpu_kmd_adapter_service_interrupt(&adapter, &seen));
    assert_int_equal(seen.causes, AEROGPU_IRQ_FENCE);
    assert_int_equal(seen.error_code, 0);
    assert_false(seen.fault.mmio_readable);
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR;
    assert_true(agpu_kmd_adapter_service_interrupt(&adapter, &seen));
    assert_int_equal(seen.causes, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    assert_int_equal(seen.error_code, AEROGPU_ERROR_OOB);
    assert_true(seen.fault.mmio_readable);
    assert_int_equal(seen.fault.mmio_fence, UINT64_C(0x700000009));
    assert_false(agpu_kmd_adapter_service_interrupt(&adapter, &seen));
    assert_int_equal(seen.causes, 0);
}

TEST(the_routine_hands_on)
{
    struct agpu_kmd_isr isr;
    struct agpu_kmd_interrupt seen;

    memset(&isr, 0xEE, sizeof isr);
    assert_int_equal(agpu_kmd_isr_open(&isr, &adapter, AGPU_IRQ_MSI, NULL), AGPU_OK);
    assert_int_equal(way_asked, AGPU_IRQ_MSI);
    agpu_kmd_isr_arm(&isr);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4], AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    memset(&seen, 0xEE, sizeof seen);
    assert_false(agpu_kmd_isr_take(&isr, &seen));
    assert_int_equal(seen.causes, 0);
    assert_false(handler(handler_ctx)); /* another device's interrupt */
    assert_int_equal(isr.interrupts, 0);
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = AEROGPU_IRQ_FENCE;
    machine.regs[AEROGPU_MMIO_REG_ERROR_CODE / 4] = AEROGPU_ERROR_BACKEND;
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_ERROR_FENCE_LO, 77);
    assert_true(handler(handler_ctx));
    assert_int_equal(isr.error_code, 0); /* read only for an error */
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = AEROGPU_IRQ_ERROR;
    assert_true(handler(handler_ctx));
    assert_int_equal(isr.interrupts, 2);
    assert_true(agpu_kmd_isr_take(&isr, &seen));
    assert_int_equal(seen.causes, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    assert_int_equal(seen.error_code, AEROGPU_ERROR_BACKEND);
    assert_int_equal(seen.fault.mmio_fence, 77);
    assert_true(seen.fault.mmio_readable);
    assert_false(agpu_kmd_isr_take(&isr, &seen));
    machine.regs[AEROGPU_MMIO_REG_IRQ_STATUS / 4] = AEROGPU_IRQ_FENCE;
    assert_true(handler(handler_ctx));
    assert_true(agpu_kmd_isr_take(&isr, &seen));
    assert_int_equal(seen.causes, AEROGPU_IRQ_FENCE);
    agpu_kmd_isr_close(&isr);
    assert_null(handler);
    assert_null(isr.adapter);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4], 0);
    machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4] = 7;
    agpu_kmd_isr_close(&isr);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4], 7);
}

TEST(the_routine_of_a_legacy_device)
{
    struct agpu_kmd_isr isr;
    struct agpu_kmd_interrupt seen;

    abi.legacy = true;
    assert_int_equal(agpu_kmd_isr_open(&isr, &adapter, AGPU_IRQ_LINE, NULL), AGPU_OK);
    machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4] = 7;
    agpu_kmd_isr_arm(&isr);
    isr.causes = AEROGPU_IRQ_ERROR;
    assert_true(agpu_kmd_isr_take(&isr, &seen));
    assert_false(seen.fault.mmio_readable);
    agpu_kmd_isr_close(&isr);
    assert_int_equal(machine.regs[AEROGPU_MMIO_REG_IRQ_ENABLE / 4], 7); /* the legacy device has no mask */
    assert_null(handler);
}

TEST(machines_that_take_none)
{
    struct agpu_kmd_isr isr;
    char line[100];
    struct agpu_text why;

    agpu_text_begin(&why, line, sizeof line);
    irq_answer = AGPU_ERR_BUSY;
    assert_int_equal(agpu_kmd_isr_open(&isr, &adapter, AGPU_IRQ_LINE, &why), AGPU_ERR_BUSY);
    assert_null(isr.adapter);
    machine.platform.irq_open = NULL;
    assert_int_equal(agpu_kmd_isr_open(&isr, &adapter, AGPU_IRQ_LINE, &why), AGPU_ERR_PLATFORM);
    assert_null(isr.adapter);
    assert_string_equal(line, "a machine that takes interrupts");
}

/* A reset may have cleared decoding and addresses: both are restored before a register is read. */
TEST(quiet_after_a_reset)
{
    fake_config_set(&machine, 0, AGPU_PCI_COMMAND, 2, 0);
    fake_config_set(&machine, 0, AGPU_PCI_BAR(0), 4, 0);
    assert_int_equal(agpu_kmd_adapter_quiesce(&adapter), AGPU_OK);
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_BAR(0), 4), 0xFE000000);
    assert_int_equal(agpu_command_read(&function) & AGPU_PCI_COMMAND_MEMORY, AGPU_PCI_COMMAND_MEMORY);
    machine.gone = true;
    assert_int_equal(agpu_kmd_adapter_quiesce(&adapter), AGPU_ERR_LOST);
    machine.gone = false;
}
