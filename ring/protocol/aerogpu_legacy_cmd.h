/* aerogpu_legacy_cmd.h: the original command packets, of the retired "ARGP" device (legacy.md 5). */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_LEGACY_CMD_H
#define AGPU_RING_PROTOCOL_AEROGPU_LEGACY_CMD_H

#include <stdint.h>

/* Original command packets (legacy.md 5): AEROGPU_LEGACY_CMD_HEADER, then the payload of the opcode. */
#define AEROGPU_LEGACY_CMD_CREATE_RESOURCE        0x001u
#define AEROGPU_LEGACY_CMD_DESTROY_RESOURCE       0x002u
#define AEROGPU_LEGACY_CMD_UPLOAD_RESOURCE        0x003u
#define AEROGPU_LEGACY_CMD_CREATE_SHADER          0x101u
#define AEROGPU_LEGACY_CMD_DESTROY_SHADER         0x102u
#define AEROGPU_LEGACY_CMD_BIND_SHADERS           0x103u
#define AEROGPU_LEGACY_CMD_SET_INPUT_LAYOUT       0x104u
#define AEROGPU_LEGACY_CMD_SET_VERTEX_BUFFER      0x201u
#define AEROGPU_LEGACY_CMD_SET_INDEX_BUFFER       0x202u
#define AEROGPU_LEGACY_CMD_SET_RENDER_TARGET      0x203u
#define AEROGPU_LEGACY_CMD_SET_VIEWPORT           0x204u
#define AEROGPU_LEGACY_CMD_SET_DEPTH_STENCIL      0x205u
#define AEROGPU_LEGACY_CMD_SET_PRIMITIVE_TOPOLOGY 0x206u
#define AEROGPU_LEGACY_CMD_CLEAR_RTV              0x301u
#define AEROGPU_LEGACY_CMD_DRAW                   0x302u
#define AEROGPU_LEGACY_CMD_DRAW_INDEXED           0x303u
#define AEROGPU_LEGACY_CMD_CLEAR_DSV              0x304u
#define AEROGPU_LEGACY_CMD_PRESENT                0x401u
#define AEROGPU_LEGACY_CMD_SIGNAL_FENCE           0x402u

#define AEROGPU_LEGACY_RESOURCE_KIND_BUFFER 0x1u
#define AEROGPU_LEGACY_RESOURCE_KIND_TEX2D  0x2u

#define AEROGPU_LEGACY_SHADER_STAGE_VS 0x1u
#define AEROGPU_LEGACY_SHADER_STAGE_PS 0x2u

struct AEROGPU_LEGACY_CMD_HEADER {
    uint32_t opcode;
    uint32_t size_bytes; /* with this header */
};

struct AEROGPU_LEGACY_CMD_CREATE_RESOURCE_PAYLOAD {
    uint32_t alloc_index;
    uint32_t kind; /* AEROGPU_LEGACY_RESOURCE_KIND_* */
    uint32_t bind_flags;
    uint32_t misc_flags;
    uint32_t size_bytes; /* buffers */
    uint32_t stride_bytes;
    uint32_t width; /* textures */
    uint32_t height;
    uint32_t mip_levels;
    uint32_t array_size;
    uint32_t dxgi_format;
};

struct AEROGPU_LEGACY_CMD_DESTROY_RESOURCE_PAYLOAD {
    uint32_t alloc_index;
};

struct AEROGPU_LEGACY_CMD_UPLOAD_RESOURCE_PAYLOAD { /* data follow */
    uint32_t alloc_index;
    uint32_t dst_offset_bytes;
    uint32_t data_size_bytes;
};

struct AEROGPU_LEGACY_CMD_CREATE_SHADER_PAYLOAD { /* DXBC follows */
    uint32_t shader_id;
    uint32_t stage; /* AEROGPU_LEGACY_SHADER_STAGE_VS, _PS */
    uint32_t dxbc_size_bytes;
};

struct AEROGPU_LEGACY_CMD_DESTROY_SHADER_PAYLOAD {
    uint32_t shader_id;
};

struct AEROGPU_LEGACY_CMD_BIND_SHADERS_PAYLOAD {
    uint32_t vs_shader_id;
    uint32_t ps_shader_id;
};

struct AEROGPU_LEGACY_INPUT_ELEMENT { /* the layout of an ILAY element */
    uint32_t semantic_name_hash;
    uint32_t semantic_index;
    uint32_t format_dxgi;
    uint32_t input_slot;
    uint32_t aligned_byte_offset;
    uint32_t input_slot_class;
    uint32_t instance_data_step_rate;
};

struct AEROGPU_LEGACY_CMD_SET_INPUT_LAYOUT_PAYLOAD { /* elements follow */
    uint32_t element_count;
};

struct AEROGPU_LEGACY_CMD_SET_VERTEX_BUFFER_PAYLOAD {
    uint32_t alloc_index;
    uint32_t stride_bytes;
    uint32_t offset_bytes;
};

struct AEROGPU_LEGACY_CMD_SET_INDEX_BUFFER_PAYLOAD {
    uint32_t alloc_index;
    uint32_t index_format_dxgi; /* 57 R16_UINT, 42 R32_UINT */
    uint32_t offset_bytes;
};

struct AEROGPU_LEGACY_CMD_SET_RENDER_TARGET_PAYLOAD {
    uint32_t rtv_alloc_index;
};

struct AEROGPU_LEGACY_CMD_SET_DEPTH_STENCIL_PAYLOAD {
    uint32_t dsv_alloc_index;
};

struct AEROGPU_LEGACY_CMD_SET_PRIMITIVE_TOPOLOGY_PAYLOAD {
    uint32_t topology; /* D3D11 number */
};

struct AEROGPU_LEGACY_CMD_SET_VIEWPORT_PAYLOAD { /* IEEE 754 float bits */
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    uint32_t min_depth;
    uint32_t max_depth;
};

struct AEROGPU_LEGACY_CMD_CLEAR_RTV_PAYLOAD { /* IEEE 754 float bits */
    uint32_t rgba[4];
};

struct AEROGPU_LEGACY_CMD_DRAW_PAYLOAD {
    uint32_t vertex_count;
    uint32_t start_vertex_location;
};

struct AEROGPU_LEGACY_CMD_DRAW_INDEXED_PAYLOAD {
    uint32_t index_count;
    uint32_t start_index_location;
    int32_t base_vertex_location;
};

struct AEROGPU_LEGACY_CMD_CLEAR_DSV_PAYLOAD {
    uint32_t depth; /* IEEE 754 float bits */
    uint32_t stencil;
    uint32_t flags; /* bit 0 depth, bit 1 stencil */
};

struct AEROGPU_LEGACY_CMD_PRESENT_PAYLOAD {
    uint32_t backbuffer_alloc_index;
    uint32_t sync_interval;
};

struct AEROGPU_LEGACY_CMD_SIGNAL_FENCE_PAYLOAD {
    uint64_t fence_value;
} __attribute__((packed, aligned(4)));

#endif
