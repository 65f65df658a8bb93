/* control_json.h: counters and resources of a device as JSON, for the control socket. The copies are made on
 * the device's thread, the text on another. */
#ifndef AGPU_HOST_VDEV_CONTROL_JSON_H
#define AGPU_HOST_VDEV_CONTROL_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "tests/device/inspect/inspect.h"

/* Accesses to offsets without a register that one reply lists. */
#define AGPU_CONTROL_UNMODELLED 1024u

/* What `stats` shows. */
struct agpu_control_stats {
    const char *abi;
    struct vgpu_device_stats counts;
    struct vgpu_unmodelled unmodelled[AGPU_CONTROL_UNMODELLED];
    size_t unmodelled_count; /* may be larger: the rest is not listed */
};

/* Copies it from the device. */
void agpu_control_stats_copy(const struct vgpu_device *device, struct agpu_control_stats *out);

/* {"ok":true,...}; NULL when memory is exhausted, as below. */
json_t *agpu_control_stats_json(const struct agpu_control_stats *stats);

/* The first count of total handles, which it sorts. */
json_t *agpu_control_resources_json(struct vgpu_resource_info *infos, size_t count, size_t total);

#endif
