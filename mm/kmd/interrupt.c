/* interrupt.c: handling of an interrupt in the kernel driver (vidmm.md 7): completion, error latch, faulted fence,
 * counters. */
#include "mm/kmd/interrupt.h"

#include "pci/protocol/aerogpu_pci.h"

uint64_t agpu_fence_faulted(const struct agpu_fault_report *report, uint64_t completed, uint64_t submitted)
{
    uint64_t fence = report->mmio_fence;

    if (report->mmio_readable && fence >= completed && fence <= submitted &&
        (report->fence_irq_handled || fence > completed)) {
        return fence;
    }
    /* Completion was not reported yet, so the failing submission is the one after the last completed one. */
    return !report->fence_irq_handled && completed < submitted ? completed + 1u : completed;
}

/* Limits notifications to the first four errors, then powers of two, and never two for one fence. */
static bool is_worth_notifying(const struct agpu_kmd *kmd, uint64_t fence)
{
    uint64_t n = kmd->counters.errors;

    return (n <= 4u || (n & (n - 1u)) == 0) &&
           !(kmd->counters.faults_notified != 0 && kmd->last_fault == fence);
}

/* Returns the index in error_codes; code 0 and unknown codes count as internal. */
static unsigned error_counter_slot(uint32_t code)
{
    switch (code) {
    case AEROGPU_ERROR_CMD_DECODE:
        return 0;
    case AEROGPU_ERROR_OOB:
        return 1;
    case AEROGPU_ERROR_BACKEND:
        return 2;
    default:
        return 3;
    }
}

bool agpu_kmd_interrupt(struct agpu_kmd *kmd, const struct agpu_kmd_interrupt *interrupt, uint64_t now_ns)
{
    bool fence_handled = (interrupt->causes & AEROGPU_IRQ_FENCE) != 0;

    kmd->counters.irq_fence += fence_handled;
    kmd->counters.irq_vblank += (interrupt->causes & AEROGPU_IRQ_SCANOUT_VBLANK) != 0;
    if (fence_handled) {
        agpu_kmd_poll(kmd, now_ns);
    }
    if ((interrupt->causes & AEROGPU_IRQ_ERROR) == 0) {
        return false;
    }
    kmd->counters.irq_error++;
    kmd->counters.errors++;
    kmd->counters.error_codes[error_counter_slot(interrupt->error_code)]++;
    kmd->latched = true;
    struct agpu_fault_report report = interrupt->fault;
    report.fence_irq_handled = fence_handled;
    uint64_t fence = agpu_fence_faulted(&report, kmd->completed, kmd->submitted);
    if (!is_worth_notifying(kmd, fence)) {
        return false;
    }
    kmd->last_fault = fence;
    kmd->notified_fence = (uint32_t)fence;
    kmd->counters.faults_notified++;
    return true;
}
