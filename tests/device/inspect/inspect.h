/* inspect.h: looking into a device from outside: counters, resources, a log of submissions, and what
 * the guest touched that the device does not have. Nothing here changes what the guest sees. Like device.h:
 * one thread. */
#ifndef VGPU_INSPECT_INSPECT_H
#define VGPU_INSPECT_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/engine/names.h"
#include "tests/device/engine/submission_log.h"
#include "tests/device/bus/stats.h"

struct vgpu_device;

/* Counters as they are now; the device owns them. */
const struct vgpu_device_stats *vgpu_device_stats(const struct vgpu_device *device);

/* Generation of the device, "1.4" or "legacy". */
const char *vgpu_device_abi_name(const struct vgpu_device *device);

/* Name of the register at this offset of BAR0, NULL where none is. */
const char *vgpu_device_register_name(const struct vgpu_device *device, uint64_t offset);

/* A dword of BAR0 where no register is, with the accesses that it got. */
struct vgpu_unmodelled {
    uint32_t offset;
    uint64_t reads;
    uint64_t writes;
};

/* Iterates over the dwords of BAR0 that were touched though nothing is there, in order of their offset.
 * Start with *position = 0. False at the end. */
bool vgpu_device_unmodelled(const struct vgpu_device *device, uint32_t *position,
                            struct vgpu_unmodelled *out);

enum vgpu_resource_kind { VGPU_KIND_BUFFER, VGPU_KIND_TEXTURE, VGPU_KIND_VIEW };

/* One handle: a resource, another name of one, or a view of one. */
struct vgpu_resource_info {
    uint32_t handle;
    uint32_t resource; /* handle of the creation: other than handle for aliases and views */
    enum vgpu_resource_kind kind;
    uint32_t usage;      /* AEROGPU_RESOURCE_USAGE_* */
    uint32_t references; /* live handles of the resource */
    uint32_t format;     /* textures and views, as are the next six */
    uint32_t width;
    uint32_t height;
    uint32_t mip_levels;
    uint32_t array_layers;
    uint32_t row_pitch;
    uint64_t size;           /* bytes */
    uint32_t alloc_id;       /* guest memory behind it, 0 = owned by the device */
    uint32_t backing_offset; /* in that allocation */
    uint64_t version;        /* changes so far */
    bool renderer_newer;     /* the renderer's copy is newer than the model's */
    bool reserved;           /* destroyed; the number stays taken while aliases live */
};

/* Fills out with up to capacity handles, in no order; returns how many there are in all. */
size_t vgpu_device_resources(const struct vgpu_device *device, struct vgpu_resource_info *out,
                             size_t capacity);

/* Starts the log (copied), NULL ends it. */
void vgpu_device_set_submission_log(struct vgpu_device *device, const struct vgpu_submission_log *log);

#endif
