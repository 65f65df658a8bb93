/* interrupts.c: the driver stack with interrupts: its service routine is called, the deferred routine completes the
 * fences that it saw, and waits are woken (vidmm.md 7, umd.md 8). With interrupts= (agpu.cfg) the whole catalogue runs
 * this way. */
#include "ring/irq.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_buffers.h"

#define SIZE   1024u
#define ROUNDS 8u
#define T      AEROGPU_FEATURE_TRANSFER

/* Runs copies that are mapped at once: each map waits for an interrupt. */
static bool copy_rounds(struct agpu_test *t, unsigned first, unsigned end)
{
    uint8_t data[SIZE];

    for (unsigned i = first; i < end; i++) {
        D3D10DDI_HRESOURCE source, staging;

        agpu_fill_pattern(data, SIZE, i);
        source = agpu_make_default(t, SIZE, data);
        staging = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
        if (!agpu_check(t, source.pDrvPrivate != NULL && staging.pDrvPrivate != NULL)) {
            return false;
        }
        agpu_umd_copy(t, staging, source);
        if (!agpu_check_staging(t, staging, data, SIZE)) {
            return false;
        }
        agpu_umd_destroy(t, staging);
        agpu_umd_destroy(t, source);
    }
    return true;
}

/* Maps that wait must be woken by the fence interrupts of the driver stack, and none may be lost. */
static void interrupts_wake_maps(struct agpu_test *t)
{
    const struct agpu_kmd_counters *counters = &agpu_runtime_kmd(t->env->umd.runtime)->counters;

    agpu_return_unless(copy_rounds(t, 1, ROUNDS));
    agpu_check(t, counters->completions >= ROUNDS - 1);
    agpu_check(t, counters->irq_fence != 0);
    agpu_check(t, t->env->isr.interrupts >= counters->irq_fence);
    agpu_check_eq_u64(t, counters->irq_lost, 0);
    agpu_metric(t, "stack_interrupts", t->env->isr.interrupts, "1");
}

/* Given submissions without waits between them, the device may coalesce interrupts, but the last must not be missed. */
static void interrupts_coalesce(struct agpu_test *t)
{
    struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_kmd_counters *counters = &agpu_runtime_kmd(umd->runtime)->counters;

    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < ROUNDS; i++) {
            agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
        }
        agpu_assert(t, agpu_runtime_wait_idle(umd->runtime));
    }
    agpu_check_eq_u64(t, counters->completions, counters->submits + counters->pagings + counters->internals);
    agpu_check_eq_u64(t, counters->irq_lost, 0);
}

/* Waits until the device reports the fence of the last submission, from which the driver stack learns nothing. */
static bool wait_unnoticed(struct agpu_test *t, const struct agpu_kmd *kmd)
{
    const struct agpu_transport *ring = &t->env->transport;
    struct agpu_wait wait;
    uint64_t completed = 0;

    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    do {
        if (!agpu_check_ok(t, ring->completed_fence(ring->ctx, &completed))) {
            return false;
        }
    } while (completed != kmd->submitted && agpu_wait_again(&wait));
    return agpu_check_eq_u64(t, completed, kmd->submitted);
}

/* Given a masked interrupt, the driver stack must not read the fence before the submission is as late as a hang. Then
 * it must find the fence, count the lost interrupt, and not reset the device. */
static void interrupts_lost(struct agpu_test *t)
{
    struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_kmd *kmd = agpu_runtime_kmd(umd->runtime);
    const uint64_t timeout_ns = kmd->config.tdr_timeout_ns;

    agpu_irq_enable(&t->env->function, 0);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_return_unless(wait_unnoticed(t, kmd));
    for (unsigned i = 0; i < 4; i++) {
        agpu_runtime_poll(umd->runtime);
    }
    agpu_check(t, kmd->completed < kmd->submitted);
    kmd->config.tdr_timeout_ns = 1; /* now it is late */
    agpu_check(t, agpu_runtime_wait_idle(umd->runtime));
    kmd->config.tdr_timeout_ns = timeout_ns;
    agpu_check_eq_u64(t, kmd->counters.irq_lost, 1);
    agpu_check_eq_u64(t, kmd->counters.resets, 0);
    kmd->counters.irq_lost = 0; /* the end of the case checks for others */
    agpu_kmd_isr_arm(&t->env->isr);
}

static const struct agpu_case umd_interrupts_cases[] = {
    AGPU_STACK_CASE("umd.interrupts.wake_maps", "vidmm.md 7", T, 0, .body = interrupts_wake_maps,
                    .interrupts = true),
    AGPU_STACK_CASE("umd.interrupts.lost", "vidmm.md 7", T, 0, .body = interrupts_lost, .interrupts = true),
    AGPU_STACK_CASE("umd.interrupts.coalesce", "vidmm.md 7", T, 0, .body = interrupts_coalesce,
                    .interrupts = true),
};

AGPU_CASE_TABLE(agpu_cases_umd_interrupts, umd_interrupts_cases);
