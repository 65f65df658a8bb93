/* fence_number.h: fence numbers (vidmm.md 6.3): the 32-bit number of a DMA buffer, extended to the 64 bits of
 * the ring. */
#ifndef AGPU_MM_KMD_FENCE_NUMBER_H
#define AGPU_MM_KMD_FENCE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_fence_number {
    uint32_t previous; /* last 32-bit number */
    uint32_t epoch;    /* how often it wrapped */
};

/* The 64-bit value of the next 32-bit number: a smaller number than before is one after the wrap. */
uint64_t agpu_fence_extend(struct agpu_fence_number *state, uint32_t fence32);

/* A completion report, clamped to [completed, submitted]. */
uint64_t agpu_fence_clamp(uint64_t reported, uint64_t completed, uint64_t submitted);

/* What an ERROR interrupt reported. */
struct agpu_fault_report {
    bool mmio_readable;     /* ERROR_FENCE could be read */
    uint64_t mmio_fence;    /* its value */
    bool fence_irq_handled; /* the same interrupt pass also handled a FENCE cause */
};

/* The fence that gets the blame for a device error (vidmm.md 7, faulted fence). */
uint64_t agpu_fence_faulted(const struct agpu_fault_report *report, uint64_t completed, uint64_t submitted);

#endif
