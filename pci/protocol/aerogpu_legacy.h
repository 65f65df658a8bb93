/* aerogpu_legacy.h: the retired "ARGP" ABI (legacy.md): identity, registers, ring entries, submission
 * descriptors and the original command packets. Many names are those of the versioned headers with other
 * values: never include it together with them in one translation unit. */
#ifndef AGPU_PCI_PROTOCOL_AEROGPU_LEGACY_H
#define AGPU_PCI_PROTOCOL_AEROGPU_LEGACY_H

#ifdef AGPU_PCI_AEROGPU_PCI_H
#error                                                                                                       \
    "expected one ABI, found pci/protocol/aerogpu_pci.h included before pci/protocol/aerogpu_legacy.h: use separate files"
#endif
#define AGPU_PCI_AEROGPU_PCI_H /* keeps the versioned header out from here on */

#include <stdint.h>

/* Identity (legacy.md 1). */
#define AEROGPU_PCI_VENDOR_ID 0x1AEDu
#define AEROGPU_PCI_DEVICE_ID 0x0001u
#define AEROGPU_MMIO_MAGIC    0x41524750u /* "ARGP" read as a number, most significant byte first */
#define AEROGPU_MMIO_VERSION  0x00010000u

/* BAR0 registers (legacy.md 2): identification, ring, interrupt and fence. */
#define AEROGPU_REG_MAGIC            0x0000u
#define AEROGPU_REG_VERSION          0x0004u
#define AEROGPU_REG_RING_BASE_LO     0x0010u /* address of entry 0, there is no ring header */
#define AEROGPU_REG_RING_BASE_HI     0x0014u
#define AEROGPU_REG_RING_ENTRY_COUNT 0x0018u /* a write also sets head = tail = 0 */
#define AEROGPU_REG_RING_HEAD        0x001Cu /* next entry to consume, in [0, count) */
#define AEROGPU_REG_RING_TAIL        0x0020u /* next free entry, in [0, count) */
#define AEROGPU_REG_RING_DOORBELL    0x0024u
#define AEROGPU_REG_INT_STATUS       0x0030u /* AEROGPU_INT_*, unmasked */
#define AEROGPU_REG_INT_ACK          0x0034u /* write 1 to clear */
#define AEROGPU_REG_FENCE_COMPLETED  0x0038u

/* Scanout registers. FB_LO is staged, FB_HI commits both halves. */
#define AEROGPU_REG_SCANOUT_FB_LO  0x0100u
#define AEROGPU_REG_SCANOUT_FB_HI  0x0104u
#define AEROGPU_REG_SCANOUT_PITCH  0x0108u /* bytes a row */
#define AEROGPU_REG_SCANOUT_WIDTH  0x010Cu
#define AEROGPU_REG_SCANOUT_HEIGHT 0x0110u
#define AEROGPU_REG_SCANOUT_FORMAT 0x0114u /* AEROGPU_SCANOUT_X8R8G8B8, else invalid */
#define AEROGPU_REG_SCANOUT_ENABLE 0x0118u

#define AEROGPU_INT_FENCE        0x1u
#define AEROGPU_SCANOUT_X8R8G8B8 0x1u /* bytes B, G, R, X */

/* Ring entry and submission descriptor (legacy.md 3, 4). */
#define AEROGPU_RING_ENTRY_SUBMIT       0x1u
#define AEROGPU_SUBMISSION_DESC_VERSION 0x1u
#define AEROGPU_SUBMIT_RENDER           0x1u
#define AEROGPU_SUBMIT_PRESENT          0x2u
#define AEROGPU_SUBMIT_PAGING           0x3u

struct aerogpu_ring_entry_submit {
    uint32_t type; /* AEROGPU_RING_ENTRY_SUBMIT, else the entry is skipped */
    uint32_t flags;
    uint32_t fence;
    uint32_t desc_size; /* >= 32 */
    uint64_t desc_gpa;
};

union aerogpu_ring_entry {
    uint32_t type;
    struct aerogpu_ring_entry_submit submit;
};

struct aerogpu_submission_desc_header {
    uint32_t version; /* AEROGPU_SUBMISSION_DESC_VERSION */
    uint32_t type;    /* AEROGPU_SUBMIT_* */
    uint32_t fence;   /* as in the ring entry */
    uint32_t reserved0;
    uint64_t dma_buffer_gpa;
    uint32_t dma_buffer_size;
    uint32_t allocation_count; /* aerogpu_submission_desc_allocation that follow */
};

struct aerogpu_submission_desc_allocation {
    uint64_t allocation_handle; /* driver-private */
    uint64_t gpa;
    uint32_t size_bytes;
    uint32_t alloc_id;
};

