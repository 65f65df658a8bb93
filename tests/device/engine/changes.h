/* changes.h: which bytes of a resource the model changed since a renderer last took them over, so that it
 * need not take all of them. */
#ifndef VGPU_ENGINE_CHANGES_H
#define VGPU_ENGINE_CHANGES_H

#include <stdint.h>

/* Ranges kept apart; one more joins the two closest ones. */
#define VGPU_MAX_CHANGES 8u

/* Bytes [begin, end), ordered and apart. All zero = nothing changed. */
struct vgpu_changes {
    uint32_t count;
    struct vgpu_change {
        uint64_t begin;
        uint64_t end;
    } ranges[VGPU_MAX_CHANGES + 1];
};

/* Bytes [begin, end) changed. Bytes between two ranges may be counted in: taking them over costs less than a
 * transfer of their own. */
void vgpu_changes_add(struct vgpu_changes *changes, uint64_t begin, uint64_t end);

#endif
