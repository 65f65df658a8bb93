/* scene.c: see scene.h. */
#include "tests/unit/umd_faults/scene.h"

const uint8_t scene_bytes[4096] = {1, 2, 3, 4, 5, 6, 7, 8};

bool alive(D3D10DDI_HRESOURCE resource)
{
    return resource.pDrvPrivate != NULL && res(resource)->handle;
}

static D3D10DDI_HRESOURCE attempt(struct fault_run *run, const struct agpu_resource_desc *desc)
{
    D3D10DDI_HRESOURCE resource = new_resource(&run->world);
    HRESULT hr = STEP_HR(run, create(&run->world, resource, desc));

    assert_int_equal(alive(resource), SUCCEEDED(hr));
    return resource;
}

D3D10DDI_HRESOURCE attempt_buffer(struct fault_run *run, uint32_t size, uint32_t usage, uint32_t bind,
                                  uint32_t cpu, bool data)
{
    const D3D10_DDIARG_SUBRESOURCE_UP up = {.pSysMem = scene_bytes};
    struct agpu_resource_desc desc = buffer_desc(size, usage, bind, cpu);

    desc.pInitialDataUP = data ? &up : NULL;
    desc.InitialDataCount = data;
    return attempt(run, &desc);
}

D3D10DDI_HRESOURCE attempt_texture(struct fault_run *run, uint32_t mips, uint32_t usage, uint32_t bind,
                                   uint32_t cpu, bool data)
{
    const D3D10_DDIARG_SUBRESOURCE_UP up[3] = {
        {.pSysMem = scene_bytes}, {.pSysMem = scene_bytes}, {.pSysMem = scene_bytes}};
    uint32_t format = bind & DS ? DXGI_FORMAT_D24_UNORM_S8_UINT : DXGI_FORMAT_B8G8R8A8_UNORM;
    struct agpu_resource_desc desc = texture_desc(format, 5, 5, usage, bind, cpu);

    desc.MipLevels = mips;
    desc.pInitialDataUP = data ? up : NULL;
    desc.InitialDataCount = data ? mips : 0;
    return attempt(run, &desc);
}

void create_buffers(struct fault_run *run, struct fault_scene *scene)
{
    scene->vertices = attempt_buffer(run, 61, 0, VB, 0, true);
    scene->indices = attempt_buffer(run, 24, D3D10_DDI_USAGE_IMMUTABLE, IB, 0, true);
    scene->constants = attempt_buffer(run, 64, D3D10_DDI_USAGE_DYNAMIC, CB, CPU_W, true);
    scene->stream = attempt_buffer(run, 1500, D3D10_DDI_USAGE_DYNAMIC, VB, CPU_W, false);
    scene->storage = attempt_buffer(run, 64, 0, UAV | SRV, 0, false);
    scene->arguments = attempt_buffer(run, 32, 0, 0, 0, true);
    scene->late_vertices = attempt_buffer(run, 64, 0, VB, 0, false);
    scene->late_indices = attempt_buffer(run, 64, 0, IB, 0, false);
    scene->late_constants = attempt_buffer(run, 64, 0, CB, 0, false);
    scene->read_buffer = attempt_buffer(run, 64, D3D10_DDI_USAGE_STAGING, 0, CPU_R | CPU_W, false);
}

void create_textures(struct fault_run *run, struct fault_scene *scene)
{
    static const DXGI_DDI_PRIMARY_DESC primary = {.VidPnSourceId = 0};

    scene->texture = attempt_texture(run, 3, 0, SRV, 0, true);
    scene->target = attempt_texture(run, 2, 0, RT | SRV, 0, false);
    scene->late_texture = attempt_texture(run, 1, 0, SRV, 0, false);
    scene->depth = attempt_texture(run, 1, 0, DS, 0, false);
    scene->dynamic_texture = attempt_texture(run, 1, D3D10_DDI_USAGE_DYNAMIC, SRV, CPU_W, false);
    scene->read_texture = attempt_texture(run, 1, D3D10_DDI_USAGE_STAGING, 0, CPU_R, false);
    scene->write_texture = attempt_texture(run, 3, D3D10_DDI_USAGE_STAGING, 0, CPU_R | CPU_W, false);
    for (uint32_t i = 0; i < BACKBUFFERS; i++) {
        struct agpu_resource_desc desc = texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 5, 5, 0, RT | SRV, 0);

        desc.MipLevels = 2; /* makes the views explicit */
        desc.pPrimaryDesc = &primary;
        scene->back[i] = attempt(run, &desc);
    }
    struct agpu_resource_desc shared = texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 5, 5, 0, RT | SRV, 0);
    shared.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    scene->shared = attempt(run, &shared);
}

D3D10DDI_HRENDERTARGETVIEW attempt_rtv(struct fault_run *run, D3D10DDI_HRESOURCE resource, uint32_t mip)
{
    const D3D10DDIARG_CREATERENDERTARGETVIEW desc = {
        .hDrvResource = resource, .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipSlice = mip};
    HRESULT hr;

    if (!alive(resource)) {
        return (D3D10DDI_HRENDERTARGETVIEW){NULL};
    }
    step_begin(run, "CreateRenderTargetView");
    D3D10DDI_HRENDERTARGETVIEW view = try_rtv(&run->world, &desc, &hr);
    step_end(run, hr);
    return view;
}

