/* target.h: a bound render or depth target with everything that clears, presents and draws need to know of it
 * (commands.md 8, 11). */
#ifndef AGPU_TESTS_DEVICE_TARGET_H
#define AGPU_TESTS_DEVICE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/state.h"

struct agpu_target {
    struct agpu_resource *resource;
    uint32_t format_number; /* AEROGPU_FORMAT_*, of the view where one is bound */
    const struct agpu_format *format;
    struct agpu_subresource sub;
};

/* Describes what is bound in slot: mip 0, layer 0, or the first of a view. False when it is unusable: unknown
 * handle, or a format that is neither colour nor, with depth, depth. An empty slot is not asked about. */
bool agpu_target_describe(const struct agpu_slot *slot, bool depth, struct agpu_target *out);

#endif
