/* wire.h: what the renderer tells its drawing process agpu-render: messages in shared memory, one word over
 * the socket when a batch of them is to be executed. Both sides are built together; there are no versions of
 * it. */
#ifndef AGPU_TESTS_DEVICE_RENDER_WIRE_H
#define AGPU_TESTS_DEVICE_RENDER_WIRE_H

#include <stdint.h>

#include "tests/device/render/dxbc.h"

/* The shared memory, file descriptor 3 of the process: messages from 0, data behind. Data of a batch lives
 * until the batch is done. Offsets of data count from the start of the shared memory. */
#define AGPU_WIRE_MESSAGE_BYTES (4u << 20)
#define AGPU_WIRE_SHARED_BYTES  (96u << 20)
#define AGPU_WIRE_DATA_ALIGN    256u

#define AGPU_WIRE_MAGIC 0x31574741u /* "AGW1" */

/* The process's first message. */
struct agpu_wire_hello {
    uint32_t magic;
    uint32_t ready;   /* 0: reason says why nothing can be drawn */
    char device[128]; /* name of the Vulkan device */
    char reason[256];
};

/* Sent to the process: execute the messages [0, message_bytes). */
struct agpu_wire_batch {
    uint32_t message_bytes;
    uint32_t data_bytes; /* end of the data in use */
};

/* Its answer. */
struct agpu_wire_result {
    uint32_t failed;       /* messages that could not be executed */
    uint32_t failed_reads; /* of these, transfers: no data of the batch is to be believed */
    uint32_t lost;         /* the Vulkan device is gone: the process ends, all that it held with it */
    char reason[244];      /* of the first failure */
};

enum agpu_wire_op {
    AGPU_WIRE_BUFFER_CREATE,
    AGPU_WIRE_BUFFER_WRITE,
    AGPU_WIRE_BUFFER_READ,
    AGPU_WIRE_TEXTURE_CREATE,
    AGPU_WIRE_TEXTURE_WRITE,
    AGPU_WIRE_TEXTURE_READ,
    AGPU_WIRE_RESOURCE_DESTROY,
    AGPU_WIRE_SHADER_CREATE,
    AGPU_WIRE_SHADER_DESTROY,
    AGPU_WIRE_TARGETS,
    AGPU_WIRE_PIPELINE,
    AGPU_WIRE_INPUT,
    AGPU_WIRE_DYNAMIC,
    AGPU_WIRE_VERTEX_BUFFERS,
    AGPU_WIRE_BINDINGS,
    AGPU_WIRE_DRAW,
    AGPU_WIRE_DISPATCH,
    AGPU_WIRE_OPS
};

/* Every message begins with this; size includes it and is a multiple of 4. */
struct agpu_wire_header {
    uint32_t op;
    uint32_t size;
};

/* Numbers of resources are below AGPU_WIRE_MAX_RESOURCES, of shaders below AGPU_WIRE_MAX_SHADERS; 0 is none.
 */
#define AGPU_WIRE_MAX_RESOURCES (1u << 22)
#define AGPU_WIRE_MAX_SHADERS   (1u << 20)

struct agpu_wire_buffer_create {
    struct agpu_wire_header header;
    uint32_t buffer;
    uint32_t reserved;
    uint64_t size;
};

/* WRITE and READ: the buffer's bytes [offset, +size) from or to data. Offset and size are multiples of 4. */
struct agpu_wire_buffer_transfer {
    struct agpu_wire_header header;
    uint32_t buffer;
    uint32_t data;
    uint64_t offset;
    uint64_t size;
};

struct agpu_wire_texture_create {
    struct agpu_wire_header header;
    uint32_t texture;
    uint32_t format; /* AEROGPU_FORMAT_* */
    uint32_t width;
    uint32_t height;
    uint32_t mip_levels;
    uint32_t array_layers;
};

