/* aerogpu_cmd_state.h: packets of the fixed-function state: blend, depth, rasteriser, targets, viewport,
 * scissor (commands.md 8). */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_CMD_STATE_H
#define AGPU_RING_PROTOCOL_AEROGPU_CMD_STATE_H

#include <stdint.h>

#include "ring/protocol/aerogpu_cmd_frame.h"

/* Blend factors; CONSTANT is taken per channel of the blend constant. */
#define AEROGPU_BLEND_ZERO           0x0u
#define AEROGPU_BLEND_ONE            0x1u
#define AEROGPU_BLEND_SRC_ALPHA      0x2u
#define AEROGPU_BLEND_INV_SRC_ALPHA  0x3u
#define AEROGPU_BLEND_DEST_ALPHA     0x4u
#define AEROGPU_BLEND_INV_DEST_ALPHA 0x5u
#define AEROGPU_BLEND_CONSTANT       0x6u
#define AEROGPU_BLEND_INV_CONSTANT   0x7u

/* Blend operations: src + dst, src - dst, dst - src, minimum, maximum. */
#define AEROGPU_BLEND_OP_ADD          0x0u
#define AEROGPU_BLEND_OP_SUBTRACT     0x1u
#define AEROGPU_BLEND_OP_REV_SUBTRACT 0x2u
#define AEROGPU_BLEND_OP_MIN          0x3u
#define AEROGPU_BLEND_OP_MAX          0x4u

/* Depth comparison. */
#define AEROGPU_COMPARE_NEVER         0x0u
#define AEROGPU_COMPARE_LESS          0x1u
#define AEROGPU_COMPARE_EQUAL         0x2u
#define AEROGPU_COMPARE_LESS_EQUAL    0x3u
#define AEROGPU_COMPARE_GREATER       0x4u
#define AEROGPU_COMPARE_NOT_EQUAL     0x5u
#define AEROGPU_COMPARE_GREATER_EQUAL 0x6u
#define AEROGPU_COMPARE_ALWAYS        0x7u

/* Rasteriser. */
#define AEROGPU_FILL_SOLID     0x0u
#define AEROGPU_FILL_WIREFRAME 0x1u

#define AEROGPU_CULL_NONE  0x0u
#define AEROGPU_CULL_FRONT 0x1u
#define AEROGPU_CULL_BACK  0x2u

#define AEROGPU_RASTERIZER_FLAG_NONE               0x0u
#define AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE 0x1u

#define AEROGPU_MAX_RENDER_TARGETS 0x8u

/* One state for all targets. */
struct aerogpu_blend_state {
    uint32_t enable;
    uint32_t src_factor; /* AEROGPU_BLEND_* */
    uint32_t dst_factor;
    uint32_t blend_op;        /* AEROGPU_BLEND_OP_* */
    uint8_t color_write_mask; /* bits 0-3 = R, G, B, A; also without blending */
    uint8_t reserved0[3];
    uint32_t src_factor_alpha;
    uint32_t dst_factor_alpha;
    uint32_t blend_op_alpha;
    uint32_t blend_constant_rgba_f32[4];
    uint32_t sample_mask; /* bit 0 clear: every draw is discarded */
} AEROGPU_CMD_PACKED;

/* Packets of 28 bytes or more are accepted; missing members have defaults. */
struct aerogpu_cmd_set_blend_state {
    struct aerogpu_cmd_hdr hdr;
    struct aerogpu_blend_state state;
} AEROGPU_CMD_PACKED;

/* The protocol has no stencil functions and operations: the stencil test passes and the stencil value stays. */
struct aerogpu_depth_stencil_state {
    uint32_t depth_enable;
    uint32_t depth_write_enable;
    uint32_t depth_func; /* AEROGPU_COMPARE_* */
    uint32_t stencil_enable;
    uint8_t stencil_read_mask;
    uint8_t stencil_write_mask;
    uint8_t reserved0[2];
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_set_depth_stencil_state {
    struct aerogpu_cmd_hdr hdr;
    struct aerogpu_depth_stencil_state state;
} AEROGPU_CMD_PACKED;

struct aerogpu_rasterizer_state {
    uint32_t fill_mode; /* AEROGPU_FILL_* */
    uint32_t cull_mode; /* AEROGPU_CULL_* */
    uint32_t front_ccw; /* 0: clockwise, y down, is front */
    uint32_t scissor_enable;
    int32_t depth_bias;
    uint32_t flags; /* AEROGPU_RASTERIZER_FLAG_* */
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_set_rasterizer_state {
    struct aerogpu_cmd_hdr hdr;
    struct aerogpu_rasterizer_state state;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_set_render_targets {
    struct aerogpu_cmd_hdr hdr;
    uint32_t color_count;                        /* <= AEROGPU_MAX_RENDER_TARGETS */
    uint32_t depth_stencil;                      /* 0 = none */
    uint32_t colors[AEROGPU_MAX_RENDER_TARGETS]; /* 0 = none, gaps allowed, unused entries 0 */
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_set_viewport {
    struct aerogpu_cmd_hdr hdr;
    uint32_t x_f32;
    uint32_t y_f32;
    uint32_t width_f32;
    uint32_t height_f32;
    uint32_t min_depth_f32;
    uint32_t max_depth_f32;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_set_scissor {
    struct aerogpu_cmd_hdr hdr;
    int32_t x;
    int32_t y;
    int32_t width;
    int32_t height;
} AEROGPU_CMD_PACKED;

/* A D3D9 render state; accepted and without effect on the versioned path. */
struct aerogpu_cmd_set_render_state {
    struct aerogpu_cmd_hdr hdr;
    uint32_t state; /* D3DRENDERSTATETYPE */
    uint32_t value;
} AEROGPU_CMD_PACKED;

#endif
