/* fence_number.c: fence numbers (vidmm.md 6.3) and the faulted fence (vidmm.md 7). */
#include "mm/kmd/fence_number.h"

uint64_t agpu_fence_extend(struct agpu_fence_number *state, uint32_t fence32)
{
    if (fence32 < state->previous) {
        state->epoch++;
    }
    state->previous = fence32;
    return (uint64_t)state->epoch << 32 | fence32;
}

uint64_t agpu_fence_clamp(uint64_t reported, uint64_t completed, uint64_t submitted)
{
    if (reported < completed) {
        return completed;
    }
    return reported > submitted ? submitted : reported;
}

uint64_t agpu_fence_faulted(const struct agpu_fault_report *report, uint64_t completed, uint64_t submitted)
{
    uint64_t fence = report->mmio_fence;

    if (report->mmio_readable && fence >= completed && fence <= submitted &&
        (report->fence_irq_handled || fence > completed)) {
        return fence;
    }
    /* Completion was not reported yet, so the failing submission is the one after the last that was. */
    return !report->fence_irq_handled && completed < submitted ? completed + 1u : completed;
}
