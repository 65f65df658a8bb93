/* changes.h: ranges of a resource that the model changed since a renderer last copied them, so that the
 * renderer need not copy the whole resource. */
#ifndef VGPU_ENGINE_CHANGES_H
#define VGPU_ENGINE_CHANGES_H

#include <stdint.h>

/* Maximum number of separate ranges; adding one more joins the two closest. */
#define VGPU_MAX_CHANGES 8u

/* Bytes [begin, end), in order and not overlapping. All zero = nothing changed. */
struct vgpu_changes {
    uint32_t count;
    struct vgpu_change {
        uint64_t begin;
        uint64_t end;
    } ranges[VGPU_MAX_CHANGES + 1];
};

/* Adds bytes [begin, end). Ranges with a small gap are joined: copying the gap costs less than another
 * transfer. */
void vgpu_changes_add(struct vgpu_changes *changes, uint64_t begin, uint64_t end);

#endif
