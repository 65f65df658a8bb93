/* shaderc_wire.h: messages between the renderer and its translation process, over a socket. */
#ifndef VGPU_TESTS_DEVICE_RENDER_SHADERC_WIRE_H
#define VGPU_TESTS_DEVICE_RENDER_SHADERC_WIRE_H

#include <stdint.h>

/* The helper's first message: the version of its translator, part of every cache key. */
struct vgpu_shaderc_hello {
    uint32_t magic; /* VGPU_SHADERC_MAGIC */
    char version[60];
};

/* A request, followed by binding_count bindings and size bytes of DXBC. */
struct vgpu_shaderc_request {
    uint32_t size;
    uint32_t set;        /* descriptor set of all its resources */
    uint32_t visibility; /* enum vgpu_dxbc_type */
    uint32_t binding_count;
    uint32_t tess_output_primitive; /* of the hull shader; 0 unless the shader is a domain shader */
    uint32_t tess_partitioning;
    uint32_t
        is_spirv; /* do not translate: validate these bytes as SPIR-V; the answer is empty when they are valid */
};

/* Resource of one register; its position in the list is its binding number. */
struct vgpu_shaderc_binding {
    uint8_t kind; /* enum vgpu_dxbc_binding_kind */
    uint8_t reg;
    uint16_t reserved;
};

/* The answer, followed by size bytes: SPIR-V, or if failed a text of at most VGPU_SHADERC_MAX_TEXT bytes. */
struct vgpu_shaderc_response {
    uint32_t failed;
    uint32_t size;
};

#define VGPU_SHADERC_MAGIC     0x32435341u /* "ASC2" */
#define VGPU_SHADERC_MAX_SPIRV (16u << 20)
#define VGPU_SHADERC_MAX_TEXT  1024u

#endif
