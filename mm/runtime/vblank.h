/* vblank.h: WaitForVBlank: the runtime's wait for the next vblank edge (vidmm.md 8). */
#ifndef AGPU_MM_RUNTIME_VBLANK_H
#define AGPU_MM_RUNTIME_VBLANK_H

#include "mm/kmd/display.h"
#include "mm/runtime/wait.h"

/* Waits for an edge after the call and after the edge that ended the last wait; *edge (may be NULL) is its number.
 * Fences complete meanwhile, as in every wait. The vblank interrupt is enabled only during the wait. Bounded by twice
 * the time after which the kernel driver detects a hang: then, or when no edge can occur, STATUS_TIMEOUT. */
NTSTATUS agpu_runtime_wait_vblank(struct agpu_runtime *runtime, struct agpu_display *display, uint64_t *edge);

#endif
