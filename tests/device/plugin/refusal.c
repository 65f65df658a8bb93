/* refusal.c: counts refusals and describes the first absurd one. */
#include "tests/device/plugin/refusal.h"

#include <inttypes.h>
#include <stdio.h>

bool vgpu_refusals_add(struct vgpu_refusals *refusals, const char *who, bool write, uint64_t address,
                       uint64_t size, char *line, size_t line_size)
{
    atomic_fetch_add_explicit(&refusals->count, 1, memory_order_relaxed);
    if (size <= VGPU_DMA_ABSURD ||
        atomic_fetch_add_explicit(&refusals->absurd, 1, memory_order_relaxed) != 0) {
        return false;
    }
    snprintf(
        line, line_size,
        "device %s" VGPU_DMA_ABSURD_WORDS "to %s %" PRIu64 " bytes at 0x%" PRIx64
        "; expected at most 2^52, all that a machine can have. It was refused; a board would go through all "
        "memory: check sizes before you use them",
        who, write ? "write" : "read", size, address);
    return true;
}
