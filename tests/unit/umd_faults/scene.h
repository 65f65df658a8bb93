/* scene.h: the objects of the long scenario and their creation. Each creation may fail; the object then stays null. */
#ifndef AGPU_TESTS_UNIT_UMD_FAULTS_SCENE_H
#define AGPU_TESTS_UNIT_UMD_FAULTS_SCENE_H

#include "tests/unit/umd_faults/run.h"

#define RT    D3D10_DDI_BIND_RENDER_TARGET
#define SRV   D3D10_DDI_BIND_SHADER_RESOURCE
#define VB    D3D10_DDI_BIND_VERTEX_BUFFER
#define IB    D3D10_DDI_BIND_INDEX_BUFFER
#define CB    D3D10_DDI_BIND_CONSTANT_BUFFER
#define DS    D3D10_DDI_BIND_DEPTH_STENCIL
#define UAV   D3D11_DDI_BIND_UNORDERED_ACCESS
#define CPU_W D3D10_DDI_CPU_ACCESS_WRITE
#define CPU_R D3D10_DDI_CPU_ACCESS_READ

#define BACKBUFFERS 3u

struct fault_scene {
    D3D10DDI_HRESOURCE vertices, indices, constants, stream, storage, arguments;
    D3D10DDI_HRESOURCE texture, target, depth, dynamic_texture, back[BACKBUFFERS], shared, opened;
    D3D10DDI_HRESOURCE read_buffer, read_texture, write_texture;
    D3D10DDI_HRESOURCE late_vertices, late_indices, late_constants,
        late_texture; /* first bound between draws */
    D3D10DDI_HRENDERTARGETVIEW back_view, back_mip_view, target_view, mip_view;
    D3D10DDI_HDEPTHSTENCILVIEW depth_view;
    D3D10DDI_HSHADERRESOURCEVIEW texture_view, mip_srv, target_srv, storage_srv, opened_srv, late_srv;
    D3D10DDI_HSHADERRESOURCEVIEW back_srv[BACKBUFFERS]; /* one mip: explicit views */
    D3D11DDI_HUNORDEREDACCESSVIEW uav;
    D3D10DDI_HSHADER vs, ps, cs;
    D3D10DDI_HELEMENTLAYOUT layout;
    D3D10DDI_HSAMPLER sampler;
    D3D10DDI_HBLENDSTATE blend;
    D3D10DDI_HQUERY query;
};

/* Data for uploads. */
extern const uint8_t scene_bytes[4096];

bool alive(D3D10DDI_HRESOURCE resource);
D3D10DDI_HRESOURCE attempt_buffer(struct fault_run *run, uint32_t size, uint32_t usage, uint32_t bind,
                                  uint32_t cpu, bool data);
D3D10DDI_HRESOURCE attempt_texture(struct fault_run *run, uint32_t mips, uint32_t usage, uint32_t bind,
                                   uint32_t cpu, bool data);
void create_buffers(struct fault_run *run, struct fault_scene *scene);
void create_textures(struct fault_run *run, struct fault_scene *scene);
D3D10DDI_HRENDERTARGETVIEW attempt_rtv(struct fault_run *run, D3D10DDI_HRESOURCE resource, uint32_t mip);
D3D10DDI_HSHADERRESOURCEVIEW attempt_srv(struct fault_run *run, D3D10DDI_HRESOURCE resource, uint32_t mip);
void create_views(struct fault_run *run, struct fault_scene *scene);
void create_pipeline(struct fault_run *run, struct fault_scene *scene);

/* Destroys an existing object twice. The handle is null afterwards. */
void destroy_resource(struct fault_run *run, D3D10DDI_HRESOURCE *resource);
#define DESTROY(run, function, member)                                                                       \
    do {                                                                                                     \
        if ((member).pDrvPrivate)                                                                            \
            STEP_VOID(run, (run)->world.dev.function((run)->world.device, member));                          \
        free((member).pDrvPrivate);                                                                          \
        (member).pDrvPrivate = NULL;                                                                         \
    } while (0)

/* Destroys all remaining objects. */
void destroy_scene(struct fault_run *run, struct fault_scene *scene);

#endif
