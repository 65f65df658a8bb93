/* aerogpu_cmd_binding.h: packets that bind textures, samplers and buffers to shader slots (commands.md
 * 10). */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_CMD_BINDING_H
#define AGPU_RING_PROTOCOL_AEROGPU_CMD_BINDING_H

#include <stdint.h>

#include "ring/protocol/aerogpu_cmd_frame.h"

/* Samplers: one filter for minification, magnification and mips; address mode per axis. */
#define AEROGPU_SAMPLER_FILTER_NEAREST        0x0u
#define AEROGPU_SAMPLER_FILTER_LINEAR         0x1u
#define AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE 0x0u
#define AEROGPU_SAMPLER_ADDRESS_REPEAT        0x1u
#define AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT 0x2u

struct aerogpu_cmd_set_texture {
    struct aerogpu_cmd_hdr hdr;
    uint32_t shader_stage;
    uint32_t slot;
    uint32_t texture;   /* 0 = unbind; a buffer handle binds the whole buffer */
    uint32_t reserved0; /* stage_ex */
} AEROGPU_CMD_PACKED;

/* A D3D9 sampler state; accepted and without effect on the versioned path. */
struct aerogpu_cmd_set_sampler_state {
    struct aerogpu_cmd_hdr hdr;
    uint32_t shader_stage;
    uint32_t slot;
    uint32_t state; /* D3DSAMPLERSTATETYPE */
    uint32_t value;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_create_sampler {
    struct aerogpu_cmd_hdr hdr;
    uint32_t sampler_handle;
    uint32_t filter;    /* AEROGPU_SAMPLER_FILTER_* */
    uint32_t address_u; /* AEROGPU_SAMPLER_ADDRESS_* */
    uint32_t address_v;
    uint32_t address_w;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_destroy_sampler {
    struct aerogpu_cmd_hdr hdr;
    uint32_t sampler_handle;
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

/* sampler_count handles follow. */
struct aerogpu_cmd_set_samplers {
    struct aerogpu_cmd_hdr hdr;
    uint32_t shader_stage;
    uint32_t start_slot;
    uint32_t sampler_count;
    uint32_t reserved0; /* stage_ex */
} AEROGPU_CMD_PACKED;

/* Bindings of the three packets below; size_bytes 0 = rest of the buffer. */
struct aerogpu_constant_buffer_binding {
    uint32_t buffer; /* 0 = unbind */
    uint32_t offset_bytes;
    uint32_t size_bytes;
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_shader_resource_buffer_binding {
    uint32_t buffer;
    uint32_t offset_bytes;
    uint32_t size_bytes;
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_unordered_access_buffer_binding {
    uint32_t buffer;
    uint32_t offset_bytes;
    uint32_t size_bytes;
    uint32_t initial_count; /* FFFFFFFF = keep the counter */
} AEROGPU_CMD_PACKED;

/* buffer_count bindings follow. */
struct aerogpu_cmd_set_constant_buffers {
    struct aerogpu_cmd_hdr hdr;
    uint32_t shader_stage;
    uint32_t start_slot;
    uint32_t buffer_count;
    uint32_t reserved0; /* stage_ex */
} AEROGPU_CMD_PACKED;

/* buffer_count bindings follow. */
struct aerogpu_cmd_set_shader_resource_buffers {
    struct aerogpu_cmd_hdr hdr;
    uint32_t shader_stage;
    uint32_t start_slot;
    uint32_t buffer_count;
    uint32_t reserved0; /* stage_ex */
} AEROGPU_CMD_PACKED;

/* uav_count bindings follow. */
struct aerogpu_cmd_set_unordered_access_buffers {
    struct aerogpu_cmd_hdr hdr;
    uint32_t shader_stage;
    uint32_t start_slot;
    uint32_t uav_count;
    uint32_t reserved0; /* stage_ex */
} AEROGPU_CMD_PACKED;

#endif
