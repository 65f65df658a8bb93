/* aerogpu_cmd_input.h: packets of the input assembler: layouts, vertex and index buffers, topology
 * (commands.md 7, 9). */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_CMD_INPUT_H
#define AGPU_RING_PROTOCOL_AEROGPU_CMD_INPUT_H

#include <stdint.h>

#include "ring/protocol/aerogpu_cmd_frame.h"

/* Input layout blob "ILAY": a header and element_count elements. */
#define AEROGPU_INPUT_LAYOUT_BLOB_MAGIC   0x59414C49u
#define AEROGPU_INPUT_LAYOUT_BLOB_VERSION 0x1u

struct aerogpu_input_layout_blob_header {
    uint32_t magic;         /* AEROGPU_INPUT_LAYOUT_BLOB_MAGIC */
    uint32_t version;       /* AEROGPU_INPUT_LAYOUT_BLOB_VERSION */
    uint32_t element_count; /* <= 32 */
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_input_layout_element_dxgi {
    uint32_t semantic_name_hash; /* FNV-1a 32 of the upper-case name without index */
    uint32_t semantic_index;
    uint32_t dxgi_format;             /* DXGI_FORMAT */
    uint32_t input_slot;              /* vertex buffer slot, <= 31 */
    uint32_t aligned_byte_offset;     /* in the vertex; FFFFFFFF = after the previous element of the slot */
    uint32_t input_slot_class;        /* 0 per vertex, 1 per instance */
    uint32_t instance_data_step_rate; /* >= 1 for class 1 */
} AEROGPU_CMD_PACKED;

/* blob_size_bytes of ILAY or of a D3D9 vertex declaration follow, padded to 4. */
struct aerogpu_cmd_create_input_layout {
    struct aerogpu_cmd_hdr hdr;
    uint32_t input_layout_handle;
    uint32_t blob_size_bytes;
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_destroy_input_layout {
    struct aerogpu_cmd_hdr hdr;
    uint32_t input_layout_handle;
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_set_input_layout {
    struct aerogpu_cmd_hdr hdr;
    uint32_t input_layout_handle; /* 0 = none */
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

/* One element of SET_VERTEX_BUFFERS. */
struct aerogpu_vertex_buffer_binding {
    uint32_t buffer; /* 0 = unbind */
    uint32_t stride_bytes;
    uint32_t offset_bytes;
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

/* buffer_count bindings follow. */
struct aerogpu_cmd_set_vertex_buffers {
    struct aerogpu_cmd_hdr hdr;
    uint32_t start_slot;
    uint32_t buffer_count;
} AEROGPU_CMD_PACKED;

#define AEROGPU_INDEX_FORMAT_UINT16 0x0u
#define AEROGPU_INDEX_FORMAT_UINT32 0x1u

struct aerogpu_cmd_set_index_buffer {
    struct aerogpu_cmd_hdr hdr;
    uint32_t buffer;       /* 0 = unbind */
    uint32_t format;       /* AEROGPU_INDEX_FORMAT_* */
    uint32_t offset_bytes; /* multiple of the index size */
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

struct aerogpu_cmd_set_primitive_topology {
    struct aerogpu_cmd_hdr hdr;
    uint32_t topology; /* AEROGPU_TOPOLOGY_* */
    uint32_t reserved0;
} AEROGPU_CMD_PACKED;

/* Topologies; apart from the fan the values are those of D3D11. */
#define AEROGPU_TOPOLOGY_POINTLIST     0x01u
#define AEROGPU_TOPOLOGY_LINELIST      0x02u
#define AEROGPU_TOPOLOGY_LINESTRIP     0x03u
#define AEROGPU_TOPOLOGY_TRIANGLELIST  0x04u
#define AEROGPU_TOPOLOGY_TRIANGLESTRIP 0x05u
#define AEROGPU_TOPOLOGY_TRIANGLEFAN   0x06u
/* With adjacency, for geometry shaders: */
#define AEROGPU_TOPOLOGY_LINELIST_ADJ      0x0Au
#define AEROGPU_TOPOLOGY_LINESTRIP_ADJ     0x0Bu
#define AEROGPU_TOPOLOGY_TRIANGLELIST_ADJ  0x0Cu
#define AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ 0x0Du
/* Patches of n control points, for hull and domain shaders: */
#define AEROGPU_TOPOLOGY_PATCHLIST_1  0x21u
#define AEROGPU_TOPOLOGY_PATCHLIST_2  0x22u
#define AEROGPU_TOPOLOGY_PATCHLIST_3  0x23u
#define AEROGPU_TOPOLOGY_PATCHLIST_4  0x24u
#define AEROGPU_TOPOLOGY_PATCHLIST_5  0x25u
#define AEROGPU_TOPOLOGY_PATCHLIST_6  0x26u
#define AEROGPU_TOPOLOGY_PATCHLIST_7  0x27u
#define AEROGPU_TOPOLOGY_PATCHLIST_8  0x28u
#define AEROGPU_TOPOLOGY_PATCHLIST_9  0x29u
#define AEROGPU_TOPOLOGY_PATCHLIST_10 0x2Au
#define AEROGPU_TOPOLOGY_PATCHLIST_11 0x2Bu
#define AEROGPU_TOPOLOGY_PATCHLIST_12 0x2Cu
#define AEROGPU_TOPOLOGY_PATCHLIST_13 0x2Du
#define AEROGPU_TOPOLOGY_PATCHLIST_14 0x2Eu
#define AEROGPU_TOPOLOGY_PATCHLIST_15 0x2Fu
#define AEROGPU_TOPOLOGY_PATCHLIST_16 0x30u
#define AEROGPU_TOPOLOGY_PATCHLIST_17 0x31u
#define AEROGPU_TOPOLOGY_PATCHLIST_18 0x32u
#define AEROGPU_TOPOLOGY_PATCHLIST_19 0x33u
#define AEROGPU_TOPOLOGY_PATCHLIST_20 0x34u
#define AEROGPU_TOPOLOGY_PATCHLIST_21 0x35u
#define AEROGPU_TOPOLOGY_PATCHLIST_22 0x36u
#define AEROGPU_TOPOLOGY_PATCHLIST_23 0x37u
#define AEROGPU_TOPOLOGY_PATCHLIST_24 0x38u
#define AEROGPU_TOPOLOGY_PATCHLIST_25 0x39u
#define AEROGPU_TOPOLOGY_PATCHLIST_26 0x3Au
#define AEROGPU_TOPOLOGY_PATCHLIST_27 0x3Bu
#define AEROGPU_TOPOLOGY_PATCHLIST_28 0x3Cu
#define AEROGPU_TOPOLOGY_PATCHLIST_29 0x3Du
#define AEROGPU_TOPOLOGY_PATCHLIST_30 0x3Eu
#define AEROGPU_TOPOLOGY_PATCHLIST_31 0x3Fu
#define AEROGPU_TOPOLOGY_PATCHLIST_32 0x40u

#endif
