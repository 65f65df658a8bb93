/* aerogpu_cmd_resource.h: packets that create, fill, copy, destroy and share resources (commands.md 6,
 * 12). */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_CMD_RESOURCE_H
#define AGPU_RING_PROTOCOL_AEROGPU_CMD_RESOURCE_H

#include <stdint.h>

#include "ring/protocol/aerogpu_cmd_frame.h"

/* usage_flags (commands.md 6.1): every use that the resource will have. */
#define AEROGPU_RESOURCE_USAGE_NONE            0x00u
#define AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER   0x01u
#define AEROGPU_RESOURCE_USAGE_INDEX_BUFFER    0x02u
#define AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER 0x04u
#define AEROGPU_RESOURCE_USAGE_TEXTURE         0x08u /* sampled */
#define AEROGPU_RESOURCE_USAGE_RENDER_TARGET   0x10u
#define AEROGPU_RESOURCE_USAGE_DEPTH_STENCIL   0x20u
#define AEROGPU_RESOURCE_USAGE_SCANOUT         0x40u
#define AEROGPU_RESOURCE_USAGE_STORAGE         0x80u

/* flags of the copies (commands.md 6.4). */
#define AEROGPU_COPY_FLAG_NONE          0x0u
#define AEROGPU_COPY_FLAG_WRITEBACK_DST 0x1u /* the copied bytes reach guest memory before the fence */

struct aerogpu_cmd_create_buffer {
    struct aerogpu_cmd_hdr hdr;
    uint32_t buffer_handle;    /* non-zero, free */
    uint32_t usage_flags;      /* AEROGPU_RESOURCE_USAGE_* */
    uint64_t size_bytes;       /* non-zero multiple of 4 */
    uint32_t backing_alloc_id; /* 0 = owned by the device, zero-filled */
    uint32_t backing_offset_bytes;
    uint64_t reserved0;
} AEROGPU_CMD_PACKED;

/* Subresources lie mip by mip, layer by layer, without padding (commands.md 5). */
struct aerogpu_cmd_create_texture2d {
    struct aerogpu_cmd_hdr hdr;
    uint32_t texture_handle; /* non-zero, free */
    uint32_t usage_flags;
    uint32_t format; /* AEROGPU_FORMAT_* */
    uint32_t width;  /* texels of mip 0 */
    uint32_t height;
    uint32_t mip_levels;
    uint32_t array_layers;
    uint32_t row_pitch_bytes; /* of mip 0; 0 = tight, device-owned only */
    uint32_t backing_alloc_id;
    uint32_t backing_offset_bytes;
    uint64_t reserved0;
} AEROGPU_CMD_PACKED;

/* A view of part of a texture, usable for sampling and as target. */
struct aerogpu_cmd_create_texture_view {
    struct aerogpu_cmd_hdr hdr;
    uint32_t view_handle; /* same namespace as resources */
    uint32_t texture_handle;
    uint32_t format;
    uint32_t base_mip_level;
    uint32_t mip_level_count;
    uint32_t base_array_layer;
    uint32_t array_layer_count;
    uint64_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_destroy_resource {
    struct aerogpu_cmd_hdr hdr;
    uint32_t resource_handle; /* unknown = no operation */
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_destroy_texture_view {
    struct aerogpu_cmd_hdr hdr;
    uint32_t view_handle;
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

/* The CPU changed the guest memory behind [offset_bytes, +size_bytes) of the resource (commands.md 6.2). */
struct aerogpu_cmd_resource_dirty_range {
    struct aerogpu_cmd_hdr hdr;
    uint32_t resource_handle;
    uint32_t reserved0;
    uint64_t offset_bytes; /* relative to the resource */
    uint64_t size_bytes;
} AEROGPU_CMD_PACKED;

/* size_bytes of data follow, padded to 4; for device-owned resources (commands.md 6.3). */
struct aerogpu_cmd_upload_resource {
    struct aerogpu_cmd_hdr hdr;
    uint32_t resource_handle;
    uint32_t reserved0;
    uint64_t offset_bytes;
    uint64_t size_bytes;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_copy_buffer {
    struct aerogpu_cmd_hdr hdr;
    uint32_t dst_buffer;
    uint32_t src_buffer;
    uint64_t dst_offset_bytes;
    uint64_t src_offset_bytes;
    uint64_t size_bytes;
    uint32_t flags; /* AEROGPU_COPY_FLAG_* */
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_copy_texture2d {
    struct aerogpu_cmd_hdr hdr;
    uint32_t dst_texture;
    uint32_t src_texture;
    uint32_t dst_mip_level;
    uint32_t dst_array_layer;
    uint32_t src_mip_level;
    uint32_t src_array_layer;
    uint32_t dst_x; /* texels */
    uint32_t dst_y;
    uint32_t src_x;
    uint32_t src_y;
    uint32_t width;
    uint32_t height;
    uint32_t flags; /* AEROGPU_COPY_FLAG_* */
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

/* Binds a token to a resource so that another process can import it (commands.md 12). */
struct aerogpu_cmd_export_shared_surface {
    struct aerogpu_cmd_hdr hdr;
    uint32_t resource_handle;
    uint32_t reserved0;
    uint64_t share_token; /* non-zero, never reused */
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_import_shared_surface {
    struct aerogpu_cmd_hdr hdr;
    uint32_t out_resource_handle; /* becomes an alias */
    uint32_t reserved0;
    uint64_t share_token;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_release_shared_surface {
    struct aerogpu_cmd_hdr hdr;
    uint64_t share_token;
    uint64_t reserved0;
} AEROGPU_CMD_PACKED;

#endif
