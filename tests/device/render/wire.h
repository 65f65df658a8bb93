/* wire.h: messages of the renderer to its drawing process agpu-render, in shared memory, with one word over
 * the socket to execute a batch. Both sides are built together, so there are no versions. */
#ifndef VGPU_TESTS_DEVICE_RENDER_WIRE_H
#define VGPU_TESTS_DEVICE_RENDER_WIRE_H

#include <stdint.h>

#include "tests/device/render/dxbc.h"

/* The shared memory, file descriptor 3 of the process: messages from offset 0, then data. Data lives until the
 * end of its batch. Data offsets count from the start of the shared memory. */
#define VGPU_WIRE_MESSAGE_BYTES (4u << 20)
#define VGPU_WIRE_SHARED_BYTES  (96u << 20)
#define VGPU_WIRE_DATA_ALIGN    256u

#define VGPU_WIRE_MAGIC 0x31574741u /* "AGW1" */

/* The process's first message. */
struct vgpu_wire_hello {
    uint32_t magic;
    uint32_t ready;   /* 0: drawing is not possible, see reason */
    char device[128]; /* name of the Vulkan device */
    char reason[256];
};

/* Sent to the process: execute the messages [0, message_bytes). */
struct vgpu_wire_batch {
    uint32_t message_bytes;
    uint32_t data_bytes; /* end of the data in use */
};

/* The answer of the process. */
struct vgpu_wire_result {
    uint32_t failed;       /* messages that could not be executed */
    uint32_t failed_reads; /* number of failed transfers among these: no data of the batch is valid */
    uint32_t lost;         /* the Vulkan device is lost: the process ends, with all of its objects */
    char reason[244];      /* of the first failure */
};

enum vgpu_wire_op {
    VGPU_WIRE_BUFFER_CREATE,
    VGPU_WIRE_BUFFER_WRITE,
    VGPU_WIRE_BUFFER_READ,
    VGPU_WIRE_TEXTURE_CREATE,
    VGPU_WIRE_TEXTURE_WRITE,
    VGPU_WIRE_TEXTURE_READ,
    VGPU_WIRE_RESOURCE_DESTROY,
    VGPU_WIRE_SHADER_CREATE,
    VGPU_WIRE_SHADER_DESTROY,
    VGPU_WIRE_TARGETS,
    VGPU_WIRE_PIPELINE,
    VGPU_WIRE_INPUT,
    VGPU_WIRE_DYNAMIC,
    VGPU_WIRE_VERTEX_BUFFERS,
    VGPU_WIRE_BINDINGS,
    VGPU_WIRE_DRAW,
    VGPU_WIRE_DISPATCH,
    VGPU_WIRE_OPS
};

/* First member of every message; size includes it and is a multiple of 4. */
struct vgpu_wire_header {
    uint32_t op;
    uint32_t size;
};

/* Numbers of resources are below VGPU_WIRE_MAX_RESOURCES, of shaders below VGPU_WIRE_MAX_SHADERS; 0 is
 * none. */
#define VGPU_WIRE_MAX_RESOURCES (1u << 22)
#define VGPU_WIRE_MAX_SHADERS   (1u << 20)

struct vgpu_wire_buffer_create {
    struct vgpu_wire_header header;
    uint32_t buffer;
    uint32_t reserved;
    uint64_t size;
};

/* WRITE and READ: bytes [offset, +size) of the buffer from or to data. Offset and size are multiples of 4. */
struct vgpu_wire_buffer_transfer {
    struct vgpu_wire_header header;
    uint32_t buffer;
    uint32_t data;
    uint64_t offset;
    uint64_t size;
};

struct vgpu_wire_texture_create {
    struct vgpu_wire_header header;
    uint32_t texture;
    uint32_t format; /* AEROGPU_FORMAT_* */
    uint32_t width;
    uint32_t height;
    uint32_t mip_levels;
    uint32_t array_layers;
};

/* WRITE and READ: rows of blocks [row, +rows) of one subresource from or to data, without padding. The stencil
 * of D24S8 is separate: one byte each at stencil_data; data has depth in bits 0-23. */
struct vgpu_wire_texture_transfer {
    struct vgpu_wire_header header;
    uint32_t texture;
    uint32_t mip;
    uint32_t layer;
    uint32_t row;
    uint32_t rows;
    uint32_t data;
    uint32_t stencil_data;
};

struct vgpu_wire_destroy {
    struct vgpu_wire_header header;
    uint32_t number;
};

/* Stages as in enum vgpu_stage. The resources of a stage are in the descriptor set with its number; those of
 * compute are in set 0. */
#define VGPU_WIRE_STAGES 6u

