/* dxbc_shader.h: properties of a shader, read from its DXBC container: signatures, bindings, limits. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_SHADER_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_SHADER_H

#include <stdbool.h>
#include <stdint.h>

/* Program types as in the version token. */
enum vgpu_dxbc_type {
    VGPU_DXBC_PIXEL,
    VGPU_DXBC_VERTEX,
    VGPU_DXBC_GEOMETRY,
    VGPU_DXBC_HULL,
    VGPU_DXBC_DOMAIN,
    VGPU_DXBC_COMPUTE,
    VGPU_DXBC_TYPES
};

/* Limits of Direct3D 11. */
#define VGPU_DXBC_MAX_BYTES        (1u << 20)
#define VGPU_DXBC_REGISTERS        32u
#define VGPU_DXBC_TEMPS            4096u
#define VGPU_DXBC_CONSTANT_BUFFERS 14u
#define VGPU_DXBC_RESOURCES        128u
#define VGPU_DXBC_SAMPLERS         16u
#define VGPU_DXBC_UAVS             8u
#define VGPU_DXBC_BINDINGS                                                                                   \
    (VGPU_DXBC_CONSTANT_BUFFERS + VGPU_DXBC_RESOURCES + VGPU_DXBC_SAMPLERS + VGPU_DXBC_UAVS)

/* System values of signature elements that the renderer uses. */
#define VGPU_DXBC_SV_NONE        0u
#define VGPU_DXBC_SV_VERTEX_ID   6u
#define VGPU_DXBC_SV_INSTANCE_ID 8u

/* Component types of signature elements. */
#define VGPU_DXBC_UINT  1u
#define VGPU_DXBC_INT   2u
#define VGPU_DXBC_FLOAT 3u

/* One element of a signature. Depth and coverage outputs have register FFFFFFFF. */
struct vgpu_dxbc_element {
    uint32_t name_hash; /* FNV-1a 32 of the upper-case name, as in an ILAY blob */
    uint32_t index;
    uint32_t system_value;
    uint32_t component_type;
    uint32_t reg;
    uint8_t mask;
    uint8_t used;
};

struct vgpu_dxbc_signature {
    uint32_t count;
    struct vgpu_dxbc_element elements[2 * VGPU_DXBC_REGISTERS];
};

enum vgpu_dxbc_binding_kind {
    VGPU_DXBC_CONSTANT_BUFFER,
    VGPU_DXBC_TEXTURE,
    VGPU_DXBC_BUFFER, /* typed, raw or structured */
    VGPU_DXBC_SAMPLER,
    VGPU_DXBC_UAV_TEXTURE,
    VGPU_DXBC_UAV_BUFFER
};

/* A declared resource. `bindings` is in the order of the declarations; the index is the binding number in the
 * translated shader. */
struct vgpu_dxbc_binding {
    uint8_t kind; /* enum vgpu_dxbc_binding_kind */
    uint8_t reg;
    uint8_t dimension;  /* token value of textures: 3 = 2D, 8 = 2D array, ... */
    uint8_t data;       /* VGPU_DXBC_UINT, INT or FLOAT */
    uint32_t registers; /* constant buffers: declared float4 registers */
};

/* All known properties of a shader. */
struct vgpu_dxbc {
    uint8_t type; /* enum vgpu_dxbc_type */
    uint8_t major;
    uint8_t minor;
    struct vgpu_dxbc_signature inputs;
    struct vgpu_dxbc_signature outputs;
    struct vgpu_dxbc_signature patch;
    uint32_t binding_count;
    struct vgpu_dxbc_binding bindings[VGPU_DXBC_BINDINGS];
    uint32_t input_control_points;
    uint32_t output_control_points;
    uint8_t domain;           /* 1 isoline, 2 triangle, 3 quad */
    uint8_t partitioning;     /* 1 integer, 2 pow2, 3 fractional odd, 4 fractional even */
    uint8_t output_primitive; /* of the tessellator: 1 point, 2 line, 3 triangle cw, 4 ccw */
    uint8_t input_primitive;  /* geometry: 1 point, 2 line, 3 triangle, 6 line adj, 7 triangle adj */
    uint8_t writes_depth;
    uint32_t thread_group[3];
};

#endif