D3D10DDI_HSHADERRESOURCEVIEW attempt_srv(struct fault_run *run, D3D10DDI_HRESOURCE resource, uint32_t mip)
{
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW desc = {
        .hDrvResource = resource, .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MostDetailedMip = mip};
    HRESULT hr;

    if (!alive(resource)) {
        return (D3D10DDI_HSHADERRESOURCEVIEW){NULL};
    }
    step_begin(run, "CreateShaderResourceView");
    D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(&run->world, &desc, &hr);
    step_end(run, hr);
    return view;
}

void create_views(struct fault_run *run, struct fault_scene *scene)
{
    struct world *world = &run->world;

    scene->back_view = attempt_rtv(run, scene->back[0], 0);
    scene->back_mip_view = attempt_rtv(run, scene->back[1], 1);
    for (uint32_t i = 0; i < BACKBUFFERS; i++) {
        scene->back_srv[i] = attempt_srv(run, scene->back[i], 1);
    }
    scene->target_view = attempt_rtv(run, scene->target, 0);
    scene->mip_view = attempt_rtv(run, scene->target, 1);
    scene->texture_view = attempt_srv(run, scene->texture, 0);
    scene->mip_srv = attempt_srv(run, scene->texture, 1);
    scene->target_srv = attempt_srv(run, scene->target, 0);
    scene->late_srv = attempt_srv(run, scene->late_texture, 0);
    if (alive(scene->depth)) {
        const D3D10DDIARG_CREATEDEPTHSTENCILVIEW desc = {.hDrvResource = scene->depth};

        scene->depth_view.pDrvPrivate =
            object(world->dev.pfnCalcPrivateDepthStencilViewSize(world->device, &desc));
        STEP_HR(run, world->dev.pfnCreateDepthStencilView(world->device, &desc, scene->depth_view,
                                                          (D3D10DDI_HRTDEPTHSTENCILVIEW){NULL}));
    }
    if (alive(scene->storage)) {
        const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW desc = {.hDrvResource = scene->storage};

        scene->uav.pDrvPrivate =
            object(world->dev.pfnCalcPrivateUnorderedAccessViewSize(world->device, &desc));
        STEP_HR(run, world->dev.pfnCreateUnorderedAccessView(world->device, &desc, scene->uav,
                                                             (D3D11DDI_HRTUNORDEREDACCESSVIEW){NULL}));
        if (run->setup->mode == AGPU_BACKING_WDK) {
            scene->storage_srv = attempt_srv(run, scene->storage, 0);
        }
    }
}

void create_pipeline(struct fault_run *run, struct fault_scene *scene)
{
    struct world *world = &run->world;
    const D3D10DDIARG_CREATESHADER code = {scene_bytes, 100};
    const D3D10DDIARG_INPUT_ELEMENT_DESC element = {.SemanticName = "POSITION",
                                                    .Format = DXGI_FORMAT_R32G32_FLOAT};
    const D3D10DDIARG_CREATEELEMENTLAYOUT layout = {&element, 1};
    const D3D10_DDI_SAMPLER_DESC sampler = {0, 1, 1, 1};
    const D3D10DDIARG_CREATEQUERY query = {0, 0};

    scene->vs.pDrvPrivate = object(world->dev.pfnCalcPrivateShaderSize(world->device, &code));
    scene->ps.pDrvPrivate = object(world->dev.pfnCalcPrivateShaderSize(world->device, &code));
    scene->cs.pDrvPrivate = object(world->dev.pfnCalcPrivateShaderSize(world->device, &code));
    scene->layout.pDrvPrivate = object(world->dev.pfnCalcPrivateElementLayoutSize(world->device, &layout));
    scene->sampler.pDrvPrivate = object(world->dev.pfnCalcPrivateSamplerSize(world->device, &sampler));
    scene->blend.pDrvPrivate = object(world->dev.pfnCalcPrivateBlendStateSize(world->device, NULL));
    scene->query.pDrvPrivate = object(world->dev.pfnCalcPrivateQuerySize(world->device, &query));
    STEP_HR(run,
            world->dev.pfnCreateVertexShader(world->device, &code, scene->vs, (D3D10DDI_HRTSHADER){NULL}));
    STEP_HR(run,
            world->dev.pfnCreatePixelShader(world->device, &code, scene->ps, (D3D10DDI_HRTSHADER){NULL}));
    STEP_HR(run,
            world->dev.pfnCreateComputeShader(world->device, &code, scene->cs, (D3D10DDI_HRTSHADER){NULL}));
    STEP_HR(run, world->dev.pfnCreateElementLayout(world->device, &layout, scene->layout,
                                                   (D3D10DDI_HRTELEMENTLAYOUT){NULL}));
    STEP_HR(run, world->dev.pfnCreateSampler(world->device, &sampler, scene->sampler,
                                             (D3D10DDI_HRTSAMPLER){NULL}));
    STEP_HR(run, world->dev.pfnCreateBlendState(world->device, NULL, scene->blend,
                                                (D3D10DDI_HRTBLENDSTATE){NULL}));
    STEP_HR(run, world->dev.pfnCreateQuery(world->device, &query, scene->query, (D3D10DDI_HRTQUERY){NULL}));
}