struct vgpu_wire_shader_create {
    struct vgpu_wire_header header;
    uint32_t shader;
    uint32_t stage;
    uint32_t data; /* SPIR-V */
    uint32_t bytes;
    uint32_t binding_count;
    struct vgpu_dxbc_binding bindings[]; /* as in vgpu_dxbc */
};

/* One subresource as a target; texture 0 = none. */
struct vgpu_wire_target {
    uint32_t texture;
    uint32_t format; /* AEROGPU_FORMAT_* of the view */
    uint32_t mip;
    uint32_t layer;
};

struct vgpu_wire_targets {
    struct vgpu_wire_header header;
    uint32_t width; /* size of all targets */
    uint32_t height;
    struct vgpu_wire_target colors[8];
    struct vgpu_wire_target depth;
};

struct vgpu_wire_attribute {
    uint8_t location;
    uint8_t binding;
    uint8_t component_type; /* VGPU_DXBC_*: what the shader reads */
    uint8_t dxgi_format;
    uint32_t offset;
};

struct vgpu_wire_vertex_binding {
    uint32_t stride;
    uint32_t step; /* 0 = per vertex, else instances per element */
};

/* Pipeline state without vertex input and target formats; small, because programs change it with every other
 * draw. */
struct vgpu_wire_pipeline {
    struct vgpu_wire_header header;
    uint32_t shaders[5]; /* by stage */
    uint32_t topology;   /* AEROGPU_TOPOLOGY_* */
    uint32_t blend_enable;
    uint32_t blend[6]; /* src, dst, op; alpha: src, dst, op: AEROGPU_BLEND_* */
    uint8_t write_masks[8];
    uint32_t wireframe;
    uint32_t depth_clip_disable;
};

/* Vertex input of the pipeline; unused array elements are 0. */
struct vgpu_wire_input {
    struct vgpu_wire_header header;
    uint32_t attribute_count;
    uint32_t binding_count;
    struct vgpu_wire_attribute attributes[VGPU_DXBC_REGISTERS];
    struct vgpu_wire_vertex_binding bindings[VGPU_DXBC_REGISTERS];
};

/* State that does not require another pipeline. */
struct vgpu_wire_dynamic {
    struct vgpu_wire_header header;
    float viewport[6];  /* x, y, width, height, depth range */
    int32_t scissor[4]; /* x, y, width, height, inside the target, may be empty */
    float blend_constant[4];
    uint32_t depth_test;
    uint32_t depth_write;
    uint32_t depth_func; /* AEROGPU_COMPARE_* */
    uint32_t cull_mode;  /* AEROGPU_CULL_* */
    uint32_t front_ccw;
    int32_t depth_bias;
    uint32_t restart; /* strips restart at the highest index */
};

struct vgpu_wire_vertex_buffer {
    uint32_t buffer; /* 0 = none: reads 0 */
    uint32_t reserved;
    uint64_t offset;
};

struct vgpu_wire_vertex_buffers {
    struct vgpu_wire_header header;
    uint32_t count;
    uint32_t reserved;
    struct vgpu_wire_vertex_buffer buffers[];
};

/* Binding number i of a shader's list. */
union vgpu_wire_binding {
    struct {
        uint32_t data; /* snapshot of the constants, VGPU_WIRE_DATA_ALIGNed; size 0 = unbound */
        uint32_t size;
    } constants;
    struct {
        uint32_t buffer; /* 0 = unbound */
        uint32_t offset; /* multiples of 4 */
        uint32_t size;
    } buffer;
    struct {
        uint32_t texture; /* 0 = unbound */
        uint32_t format;
        uint16_t base_mip, mips;
        uint16_t base_layer, layers;
    } texture;
    struct {
        uint32_t filter; /* AEROGPU_SAMPLER_*; unbound = nearest, clamp */
        uint32_t address[3];
    } sampler;
    uint32_t words[4];
};

struct vgpu_wire_bindings {
    struct vgpu_wire_header header;
    uint32_t stage;
    uint32_t shader;
    uint32_t count;
    uint32_t writes; /* some of them are UAVs */
    union vgpu_wire_binding bindings[];
};

struct vgpu_wire_draw {
    struct vgpu_wire_header header;
    uint32_t indexed;
    uint32_t count;
    uint32_t instance_count;
    uint32_t first;
    int32_t base_vertex;
    uint32_t first_instance;
    uint32_t index_buffer; /* 0 = indices are data */
    uint32_t index_offset; /* in the buffer, or of the data */
    uint32_t index_wide;   /* 32-bit indices */
};

struct vgpu_wire_dispatch {
    struct vgpu_wire_header header;
    uint32_t shader;
    uint32_t groups[3];
};

#endif
