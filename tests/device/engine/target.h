/* target.h: a bound render or depth target with everything that clears, presents and draws need to know of it
 * (commands.md 8, 11). */
#ifndef VGPU_ENGINE_TARGET_H
#define VGPU_ENGINE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/state.h"

struct vgpu_target {
    struct vgpu_resource *resource;
    uint32_t format_number; /* AEROGPU_FORMAT_*, of the view where one is bound */
    const struct vgpu_format *format;
    struct vgpu_subresource sub;
};

/* Describes what is bound in slot: mip 0, layer 0, or the first of a view. False when it is unusable: unknown
 * handle, or a format that is neither colour nor, with depth, depth. An empty slot is not asked about. */
bool vgpu_target_describe(const struct vgpu_slot *slot, bool depth, struct vgpu_target *out);

#endif
