/* interrupt.h: the kernel driver's handling of an interrupt (vidmm.md 7): completion, the error latch, the faulted
 * submission. */
#ifndef AGPU_MM_KMD_INTERRUPT_H
#define AGPU_MM_KMD_INTERRUPT_H

#include "mm/kmd/kmd.h"

/* Registers of an ERROR interrupt. */
struct agpu_fault_report {
    bool mmio_readable;     /* ERROR_FENCE could be read */
    uint64_t mmio_fence;    /* its value */
    bool fence_irq_handled; /* the same interrupt pass also handled a FENCE cause */
};

/* Result of one pass of the interrupt service routine (adapter.h). causes: AEROGPU_IRQ_*. */
struct agpu_kmd_interrupt {
    uint32_t causes;
    uint32_t error_code;
    struct agpu_fault_report fault; /* fence_irq_handled is set from causes */
};
/* Deferred part: completes fences on a FENCE cause, latches and counts an ERROR. Returns true when DMA_FAULTED is
 * notified for kmd->last_fault. */
bool agpu_kmd_interrupt(struct agpu_kmd *kmd, const struct agpu_kmd_interrupt *interrupt, uint64_t now_ns);

/* Returns the fence to blame for a device error (vidmm.md 7, faulted fence). */
uint64_t agpu_fence_faulted(const struct agpu_fault_report *report, uint64_t completed, uint64_t submitted);

#endif
