/* compile.c: libvkd3d-shader: DXBC to SPIR-V. Builds with version 1.2 (Debian 12) and later ones. */
#include "tests/device/shaderc/compile.h"

#include <stdio.h>
#include <string.h>
#include <vkd3d_types.h>

#include <vkd3d_shader.h>

#include "tests/device/render/dxbc.h"

void vgpu_compile_version(char *text, size_t size)
{
    /* "vulkan1.0 points single" is part of the cache key: change it when the translation of a shader
     * changes. */
    snprintf(text, size, "%.40s vulkan1.0 points single", vkd3d_shader_get_version(NULL, NULL));
}

static struct vkd3d_shader_resource_binding binding_of(const struct vgpu_shaderc_binding *binding,
                                                       uint32_t set, uint32_t number,
                                                       enum vkd3d_shader_visibility visibility)
{
    static const struct {
        enum vkd3d_shader_descriptor_type type;
        unsigned flags;
    } kinds[] = {
        [VGPU_DXBC_CONSTANT_BUFFER] = {VKD3D_SHADER_DESCRIPTOR_TYPE_CBV, VKD3D_SHADER_BINDING_FLAG_BUFFER},
        [VGPU_DXBC_TEXTURE] = {VKD3D_SHADER_DESCRIPTOR_TYPE_SRV, VKD3D_SHADER_BINDING_FLAG_IMAGE},
        [VGPU_DXBC_BUFFER] = {VKD3D_SHADER_DESCRIPTOR_TYPE_SRV, VKD3D_SHADER_BINDING_FLAG_BUFFER},
        [VGPU_DXBC_SAMPLER] = {VKD3D_SHADER_DESCRIPTOR_TYPE_SAMPLER, VKD3D_SHADER_BINDING_FLAG_IMAGE},
        [VGPU_DXBC_UAV_TEXTURE] = {VKD3D_SHADER_DESCRIPTOR_TYPE_UAV, VKD3D_SHADER_BINDING_FLAG_IMAGE},
        [VGPU_DXBC_UAV_BUFFER] = {VKD3D_SHADER_DESCRIPTOR_TYPE_UAV, VKD3D_SHADER_BINDING_FLAG_BUFFER},
    };
    uint32_t kind = binding->kind <= VGPU_DXBC_UAV_BUFFER ? binding->kind : VGPU_DXBC_SAMPLER;
    return (struct vkd3d_shader_resource_binding){
        .type = kinds[kind].type,
        .register_index = binding->reg,
        .shader_visibility = visibility,
        .flags = kinds[kind].flags,
        .binding = {.set = set, .binding = number, .count = 1},
    };
}

bool vgpu_compile(const struct vgpu_shaderc_request *request, const struct vgpu_shaderc_binding *bindings,
                  const void *dxbc, const uint32_t **words, uint32_t *size, char *why, size_t why_size)
{
    static const enum vkd3d_shader_visibility visibilities[VGPU_DXBC_TYPES] = {
        [VGPU_DXBC_PIXEL] = VKD3D_SHADER_VISIBILITY_PIXEL,
        [VGPU_DXBC_VERTEX] = VKD3D_SHADER_VISIBILITY_VERTEX,
        [VGPU_DXBC_GEOMETRY] = VKD3D_SHADER_VISIBILITY_GEOMETRY,
        [VGPU_DXBC_HULL] = VKD3D_SHADER_VISIBILITY_HULL,
        [VGPU_DXBC_DOMAIN] = VKD3D_SHADER_VISIBILITY_DOMAIN,
        [VGPU_DXBC_COMPUTE] = VKD3D_SHADER_VISIBILITY_COMPUTE,
    };
    struct vkd3d_shader_resource_binding list[VGPU_DXBC_BINDINGS];

    for (uint32_t i = 0; i < request->binding_count; i++) {
        list[i] = binding_of(&bindings[i], request->set, i, visibilities[request->visibility]);
    }
    struct vkd3d_shader_spirv_domain_shader_target_info domain = {
        .type = VKD3D_SHADER_STRUCTURE_TYPE_SPIRV_DOMAIN_SHADER_TARGET_INFO,
        .output_primitive = (enum vkd3d_shader_tessellator_output_primitive)request->tess_output_primitive,
        .partitioning = (enum vkd3d_shader_tessellator_partitioning)request->tess_partitioning,
    };
    struct vkd3d_shader_spirv_target_info target = {
        .type = VKD3D_SHADER_STRUCTURE_TYPE_SPIRV_TARGET_INFO,
        .next = request->tess_output_primitive ? &domain : NULL,
        .environment = VKD3D_SHADER_SPIRV_ENVIRONMENT_VULKAN_1_0,
    };
    struct vkd3d_shader_interface_info interface = {
        .type = VKD3D_SHADER_STRUCTURE_TYPE_INTERFACE_INFO,
        .next = &target,
        .bindings = list,
        .binding_count = request->binding_count,
    };
    struct vkd3d_shader_compile_info info = {
        .type = VKD3D_SHADER_STRUCTURE_TYPE_COMPILE_INFO,
        .next = &interface,
        .source = {.code = dxbc, .size = request->size},
        .source_type = VKD3D_SHADER_SOURCE_DXBC_TPF,
        .target_type = VKD3D_SHADER_TARGET_SPIRV_BINARY,
        .log_level = VKD3D_SHADER_LOG_ERROR,
    };
    struct vkd3d_shader_code spirv = {NULL, 0};
    char *messages = NULL;
    int result = vkd3d_shader_compile(&info, &spirv, &messages);
    if (result < 0) {
        snprintf(why, why_size, "libvkd3d-shader refuses it (%d): %s", result,
                 messages != NULL ? messages : "");
    }
    vkd3d_shader_free_messages(messages);
    if (result >= 0 && (spirv.size < 20 || spirv.size % 4 != 0)) {
        snprintf(why, why_size, "libvkd3d-shader made %zu bytes, no SPIR-V", spirv.size);
        vkd3d_shader_free_shader_code(&spirv);
        return false;
    }
    *words = result < 0 ? NULL : spirv.code;
    *size = result < 0 ? 0 : (uint32_t)spirv.size;
    return result >= 0;
}

void vgpu_compile_free(const uint32_t *words, uint32_t size)
{
    struct vkd3d_shader_code code = {words, size};

    if (words != NULL) {
        vkd3d_shader_free_shader_code(&code);
    }
}
