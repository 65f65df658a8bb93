/* resource_packets.h: one function for each resource packet; they append to the rig's stream. The encoder of the
 * driver is in umd-port. */
#ifndef AGPU_CASES_RIG_RESOURCE_PACKETS_H
#define AGPU_CASES_RIG_RESOURCE_PACKETS_H

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/rig.h"

/* backing_alloc_id 0: owned by the device. */
struct aerogpu_cmd_create_buffer *agpu_put_create_buffer(struct agpu_rig *rig, uint32_t handle, uint64_t size,
                                                         uint32_t backing_alloc_id, uint32_t backing_offset);
void agpu_put_destroy(struct agpu_rig *rig, uint32_t handle);
void agpu_put_dirty(struct agpu_rig *rig, uint32_t handle, uint64_t offset, uint64_t size);

/* The payload is padded to 4 bytes with zeros. */
struct aerogpu_cmd_upload_resource *agpu_put_upload(struct agpu_rig *rig, uint32_t handle, uint64_t offset,
                                                    const void *data, uint32_t size);
struct aerogpu_cmd_copy_buffer *agpu_put_copy_buffer(struct agpu_rig *rig, uint32_t dst, uint64_t dst_offset,
                                                     uint32_t src, uint64_t src_offset, uint64_t size,
                                                     uint32_t flags);

/* Describes one mip chain of a texture; row_pitch 0 = no padding, only if the device owns it. */
struct aerogpu_cmd_create_texture2d *agpu_put_create_texture(struct agpu_rig *rig, uint32_t handle,
                                                             uint32_t format, uint32_t width, uint32_t height,
                                                             uint32_t row_pitch, uint32_t backing_alloc_id);
/* Copies width x height texels from (0, 0) of mip 0, layer 0 to the same place; the caller changes what differs. */
struct aerogpu_cmd_copy_texture2d *agpu_put_copy_texture(struct agpu_rig *rig, uint32_t dst, uint32_t src,
                                                         uint32_t width, uint32_t height, uint32_t flags);

/* Fills memory with a pattern in which every byte depends on its place and on seed. */
void agpu_fill_pattern(void *memory, size_t size, uint32_t seed);

/* Presents to a scanout (commands.md 11). */
void agpu_put_present(struct agpu_rig *rig, uint32_t scanout_id, uint32_t flags);
void agpu_put_present_ex(struct agpu_rig *rig, uint32_t scanout_id, uint32_t flags, uint32_t d3d9_flags);

#endif