/* Original command packets (legacy.md 5): AEROGPU_CMD_HEADER, then the payload of the opcode. */
#define AEROGPU_CMD_CREATE_RESOURCE        0x001u
#define AEROGPU_CMD_DESTROY_RESOURCE       0x002u
#define AEROGPU_CMD_UPLOAD_RESOURCE        0x003u
#define AEROGPU_CMD_CREATE_SHADER          0x101u
#define AEROGPU_CMD_DESTROY_SHADER         0x102u
#define AEROGPU_CMD_BIND_SHADERS           0x103u
#define AEROGPU_CMD_SET_INPUT_LAYOUT       0x104u
#define AEROGPU_CMD_SET_VERTEX_BUFFER      0x201u
#define AEROGPU_CMD_SET_INDEX_BUFFER       0x202u
#define AEROGPU_CMD_SET_RENDER_TARGET      0x203u
#define AEROGPU_CMD_SET_VIEWPORT           0x204u
#define AEROGPU_CMD_SET_DEPTH_STENCIL      0x205u
#define AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY 0x206u
#define AEROGPU_CMD_CLEAR_RTV              0x301u
#define AEROGPU_CMD_DRAW                   0x302u
#define AEROGPU_CMD_DRAW_INDEXED           0x303u
#define AEROGPU_CMD_CLEAR_DSV              0x304u
#define AEROGPU_CMD_PRESENT                0x401u
#define AEROGPU_CMD_SIGNAL_FENCE           0x402u

#define AEROGPU_RESOURCE_KIND_BUFFER 0x1u
#define AEROGPU_RESOURCE_KIND_TEX2D  0x2u

#define AEROGPU_SHADER_STAGE_VS 0x1u
#define AEROGPU_SHADER_STAGE_PS 0x2u

struct AEROGPU_CMD_HEADER {
    uint32_t opcode;
    uint32_t size_bytes; /* with this header */
};

struct AEROGPU_CMD_CREATE_RESOURCE_PAYLOAD {
    uint32_t alloc_index;
    uint32_t kind; /* AEROGPU_RESOURCE_KIND_* */
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

struct AEROGPU_CMD_DESTROY_RESOURCE_PAYLOAD {
    uint32_t alloc_index;
};

struct AEROGPU_CMD_UPLOAD_RESOURCE_PAYLOAD { /* data follow */
    uint32_t alloc_index;
    uint32_t dst_offset_bytes;
    uint32_t data_size_bytes;
};

struct AEROGPU_CMD_CREATE_SHADER_PAYLOAD { /* DXBC follows */
    uint32_t shader_id;
    uint32_t stage; /* AEROGPU_SHADER_STAGE_VS, _PS */
    uint32_t dxbc_size_bytes;
};

struct AEROGPU_CMD_DESTROY_SHADER_PAYLOAD {
    uint32_t shader_id;
};

struct AEROGPU_CMD_BIND_SHADERS_PAYLOAD {
    uint32_t vs_shader_id;
    uint32_t ps_shader_id;
};

struct AEROGPU_INPUT_ELEMENT { /* the layout of an ILAY element */
    uint32_t semantic_name_hash;
    uint32_t semantic_index;
    uint32_t format_dxgi;
    uint32_t input_slot;
    uint32_t aligned_byte_offset;
    uint32_t input_slot_class;
    uint32_t instance_data_step_rate;
};

struct AEROGPU_CMD_SET_INPUT_LAYOUT_PAYLOAD { /* elements follow */
    uint32_t element_count;
};

struct AEROGPU_CMD_SET_VERTEX_BUFFER_PAYLOAD {
    uint32_t alloc_index;
    uint32_t stride_bytes;
    uint32_t offset_bytes;
};

struct AEROGPU_CMD_SET_INDEX_BUFFER_PAYLOAD {
    uint32_t alloc_index;
    uint32_t index_format_dxgi; /* 57 R16_UINT, 42 R32_UINT */
    uint32_t offset_bytes;
};

struct AEROGPU_CMD_SET_RENDER_TARGET_PAYLOAD {
    uint32_t rtv_alloc_index;
};

struct AEROGPU_CMD_SET_DEPTH_STENCIL_PAYLOAD {
    uint32_t dsv_alloc_index;
};

struct AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY_PAYLOAD {
    uint32_t topology; /* D3D11 number */
};

struct AEROGPU_CMD_SET_VIEWPORT_PAYLOAD { /* IEEE 754 float bits */
    uint32_t x;
    uint32_t y;
    uint32_t width;
    uint32_t height;
    uint32_t min_depth;
    uint32_t max_depth;
};

struct AEROGPU_CMD_CLEAR_RTV_PAYLOAD { /* IEEE 754 float bits */
    uint32_t rgba[4];
};

struct AEROGPU_CMD_DRAW_PAYLOAD {
    uint32_t vertex_count;
    uint32_t start_vertex_location;
};

struct AEROGPU_CMD_DRAW_INDEXED_PAYLOAD {
    uint32_t index_count;
    uint32_t start_index_location;
    int32_t base_vertex_location;
};

struct AEROGPU_CMD_CLEAR_DSV_PAYLOAD {
    uint32_t depth; /* IEEE 754 float bits */
    uint32_t stencil;
    uint32_t flags; /* bit 0 depth, bit 1 stencil */
};

struct AEROGPU_CMD_PRESENT_PAYLOAD {
    uint32_t backbuffer_alloc_index;
    uint32_t sync_interval;
};

struct AEROGPU_CMD_SIGNAL_FENCE_PAYLOAD {
    uint64_t fence_value;
} __attribute__((packed, aligned(4)));

#endif
