/* test_irq.c: one call of the handler, over both interrupt blocks (legacy.md 2). */
#include "ring/legacy_irq.h"
#include "tests/unit/ring_legacy/fixture.h"

static uint32_t written(uint32_t reg)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < fixture.write_count; i++) {
        if (fixture.writes[i].reg == reg) {
            value |= fixture.writes[i].value;
        }
    }
    return value;
}

FIXTURE(fixture_setup_ring, fixture_teardown);

TEST(nothing_pending)
{
    assert_int_equal(agpu_legacy_irq_service(&fixture.function, AEROGPU_LEGACY_FEATURE_VBLANK), 0);
    assert_int_equal(fixture.write_count, 0);
}

TEST(fence)
{
    *fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS) = AEROGPU_LEGACY_INT_FENCE;
    assert_int_equal(agpu_legacy_irq_service(&fixture.function, 0), AGPU_LEGACY_CAUSE_FENCE);
    assert_int_equal(written(AEROGPU_LEGACY_REG_INT_ACK),
                     AEROGPU_LEGACY_INT_FENCE); /* exactly the bits that were read */
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS), 0);
}

TEST(extension_untouched)
{
    *fixture_reg(AEROGPU_LEGACY_REG_IRQ_STATUS) = AEROGPU_LEGACY_IRQ_VBLANK;
    assert_int_equal(agpu_legacy_irq_service(&fixture.function, 0), 0);
    assert_int_equal(fixture.write_count, 0);
}

/* A cause that is asserted again at each read is reported and left pending, and the handler returns. */
TEST(bounded)
{
    *fixture_reg(AEROGPU_LEGACY_REG_IRQ_STATUS) = AEROGPU_LEGACY_IRQ_VBLANK | AEROGPU_LEGACY_IRQ_FENCE;
    assert_int_equal(agpu_legacy_irq_service(&fixture.function, AEROGPU_LEGACY_FEATURE_VBLANK),
                     AGPU_LEGACY_CAUSE_VBLANK);
    assert_int_equal(written(AEROGPU_LEGACY_REG_IRQ_ACK),
                     AEROGPU_LEGACY_IRQ_VBLANK); /* FENCE is acknowledged by INT_ACK */
    assert_true(fixture.write_count <= 8);
}

static void raises_the_other(struct fake_pci_machine *machine, uint32_t reg, uint32_t value)
{
    (void)value;
    machine->on_write = NULL;
    *fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS) = 0;
    *fixture_reg(AEROGPU_LEGACY_REG_IRQ_STATUS) = 0;
    if (reg == AEROGPU_LEGACY_REG_INT_ACK) {
        *fixture_reg(AEROGPU_LEGACY_REG_IRQ_STATUS) = AEROGPU_LEGACY_IRQ_VBLANK;
    } else {
        *fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS) = AEROGPU_LEGACY_INT_FENCE;
    }
}

/* A cause that occurs while the first is handled is reported too. */
TEST(one_after_the_other)
{
    void (*const plain)(struct fake_pci_machine *, uint32_t, uint32_t) = fixture.machine.on_write;

    fixture.machine.on_write = raises_the_other;
    *fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS) = AEROGPU_LEGACY_INT_FENCE;
    assert_int_equal(agpu_legacy_irq_service(&fixture.function, AEROGPU_LEGACY_FEATURE_VBLANK),
                     AGPU_LEGACY_CAUSE_FENCE | AGPU_LEGACY_CAUSE_VBLANK);
    fixture.machine.on_write = raises_the_other;
    *fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS) = 0;
    *fixture_reg(AEROGPU_LEGACY_REG_IRQ_STATUS) = AEROGPU_LEGACY_IRQ_VBLANK;
    assert_int_equal(agpu_legacy_irq_service(&fixture.function, AEROGPU_LEGACY_FEATURE_VBLANK),
                     AGPU_LEGACY_CAUSE_FENCE | AGPU_LEGACY_CAUSE_VBLANK);
    fixture.machine.on_write = plain;
}

TEST(quiesce_masks)
{
    *fixture_reg(AEROGPU_LEGACY_REG_IRQ_ENABLE) = 3;
    assert_int_equal(agpu_legacy_quiesce(&fixture.function, AEROGPU_LEGACY_FEATURE_VBLANK), AGPU_OK);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_IRQ_ENABLE), 0);
    assert_int_equal(written(AEROGPU_LEGACY_REG_IRQ_ACK), UINT32_MAX);
    assert_int_equal(written(AEROGPU_LEGACY_REG_INT_ACK), UINT32_MAX);
}
