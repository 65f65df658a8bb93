/* test_hook.c: each misbehaviour in a function of its own, so that the back trace names it; and the
 * measurements. */
#include "efi/test_hook.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/ipv4.h"
#include "efi/machine.h"
#include "efi/measure.h"
#include "efi/pump.h"
#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/submit.h"

/* An unmapped canonical address; a non-canonical one raises another exception. */
#define NOWHERE UINT64_C(0x00007E5700000000)

static __attribute__((noinline)) void crash_on_purpose(struct agpu_test *test)
{
    (void)test;
    *(volatile uint64_t *)(uintptr_t)NOWHERE = 1;
}

static __attribute__((noinline)) void jump_on_purpose(struct agpu_test *test)
{
    void (*volatile nowhere)(struct agpu_test *) = (void (*)(struct agpu_test *))(uintptr_t)NOWHERE;

    nowhere(test);
    agpu_check(test, nowhere == NULL); /* prevents a tail call, which would leave no trace of this function */
}

static __attribute__((noinline)) void loop_on_purpose(struct agpu_test *test)
{
    (void)test;
    for (volatile uint64_t rounds = 0;; rounds++) {
        ;
    }
}

static __attribute__((noinline)) void read_on_purpose(struct agpu_test *test)
{
    for (;;) {
        agpu_reg_read(&test->env->function, AEROGPU_MMIO_REG_MAGIC);
    }
}

static bool fault_on_purpose(void *ctx)
{
    crash_on_purpose(ctx);
    return true;
}

/* For a case that needs the ring: the interrupt handler of a fence faults. */
static __attribute__((noinline)) void interrupt_on_purpose(struct agpu_test *test)
{
    const struct agpu_platform *platform = test->env->platform;
    struct agpu_text why;
    char unread[1];

    agpu_text_begin(&why, unread, sizeof unread);
    agpu_check_ok(test, platform->irq_open(platform->ctx, &test->env->function.found.ref, AGPU_IRQ_LINE,
                                           fault_on_purpose, test, &why));
    agpu_irq_enable(&test->env->function, AEROGPU_IRQ_FENCE);
    agpu_run_empty(test);
    agpu_settle(test);
}

/* Faults inside a service of the platform. */
static __attribute__((noinline)) void fault_there(void *arg)
{
    struct agpu_test *test = arg;
    const struct agpu_platform *platform = test->env->platform;
    const struct agpu_pci_ref nowhere = {.handle = (void *)(uintptr_t)NOWHERE};

    agpu_check_eq_u64(test, platform->bar_read(platform->ctx, &nowhere, 0, 0, 4), 0);
}

static void loop_there(void *arg)
{
    loop_on_purpose(arg);
}

static void run_beside(struct agpu_test *test, void (*task)(void *arg), void (*here)(void *arg))
{
    const struct agpu_platform *platform = test->env->platform;
    struct agpu_text why;
    char unread[1];

    agpu_text_begin(&why, unread, sizeof unread);
    agpu_check_ok(test, platform->run_beside(platform->ctx, task, here, test, &why));
}

/* The other processor faults while this one loops: only the fault can end the case before its time. */
static void beside_on_purpose(struct agpu_test *test)
{
    run_beside(test, fault_there, loop_there);
}

/* This processor faults, and the task on the other one never ends. */
static void outlive_on_purpose(struct agpu_test *test)
{
    run_beside(test, loop_there, fault_there);
}

static void reset_on_purpose(struct agpu_test *test)
{
    (void)test;
    agpu_system->RuntimeServices->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
}

static void freeze_on_purpose(struct agpu_test *test)
{
    (void)test;
    for (;;) {
        __asm__ volatile("cli; hlt"); /* uses no processor time of the host */
    }
}

static const struct {
    const char *word;
    void (*act)(struct agpu_test *test);
} acts[] = {
    {"crash", crash_on_purpose},   {"jump", jump_on_purpose},           {"loop", loop_on_purpose},
    {"read", read_on_purpose},     {"interrupt", interrupt_on_purpose}, {"reset", reset_on_purpose},
    {"freeze", freeze_on_purpose}, {"wire", agpu_measure_wire},         {"file", agpu_measure_file},
    {"beside", beside_on_purpose}, {"outlive", outlive_on_purpose},
};

bool agpu_test_hook(void *hooks, struct agpu_test *test)
{
    struct agpu_span rest = {hooks, strlen(hooks)}, hook, word;

    while (rest.size != 0) {
        if (!agpu_span_cut(&rest, ',', &hook)) {
            hook = rest;
            rest.size = 0;
        }
        if (!agpu_span_cut(&hook, ':', &word) || !agpu_span_is(hook, test->test_case->id)) {
            continue;
        }
        for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
            if (agpu_span_is(word, acts[i].word)) {
                agpu_pump_out(AGPU_NS_PER_S); /* earlier records are not part of the test */
                acts[i].act(test);
                return true;
            }
        }
    }
    return false;
}
