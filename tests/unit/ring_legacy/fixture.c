/* fixture.c: see fixture.h. */
#include "tests/unit/ring_legacy/fixture.h"

#include "pci/scan.h"

struct legacy_fixture fixture;

uint32_t *fixture_reg(uint32_t reg)
{
    return &fixture.machine.regs[reg / 4];
}

static void on_write(struct fake_pci_machine *machine, uint32_t reg, uint32_t value)
{
    (void)machine;
    assert_true(fixture.write_count < FIXTURE_WRITES);
    fixture.writes[fixture.write_count].reg = reg;
    fixture.writes[fixture.write_count++].value = value;
    if (reg == AEROGPU_LEGACY_REG_RING_ENTRY_COUNT) {
        *fixture_reg(AEROGPU_LEGACY_REG_RING_HEAD) = 0;
        *fixture_reg(AEROGPU_LEGACY_REG_RING_TAIL) = 0;
        if (fixture.stuck) {
            *fixture_reg(reg) = 77;
        }
    }
    if (reg == AEROGPU_LEGACY_REG_INT_ACK) {
        *fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS) &= ~value;
    }
}

int fixture_setup(void **state)
{
    struct agpu_pci_found found;
    unsigned index;

    (void)state;
    memset(&fixture, 0, sizeof fixture);
    fake_machine_init(&fixture.machine);
    index = fake_machine_add_aerogpu(&fixture.machine);
    fake_config_set(&fixture.machine, index, AGPU_PCI_VENDOR_ID, 2, AEROGPU_LEGACY_PCI_VENDOR_ID);
    fake_config_set(&fixture.machine, index, AGPU_PCI_DEVICE_ID, 2, AEROGPU_LEGACY_PCI_DEVICE_ID);
    memset(fixture.machine.regs, 0, sizeof fixture.machine.regs);
    *fixture_reg(AEROGPU_LEGACY_REG_MAGIC) = AEROGPU_LEGACY_MMIO_MAGIC;
    *fixture_reg(AEROGPU_LEGACY_REG_VERSION) = AEROGPU_LEGACY_MMIO_VERSION;
    fixture.machine.on_write = on_write;
    assert_int_equal(agpu_scan_known(&fixture.machine.platform, &found, 1), 1);
    assert_int_equal(agpu_function_open(&fixture.function, &fixture.machine.platform, &found, NULL), AGPU_OK);
    return 0;
}

int fixture_setup_ring(void **state)
{
    fixture_setup(state);
    assert_int_equal(agpu_legacy_start(&fixture.ring, &fixture.function, 0, 5), AGPU_OK);
    fixture.write_count = 0;
    return 0;
}

int fixture_teardown(void **state)
{
    (void)state;
    fixture.machine.gone = false;
    fixture.stuck = false;
    assert_int_equal(agpu_legacy_stop(&fixture.ring), AGPU_OK);
    assert_int_equal(fixture.machine.dma_live, 0);
    return 0;
}

const struct aerogpu_legacy_ring_entry_submit *fixture_entry(uint32_t index)
{
    uint64_t base = (uint64_t)*fixture_reg(AEROGPU_LEGACY_REG_RING_BASE_HI) << 32;

    base |= *fixture_reg(AEROGPU_LEGACY_REG_RING_BASE_LO);
    return fake_translate(&fixture.machine, base + index * sizeof(struct aerogpu_legacy_ring_entry_submit));
}

const struct aerogpu_legacy_submission_desc_header *fixture_descriptor(uint32_t index)
{
    return fake_translate(&fixture.machine, fixture_entry(index)->desc_gpa);
}

void fixture_consume(void)
{
    uint32_t *head = fixture_reg(AEROGPU_LEGACY_REG_RING_HEAD);
    uint32_t *completed = fixture_reg(AEROGPU_LEGACY_REG_FENCE_COMPLETED);

    while (*head != *fixture_reg(AEROGPU_LEGACY_REG_RING_TAIL)) {
        if (fixture_entry(*head)->fence > *completed) {
            *completed = fixture_entry(*head)->fence;
        }
        *head = (*head + 1) % *fixture_reg(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT);
    }
}

enum agpu_status fixture_post(uint64_t fence)
{
    struct agpu_legacy_submission submission = {.type = AGPU_LEGACY_RENDER, .fence = fence};

    return agpu_legacy_post(&fixture.ring, &submission);
}