/* WRITE and READ: rows of blocks [row, +rows) of one subresource from or to data, without padding. The
 * stencil of D24S8 is apart: a byte each at stencil_data; data has depth in bits 0-23. */
struct agpu_wire_texture_transfer {
    struct agpu_wire_header header;
    uint32_t texture;
    uint32_t mip;
    uint32_t layer;
    uint32_t row;
    uint32_t rows;
    uint32_t data;
    uint32_t stencil_data;
};

struct agpu_wire_destroy {
    struct agpu_wire_header header;
    uint32_t number;
};

/* Stages as the model numbers them, enum agpu_stage; a stage's resources are in the descriptor set of that
 * number, compute's in set 0. */
#define AGPU_WIRE_STAGES 6u

struct agpu_wire_shader_create {
    struct agpu_wire_header header;
    uint32_t shader;
    uint32_t stage;
    uint32_t data; /* SPIR-V */
    uint32_t bytes;
    uint32_t binding_count;
    struct agpu_dxbc_binding bindings[]; /* as in agpu_dxbc */
};

/* One subresource as a target; texture 0 = none. */
struct agpu_wire_target {
    uint32_t texture;
    uint32_t format; /* AEROGPU_FORMAT_* of the view */
    uint32_t mip;
    uint32_t layer;
};

struct agpu_wire_targets {
    struct agpu_wire_header header;
    uint32_t width; /* that all of them have */
    uint32_t height;
    struct agpu_wire_target colors[8];
    struct agpu_wire_target depth;
};

struct agpu_wire_attribute {
    uint8_t location;
    uint8_t binding;
    uint8_t component_type; /* AGPU_DXBC_*: what the shader reads */
    uint8_t dxgi_format;
    uint32_t offset;
};

struct agpu_wire_vertex_binding {
    uint32_t stride;
    uint32_t step; /* 0 = per vertex, else instances per element */
};

/* What a pipeline is made of besides vertex input and the formats of the targets: small, as programs change
 * it with every other draw. */
struct agpu_wire_pipeline {
    struct agpu_wire_header header;
    uint32_t shaders[5]; /* by stage */
    uint32_t topology;   /* AEROGPU_TOPOLOGY_* */
    uint32_t blend_enable;
    uint32_t blend[6]; /* src, dst, op; alpha: src, dst, op: AEROGPU_BLEND_* */
    uint8_t write_masks[8];
    uint32_t wireframe;
    uint32_t depth_clip_disable;
};

/* The pipeline's vertex input; what is not used of the arrays is 0. */
struct agpu_wire_input {
    struct agpu_wire_header header;
    uint32_t attribute_count;
    uint32_t binding_count;
    struct agpu_wire_attribute attributes[AGPU_DXBC_REGISTERS];
    struct agpu_wire_vertex_binding bindings[AGPU_DXBC_REGISTERS];
};

/* State that changes without another pipeline. */
struct agpu_wire_dynamic {
    struct agpu_wire_header header;
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

struct agpu_wire_vertex_buffer {
    uint32_t buffer; /* 0 = none: reads 0 */
    uint32_t reserved;
    uint64_t offset;
};

struct agpu_wire_vertex_buffers {
    struct agpu_wire_header header;
    uint32_t count;
    uint32_t reserved;
    struct agpu_wire_vertex_buffer buffers[];
};

/* What is bound where binding number i of a shader's list points. */
union agpu_wire_binding {
    struct {
        uint32_t data; /* snapshot of the constants, AGPU_WIRE_DATA_ALIGNed; size 0 = unbound */
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

struct agpu_wire_bindings {
    struct agpu_wire_header header;
    uint32_t stage;
    uint32_t shader;
    uint32_t count;
    uint32_t writes; /* some of them are UAVs */
    union agpu_wire_binding bindings[];
};

struct agpu_wire_draw {
    struct agpu_wire_header header;
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

struct agpu_wire_dispatch {
    struct agpu_wire_header header;
    uint32_t shader;
    uint32_t groups[3];
};

#endif
