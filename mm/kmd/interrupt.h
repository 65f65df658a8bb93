/* interrupt.h: what an interrupt means to the kernel driver (vidmm.md 7): completion, the error latch, which
 * submission is to blame. */
#ifndef AGPU_MM_KMD_INTERRUPT_H
#define AGPU_MM_KMD_INTERRUPT_H

#include "mm/kmd/kmd.h"

/* What one pass of the interrupt service routine found (adapter.h). causes: AEROGPU_IRQ_*. */
struct agpu_kmd_interrupt {
    uint32_t causes;
    uint32_t error_code;
    struct agpu_fault_report fault; /* fence_irq_handled is set from causes */
};
/* The deferred half: completes fences on a FENCE cause, latches and counts an ERROR. Returns true when
 * DMA_FAULTED is notified for kmd->last_fault. */
bool agpu_kmd_interrupt(struct agpu_kmd *kmd, const struct agpu_kmd_interrupt *interrupt, uint64_t now_ns);

#endif
