/* test_wait.c: bounded waits and names of results (pci/machine/wait.h, pci/machine/status.h). */
#include <string.h>

#include "pci/machine/status.h"
#include "pci/machine/test_system.h"
#include "pci/machine/wait.h"
#include "tests/unit/pci/fake_machine.h"
#include "tests/unit/test.h"

static struct fake_pci_machine machine;

static int setup(void **state)
{
    (void)state;
    fake_machine_init(&machine);
    return 0;
}

static uint64_t polls_until_end(struct agpu_wait *wait)
{
    uint64_t looks = 1;

    while (agpu_wait_again(wait)) {
        looks++;
    }
    return looks;
}

FIXTURE(setup, NULL);

TEST(ends_at_its_bound)
{
    static const enum agpu_relax_reason reasons[] = {AGPU_RELAX_FENCE, AGPU_RELAX_RESET, AGPU_RELAX_ROOM,
                                                     AGPU_RELAX_VBLANK, AGPU_RELAX_IDLE};

    for (unsigned i = 0; i < 5; i++) {
        uint64_t start = machine.now_ns;
        struct agpu_wait wait;

        agpu_wait_begin(&wait, &machine.platform, reasons[i]);
        polls_until_end(&wait);
        assert_true(machine.now_ns - start >= agpu_wait_bound_ns(&machine.platform, reasons[i]));
        assert_true(machine.now_ns - start <=
                    agpu_wait_bound_ns(&machine.platform, reasons[i]) + 2 * machine.step_ns);
    }
    assert_int_equal(agpu_wait_bound_ns(&machine.platform, AGPU_RELAX_FENCE), 2000000000);
    assert_int_equal(agpu_wait_bound_ns(&machine.platform, AGPU_RELAX_VBLANK), 200000000);
}

TEST(polls_once_more)
{
    struct agpu_wait wait;

    machine.step_ns = 60000000000; /* the machine was stopped for a minute */
    agpu_wait_begin(&wait, &machine.platform, AGPU_RELAX_FENCE);
    assert_int_equal(polls_until_end(&wait), 2);
}

TEST(ends_without_a_clock)
{
    struct agpu_wait wait;

    machine.step_ns = 0;
    agpu_wait_begin(&wait, &machine.platform, AGPU_RELAX_FENCE);
    polls_until_end(&wait);
    assert_true(machine.relaxes > 1000000);
}

TEST(bound_does_not_wrap)
{
    struct agpu_wait wait;

    machine.now_ns = UINT64_MAX - 5;
    machine.step_ns = 1;
    agpu_wait_begin(&wait, &machine.platform, AGPU_RELAX_FENCE);
    assert_int_equal(wait.deadline_ns, UINT64_MAX);
    assert_true(agpu_wait_again(&wait));
}

static void again(struct agpu_wait *wait, unsigned looks)
{
    while (looks-- != 0) {
        assert_true(agpu_wait_again(wait));
    }
}

/* At first each relax polls. Later the gap between two polls is half of the time that has passed. */
TEST(polls_become_rare)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, &machine.platform, AGPU_RELAX_FENCE);
    again(&wait, 99);
    assert_int_equal(machine.relaxes, 99);
    assert_int_equal(wait.next_ns, machine.now_ns);
    again(&wait, 1);
    assert_int_equal(wait.next_ns, machine.now_ns + 100000 / 2);
    again(&wait, 1);
    assert_int_equal(machine.relaxes, 100 + 50);
    machine.step_ns = 40000000;
    again(&wait, 1);
    assert_int_equal(wait.next_ns, machine.now_ns + 4000000);
    agpu_wait_begin(&wait, &machine.platform, AGPU_RELAX_VBLANK);
    machine.step_ns = 600000;
    again(&wait, 1);
    assert_int_equal(wait.next_ns, machine.now_ns + 600000 / 2);
    again(&wait, 1);
    assert_int_equal(wait.next_ns, machine.now_ns + 500000);
}

TEST(pace_of_its_own)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, &machine.platform, AGPU_RELAX_FENCE);
    wait.pace_ns = 7000;
    again(&wait, 1);
    assert_int_equal(wait.next_ns, machine.now_ns + 7000);
    again(&wait, 2);
    assert_int_equal(machine.relaxes, 1 + 2 * 7);
}

static bool peeks(const void *ctx)
{
    return *(const uint64_t *)ctx % 3 == 0;
}

TEST(memory_shows_when_to_poll)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, &machine.platform, AGPU_RELAX_FENCE);
    wait.pace_ns = 100000;
    wait.peek = peeks;
    wait.peek_ctx = &machine.relaxes;
    again(&wait, 1);
    assert_int_equal(machine.relaxes, 1);
    again(&wait, 3);
    assert_int_equal(machine.relaxes, 9);
}

TEST(bounds_can_be_shorter)
{
    const uint64_t start = machine.now_ns;
    struct agpu_wait wait;
    struct agpu_wait_limits limits = {UINT64_MAX, UINT64_MAX};
    const struct agpu_test_system test = {.limits = &limits};

    agpu_wait_limit(&machine.platform, 5000000); /* a platform without time limits */
    assert_int_equal(agpu_wait_bound_ns(&machine.platform, AGPU_RELAX_RESET), 2000000000);
    machine.platform.test = &test;
    agpu_wait_limit(&machine.platform, 5000000);
    assert_int_equal(agpu_wait_bound_ns(&machine.platform, AGPU_RELAX_RESET), 5000000);
    assert_int_equal(agpu_wait_bound_ns(&machine.platform, AGPU_RELAX_VBLANK), 200000000);
    agpu_wait_limit(&machine.platform, 3000000000);
    assert_int_equal(agpu_wait_bound_ns(&machine.platform, AGPU_RELAX_ROOM), 2000000000);
    agpu_wait_limit(&machine.platform, UINT64_MAX);
    agpu_wait_until(&machine.platform, start + 1000000);
    agpu_wait_begin(&wait, &machine.platform, AGPU_RELAX_FENCE);
    assert_int_equal(wait.deadline_ns, start + 1000000);
    agpu_wait_begin_ns(&wait, &machine.platform, AGPU_RELAX_FENCE, 999999);
    assert_int_equal(wait.deadline_ns, start + 999999);
    machine.platform.test = NULL;
}

TEST(stall_without_a_test_system)
{
    const uint64_t start = machine.now_ns;

    machine.platform.test = NULL;
    agpu_wait_stall(&machine.platform, 50000);
    assert_in_range(machine.now_ns - start, 50000, 53000);
}

FIXTURE(NULL, NULL);

TEST(statuses_have_names)
{
    for (int status = AGPU_ERR_LOST; status <= AGPU_OK; status++) {
        assert_null(strchr(agpu_status_name((enum agpu_status)status), '?'));
    }
    assert_string_equal(agpu_status_name((enum agpu_status) - 99), "AGPU_ERR_?");
}
