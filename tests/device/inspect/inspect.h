/* inspect.h: inspects a device: counters, resources, a log of submissions, and guest accesses without a
 * register. Nothing here has an effect that the guest can observe. Like device.h: one thread. */
#ifndef VGPU_INSPECT_INSPECT_H
#define VGPU_INSPECT_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/engine/names.h"
#include "tests/device/engine/submission_log.h"
#include "tests/device/bus/stats.h"

struct vgpu_device;

/* Returns the current counters, which the device owns. */
const struct vgpu_device_stats *vgpu_device_stats(const struct vgpu_device *device);

/* Generation of the device, "1.4" or "legacy". */
const char *vgpu_device_abi_name(const struct vgpu_device *device);

/* Returns the name of the register at this offset of BAR0, NULL when there is none. */
const char *vgpu_device_register_name(const struct vgpu_device *device, uint64_t offset);

/* A dword of BAR0 without a register, and the number of accesses to it. */
struct vgpu_unmodelled {
    uint32_t offset;
    uint64_t reads;
    uint64_t writes;
};

/* Iterates over the accessed dwords of BAR0 without a register, in order of their offset. Start with *position
 * = 0. Returns false at the end. */
bool vgpu_device_unmodelled(const struct vgpu_device *device, uint32_t *position,
                            struct vgpu_unmodelled *out);

enum vgpu_resource_kind { VGPU_KIND_BUFFER, VGPU_KIND_TEXTURE, VGPU_KIND_VIEW };

/* One handle: a resource, an alias of one, or a view of one. */
struct vgpu_resource_info {
    uint32_t handle;
    uint32_t resource; /* handle of the creation; differs from handle for aliases and views */
    enum vgpu_resource_kind kind;
    uint32_t usage;      /* AEROGPU_RESOURCE_USAGE_* */
    uint32_t references; /* live handles of the resource */
    uint32_t format;     /* this and the next five: of textures and views */
    uint32_t width;
    uint32_t height;
    uint32_t mip_levels;
    uint32_t array_layers;
    uint32_t row_pitch;
    uint64_t size;           /* bytes */
    uint32_t alloc_id;       /* of its guest memory, 0 = owned by the device */
    uint32_t backing_offset; /* in that allocation */
    uint64_t version;        /* number of changes so far */
    bool renderer_newer;     /* the renderer's copy is newer than the model's */
    bool reserved;           /* destroyed; the handle stays reserved while aliases live */
};

/* Fills out with up to capacity handles, unordered; returns the total number. */
size_t vgpu_device_resources(const struct vgpu_device *device, struct vgpu_resource_info *out,
                             size_t capacity);

/* Starts the log (copied); NULL stops it. */
void vgpu_device_set_submission_log(struct vgpu_device *device, const struct vgpu_submission_log *log);

#endif
