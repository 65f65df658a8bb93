/* test_host_together.c: machine and device model share one processor, until other load makes that slow (together.h). */
#include "tests/host/run/together.h"
#include "tests/unit/test.h"

#include "tests/host/monotonic.h"

#define STRANGERS 3
#define BOUND_US  UINT64_C(120000000) /* one second is enough on an idle machine */

static char *const sleeps[] = {"sleep", "120", NULL};
static char *const works[] = {"sh", "-c", "while :; do :; done", NULL};

/* Has the name that QEMU gives to the thread of a guest processor. */
static char *const guests[] = {"sh", "-c", "printf 'CPU 0/TCG' >/proc/$$/comm; while :; do sleep 0.1; done",
                               NULL};

static uint64_t now_us(void)
{
    return agpu_monotonic_ns() / 1000;
}

static cpu_set_t processors_of(const struct agpu_process *process)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(process->pid, sizeof set, &set), 0);
    return set;
}

TEST(crowded_from_four_tenths)
{
    const struct agpu_together_use before = {.ran_ns = 5000, .waited_ns = 700};
    struct agpu_together_use now = {.ran_ns = 5600, .waited_ns = 700 + 399};

    assert_false(agpu_together_is_crowded(&before, &now, 1000));
    now.waited_ns = 700 + 400;
    assert_true(agpu_together_is_crowded(&before, &now, 1000));
}

TEST(device_follows_machine)
{
    struct agpu_process machine, devices[2];
    struct agpu_kept_together together;
    cpu_set_t there, device;

    agpu_together_init(&together);
    assert_true(together.check_us == UINT64_MAX);
    agpu_together_tick(&together, now_us()); /* nothing to poll */
    assert_true(agpu_process_start_with(&machine, sleeps, NULL, 0, agpu_together_stay));
    there = processors_of(&machine);
    assert_int_equal(CPU_COUNT(&there), 1);
    for (int i = 0; i < 2; i++) {
        assert_true(agpu_process_start(&devices[i], sleeps, NULL, 0));
        agpu_together_add(&together, &machine, &devices[i], now_us());
        device = processors_of(&devices[i]);
        assert_true(CPU_EQUAL(&device, &there));
    }
    agpu_together_tick(&together, together.check_us);
    device = processors_of(&devices[1]);
    assert_true(CPU_EQUAL(&device, &there)); /* a sleeping process does not wait for a processor */
    agpu_process_kill(&machine);
    agpu_together_tick(&together, together.check_us);
    assert_true(together.check_us == UINT64_MAX);
    for (int i = 0; i < 2; i++) {
        agpu_process_kill(&devices[i]);
    }
}

TEST(waiting_for_the_device_yields)
{
    struct agpu_process machine, device;
    struct agpu_kept_together together;
    const uint64_t bound = now_us() + BOUND_US;

    assert_true(agpu_together_steps_back("CPU 0/TCG") && agpu_together_steps_back("CPU 1/KVM\n"));
    assert_true(agpu_together_steps_back("IO vfio-user"));
    assert_false(agpu_together_steps_back("qemu-system-x86") || agpu_together_steps_back("CPUs") ||
                 agpu_together_steps_back("IO mon_iothread"));
    agpu_together_init(&together);
    assert_true(agpu_process_start_with(&machine, guests, NULL, 0, agpu_together_stay));
    assert_true(agpu_process_start(&device, sleeps, NULL, 0));
    agpu_together_add(&together, &machine, &device, now_us());
    while (sched_getscheduler(machine.pid) != SCHED_BATCH && now_us() < bound) {
        together.check_us = 0; /* polls at once: the shell sets its name late */
        agpu_together_tick(&together, now_us());
    }
    assert_int_equal(sched_getscheduler(machine.pid), SCHED_BATCH);
    assert_int_equal(sched_getscheduler(device.pid), SCHED_OTHER);
    agpu_process_kill(&machine);
    agpu_process_kill(&device);
}

/* A machine that was started without agpu_together_stay may use all processors: its device does not move. */
TEST(free_machine_is_left)
{
    struct agpu_process machine, device;
    struct agpu_kept_together together;
    cpu_set_t before, after;

    agpu_together_init(&together);
    assert_true(agpu_process_start(&machine, sleeps, NULL, 0));
    assert_true(agpu_process_start(&device, sleeps, NULL, 0));
    before = processors_of(&machine);
    if (CPU_COUNT(&before) == 1) {
        agpu_process_kill(&machine);
        agpu_process_kill(&device);
        skip();
    }
    agpu_together_add(&together, &machine, &device, now_us());
    after = processors_of(&device);
    assert_true(CPU_EQUAL(&before, &after));
    agpu_process_kill(&machine);
    agpu_process_kill(&device);
}

/* Ticks as `agpu run` does until the processes are apart, or together. */
static bool tick_until(struct agpu_kept_together *together, bool apart)
{
    const uint64_t until = now_us() + BOUND_US;
    const struct timespec nap = {.tv_nsec = 20000000};

    while (together->apart != apart && now_us() < until) {
        nanosleep(&nap, NULL);
        agpu_together_tick(together, now_us());
    }
    return together->apart == apart;
}

TEST(crowd_is_left)
{
    struct agpu_process machine, device, strangers[STRANGERS];
    struct agpu_kept_together together;
    cpu_set_t everywhere, there, now;

    assert_int_equal(sched_getaffinity(0, sizeof everywhere, &everywhere), 0);
    if (CPU_COUNT(&everywhere) == 1) {
        skip();
    }
    agpu_together_init(&together);
    assert_true(agpu_process_start_with(&machine, works, NULL, 0, agpu_together_stay));
    assert_true(agpu_process_start(&device, sleeps, NULL, 0));
    agpu_together_add(&together, &machine, &device, now_us());
    there = processors_of(&machine);
    for (int i = 0; i < STRANGERS; i++) {
        assert_true(agpu_process_start(&strangers[i], works, NULL, 0));
        assert_int_equal(sched_setaffinity(strangers[i].pid, sizeof there, &there), 0);
    }
    assert_true(tick_until(&together, true));
    now = processors_of(&machine);
    assert_true(CPU_EQUAL(&now, &everywhere));
    now = processors_of(&device);
    assert_true(CPU_EQUAL(&now, &everywhere));
    assert_true(tick_until(&together, false));
    there = processors_of(&machine);
    assert_int_equal(CPU_COUNT(&there), 1);
    now = processors_of(&device);
    assert_true(CPU_EQUAL(&now, &there));
    for (int i = 0; i < STRANGERS; i++) {
        agpu_process_kill(&strangers[i]);
    }
    agpu_process_kill(&machine);
    agpu_process_kill(&device);
}
