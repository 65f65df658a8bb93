/* test_fence.c: 64-bit fences on top of 32-bit numbers that never wrap and outlive the driver (legacy.md 3). */
#include "tests/unit/ring_legacy/fixture.h"

static uint64_t completed(void)
{
    uint64_t value;

    assert_int_equal(agpu_legacy_completed(&fixture.ring, &value), AGPU_OK);
    return value;
}

static void complete_number(uint64_t fence)
{
    assert_int_equal(fixture_post(fence), AGPU_OK);
    agpu_legacy_doorbell(&fixture.ring);
    fixture_consume();
}

FIXTURE(fixture_setup_ring, fixture_teardown);

TEST(numbers_continue)
{
    *fixture_reg(AEROGPU_LEGACY_REG_FENCE_COMPLETED) = 1000; /* left by an earlier driver */
    assert_int_equal(agpu_legacy_reset(&fixture.ring), AGPU_OK);
    assert_int_equal(completed(), 0);
    assert_int_equal(fixture_post(1), AGPU_OK);
    assert_int_equal(fixture_entry(0)->fence, 1001);
    assert_int_equal(fixture_descriptor(0)->fence, 1001);
    agpu_legacy_doorbell(&fixture.ring);
    assert_int_equal(completed(), 0);
    fixture_consume();
    assert_int_equal(completed(), 1);
}

TEST(passes_2_32)
{
    for (uint64_t n = 0; n < 4; n++) {
        complete_number(UINT64_C(0xFFFFFFFE) + n);
        assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_FENCE_COMPLETED), n + 1);
        assert_int_equal(completed(), UINT64_C(0xFFFFFFFE) + n);
    }
    assert_int_equal(fixture_post(UINT64_C(0x500000000000)), AGPU_ERR_LOST); /* too many numbers at once */
}

TEST(clamps)
{
    assert_int_equal(fixture_post(1), AGPU_OK);
    assert_int_equal(fixture_post(2), AGPU_OK);
    *fixture_reg(AEROGPU_LEGACY_REG_FENCE_COMPLETED) = 50;
    assert_int_equal(completed(), 2);
}

TEST(backwards_is_lost)
{
    uint64_t value;

    complete_number(1);
    complete_number(2);
    assert_int_equal(completed(), 2);
    *fixture_reg(AEROGPU_LEGACY_REG_FENCE_COMPLETED) = 0; /* the function was reset */
    assert_int_equal(agpu_legacy_completed(&fixture.ring, &value), AGPU_ERR_LOST);
    fixture.machine.gone = true;
    assert_int_equal(agpu_legacy_completed(&fixture.ring, &value), AGPU_ERR_LOST);
}

TEST(all_ones_is_a_number)
{
    *fixture_reg(AEROGPU_LEGACY_REG_FENCE_COMPLETED) = UINT32_MAX - 1;
    assert_int_equal(agpu_legacy_reset(&fixture.ring), AGPU_OK);
    complete_number(1);
    assert_int_equal(completed(), 1);
    assert_int_equal(fixture_post(2), AGPU_ERR_LOST);
    assert_non_null(strstr(fixture.machine.log, "power-cycle"));
    assert_int_equal(fixture.ring.last_submitted, 1);
    assert_int_equal(fixture_post(0), AGPU_OK); /* needs no number */
}

TEST(late_completion_after_reset)
{
    for (uint64_t fence = 1; fence <= 3; fence++) {
        assert_int_equal(fixture_post(fence), AGPU_OK);
    }
    assert_int_equal(agpu_legacy_reset(&fixture.ring), AGPU_OK);
    assert_int_equal(fixture_post(10), AGPU_OK);
    assert_int_equal(fixture_entry(0)->fence, 4);
    *fixture_reg(AEROGPU_LEGACY_REG_FENCE_COMPLETED) = 3; /* the dropped work completes after all */
    assert_int_equal(completed(), 0);
    *fixture_reg(AEROGPU_LEGACY_REG_FENCE_COMPLETED) = 4;
    assert_int_equal(completed(), 10);
}

TEST(odd_numbers)
{
    assert_int_equal(fixture_post(0), AGPU_OK);
    assert_int_equal(fixture_entry(0)->fence, 0);
    complete_number(7);
    assert_int_equal(fixture_post(6), AGPU_ERR_INVALID); /* below the first fence */
    complete_number(7);                                  /* a duplicate has the same number */
    assert_int_equal(fixture_entry(2)->fence, 1);
    assert_int_equal(completed(), 7);
    complete_number(9);
    assert_int_equal(fixture_entry(3)->fence, 3);
}

static void completes_later(struct fake_pci_machine *machine)
{
    if (machine->relaxes == 5) {
        fixture_consume();
    }
}

TEST(waits)
{
    assert_int_equal(fixture_post(1), AGPU_OK);
    agpu_legacy_doorbell(&fixture.ring);
    fixture.machine.relaxes = 0;
    fixture.machine.on_relax = completes_later;
    assert_int_equal(agpu_legacy_wait_fence(&fixture.ring, 1), AGPU_OK);
    assert_int_equal(agpu_legacy_wait_fence(&fixture.ring, 2), AGPU_ERR_TIMEOUT);
    fixture.machine.gone = true;
    assert_int_equal(agpu_legacy_wait_fence(&fixture.ring, 2), AGPU_ERR_LOST);
}
