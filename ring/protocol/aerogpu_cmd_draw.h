/* aerogpu_cmd_draw.h: packets that clear, draw, dispatch, present and flush (commands.md 11). */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_CMD_DRAW_H
#define AGPU_RING_PROTOCOL_AEROGPU_CMD_DRAW_H

#include <stdint.h>

#include "ring/protocol/aerogpu_cmd_frame.h"

/* Bits of CLEAR: the targets to clear. */
#define AEROGPU_CLEAR_COLOR   0x1u
#define AEROGPU_CLEAR_DEPTH   0x2u
#define AEROGPU_CLEAR_STENCIL 0x4u

/* flags of PRESENT and PRESENT_EX. */
#define AEROGPU_PRESENT_FLAG_NONE  0x0u
#define AEROGPU_PRESENT_FLAG_VSYNC 0x1u /* the fence waits for a vblank edge (ring.md 7) */

/* Clears every bound target completely. */
struct aerogpu_cmd_clear {
    struct aerogpu_cmd_hdr hdr;
    uint32_t flags;             /* AEROGPU_CLEAR_* */
    uint32_t color_rgba_f32[4]; /* linear */
    uint32_t depth_f32;
    uint32_t stencil; /* low 8 bits */
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_draw {
    struct aerogpu_cmd_hdr hdr;
    uint32_t vertex_count;
    uint32_t instance_count;
    uint32_t first_vertex;
    uint32_t first_instance;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_draw_indexed {
    struct aerogpu_cmd_hdr hdr;
    uint32_t index_count;
    uint32_t instance_count;
    uint32_t first_index;
    int32_t base_vertex;
    uint32_t first_instance;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_dispatch {
    struct aerogpu_cmd_hdr hdr;
    uint32_t group_count_x;
    uint32_t group_count_y;
    uint32_t group_count_z;
    uint32_t reserved0; /* stage_ex, as if the stage were COMPUTE */
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_present {
    struct aerogpu_cmd_hdr hdr;
    uint32_t scanout_id;
    uint32_t flags; /* AEROGPU_PRESENT_FLAG_* */
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_present_ex {
    struct aerogpu_cmd_hdr hdr;
    uint32_t scanout_id;
    uint32_t flags;
    uint32_t d3d9_present_flags; /* raw, ignored by the device */
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_flush {
    struct aerogpu_cmd_hdr hdr;
    uint32_t reserved0;
    uint32_t reserved1;
} AEROGPU_CMD_PACKED;

#endif
