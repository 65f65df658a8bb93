/* target.h: a bound render or depth target with the properties that clears, presents and draws need
 * (commands.md 8, 11). */
#ifndef VGPU_ENGINE_TARGET_H
#define VGPU_ENGINE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/state.h"

struct vgpu_target {
    struct vgpu_resource *resource;
    uint32_t format_number; /* AEROGPU_FORMAT_*, of the view if one is bound */
    const struct vgpu_format *format;
    struct vgpu_subresource sub;
};

/* Describes the object in slot, which is not empty: mip 0 and layer 0, or the first ones of a view. Returns
 * false when it is unusable: an unknown handle, or a format of the wrong kind (depth: a depth format, else a
 * colour format). */
bool vgpu_target_describe(const struct vgpu_slot *slot, bool depth, struct vgpu_target *out);

#endif
