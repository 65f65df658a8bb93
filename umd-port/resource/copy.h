/* copy.h: one checked copy between two resources, however it was asked for (umd.md 7.2, 7.3). */
#ifndef AGPU_UMD_RESOURCE_COPY_H
#define AGPU_UMD_RESOURCE_COPY_H

#include "umd-port/base/device.h"
#include "umd-port/resource/box.h"

struct agpu_buffer_copy {
    struct agpu_resource *dst, *src;
    uint64_t dst_offset, src_offset, bytes;
};

struct agpu_texture_copy {
    struct agpu_resource *dst, *src;
    uint32_t dst_index, src_index; /* subresources */
    uint32_t dst_x, dst_y;
    struct agpu_texel_rect rect; /* of the source */
};

/* Does the device write the copied bytes back to guest memory? Only where the CPU will read them. */
static inline bool agpu_wants_writeback(const struct agpu_resource *dst)
{
    return dst->usage == D3D10_DDI_USAGE_STAGING && (dst->cpu_access & D3D10_DDI_CPU_ACCESS_READ) &&
           dst->alloc_id;
}

/* What ResourceCopyRegion and Blt do: checks, packets, mirror. Nothing is reported. */
HRESULT agpu_copy_region(struct agpu_context *context, D3D10DDI_HRESOURCE dst, uint32_t dst_index, uint32_t x,
                         uint32_t y, uint32_t z, D3D10DDI_HRESOURCE src, uint32_t src_index,
                         const D3D10_DDI_BOX *box);

/* Packets; false without room. */
bool agpu_emit_copy_buffer(struct agpu_cmd_writer *cmd, const struct agpu_buffer_copy *copy,
                           uint32_t dst_handle, uint32_t src_handle, bool writeback);
bool agpu_emit_copy_texture(struct agpu_cmd_writer *cmd, const struct agpu_texture_copy *copy);

/* The same copies done by the CPU: mirrors of what the device does (shadows always, guest memory only for the
 * host test build), or the copy itself where the device has no way. Failures to reach memory leave the
 * destination alone. */
void agpu_mirror_buffer_copy(struct agpu_device *device, const struct agpu_buffer_copy *copy);
void agpu_mirror_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy);

/* A copy that the device cannot do: the CPU copies the bytes and announces them to the device. */
HRESULT agpu_cpu_buffer_copy(struct agpu_device *device, const struct agpu_buffer_copy *copy);
HRESULT agpu_cpu_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy);

#endif
