/* aerogpu_cmd_shader.h: shader stages and the packets for shaders and their constants (commands.md 4, 7). */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_CMD_SHADER_H
#define AGPU_RING_PROTOCOL_AEROGPU_CMD_SHADER_H

#include <stdint.h>

#include "ring/protocol/aerogpu_cmd_frame.h"

/* Stage fields. */
#define AEROGPU_SHADER_STAGE_VERTEX   0x0u
#define AEROGPU_SHADER_STAGE_PIXEL    0x1u
#define AEROGPU_SHADER_STAGE_COMPUTE  0x2u
#define AEROGPU_SHADER_STAGE_GEOMETRY 0x3u

/* stage_ex: reserved0 when the stage field is COMPUTE and the stream header has at least this minor version. */
#define AEROGPU_STAGE_EX_MIN_ABI_MINOR   0x3u
#define AEROGPU_SHADER_STAGE_EX_NONE     0x0u
#define AEROGPU_SHADER_STAGE_EX_GEOMETRY 0x2u
#define AEROGPU_SHADER_STAGE_EX_HULL     0x3u
#define AEROGPU_SHADER_STAGE_EX_DOMAIN   0x4u
#define AEROGPU_SHADER_STAGE_EX_COMPUTE  0x5u

/* dxbc_size_bytes of DXBC follow, padded to 4. */
struct aerogpu_cmd_create_shader_dxbc {
    struct aerogpu_cmd_hdr hdr;
    uint32_t shader_handle;
    uint32_t stage;
    uint32_t dxbc_size_bytes;
    uint32_t reserved0; /* stage_ex */
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_destroy_shader {
    struct aerogpu_cmd_hdr hdr;
    uint32_t shader_handle;
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

/* Replaces the shaders of all stages, 0 = none. A packet of 36 bytes or more has gs, hs and ds at 24, 28, 32; in a
 * packet of exactly 24 bytes reserved0 is gs. */
struct aerogpu_cmd_bind_shaders {
    struct aerogpu_cmd_hdr hdr;
    uint32_t vs;
    uint32_t ps;
    uint32_t cs;
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

/* vec4_count elements of four floats follow. */
struct aerogpu_cmd_set_shader_constants_f {
    struct aerogpu_cmd_hdr hdr;
    uint32_t stage;
    uint32_t start_register;
    uint32_t vec4_count;
    uint32_t reserved0; /* stage_ex */
} AEROGPU_CMD_PACKED;

/* vec4_count elements of four 32-bit integers follow. */
struct aerogpu_cmd_set_shader_constants_i {
    struct aerogpu_cmd_hdr hdr;
    uint32_t stage;
    uint32_t start_register;
    uint32_t vec4_count;
    uint32_t reserved0; /* stage_ex */
} AEROGPU_CMD_PACKED;

/* bool_count elements of 16 bytes follow, the scalar in all four lanes, non-zero = true. */
struct aerogpu_cmd_set_shader_constants_b {
    struct aerogpu_cmd_hdr hdr;
    uint32_t stage;
    uint32_t start_register;
    uint32_t bool_count;
    uint32_t reserved0; /* stage_ex */
} AEROGPU_CMD_PACKED;

#endif
