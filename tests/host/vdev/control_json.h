/* control_json.h: counters and resources of a device as JSON, for the control socket. The device's thread makes the
 * copies, another thread the text. */
#ifndef AGPU_HOST_VDEV_CONTROL_JSON_H
#define AGPU_HOST_VDEV_CONTROL_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "tests/device/inspect/inspect.h"

/* Limit of accesses to offsets without a register in one reply. */
#define AGPU_CONTROL_UNMODELLED 1024u

/* The data of `stats`. */
struct agpu_control_stats {
    const char *abi;
    struct vgpu_device_stats counts;
    struct vgpu_unmodelled unmodelled[AGPU_CONTROL_UNMODELLED];
    size_t unmodelled_count; /* may exceed the array: the rest is not listed */
};

/* Copies the data from the device. */
void agpu_control_stats_copy(const struct vgpu_device *device, struct agpu_control_stats *out);

/* Returns {"ok":true,...}; NULL when memory is exhausted, as below. */
json_t *agpu_control_stats_json(const struct agpu_control_stats *stats);

/* Lists the first count of total handles; sorts infos. */
json_t *agpu_control_resources_json(struct vgpu_resource_info *infos, size_t count, size_t total);

#endif
