/* vblank.h: WaitForVBlank: the runtime's wait for the next vblank edge (vidmm.md 8). */
#ifndef AGPU_MM_RUNTIME_VBLANK_H
#define AGPU_MM_RUNTIME_VBLANK_H

#include "mm/kmd/display.h"
#include "mm/runtime/wait.h"

/* Waits until an edge after the call, and after the one that the last wait ended with; *edge (may be NULL) is its number.
 * Fences complete meanwhile as in every wait, and the vblank interrupt is on only as long as this lasts. Bounded by twice the
 * time after which the kernel driver takes work for hung: STATUS_TIMEOUT then, or when no edge can come. */
NTSTATUS agpu_runtime_wait_vblank(struct agpu_runtime *runtime, struct agpu_display *display, uint64_t *edge);

#endif
