/* scenario.c: a bit of everything that applications do: objects of all kinds, maps, updates, copies, draws,
 * presents, rotation, sharing, flushes, and destruction of what is bound, mapped or recorded. Objects whose
 * creation failed are not used, as a runtime would have it. */
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

struct scene {
    D3D10DDI_HRESOURCE vertices, indices, constants, stream, storage, arguments;
    D3D10DDI_HRESOURCE texture, target, depth, dynamic_texture, back[BACKBUFFERS], shared, opened;
    D3D10DDI_HRESOURCE read_buffer, read_texture, write_texture;
    D3D10DDI_HRESOURCE late_vertices, late_indices, late_constants,
        late_texture; /* first bound between draws */
    D3D10DDI_HRENDERTARGETVIEW back_view, target_view, mip_view;
    D3D10DDI_HDEPTHSTENCILVIEW depth_view;
    D3D10DDI_HSHADERRESOURCEVIEW texture_view, mip_srv, target_srv, storage_srv, opened_srv, late_srv;
    D3D11DDI_HUNORDEREDACCESSVIEW uav;
    D3D10DDI_HSHADER vs, ps, cs;
    D3D10DDI_HELEMENTLAYOUT layout;
    D3D10DDI_HSAMPLER sampler;
    D3D10DDI_HBLENDSTATE blend;
    D3D10DDI_HQUERY query;
};

static const uint8_t bytes[4096] = {1, 2, 3, 4, 5, 6, 7, 8};

static bool alive(D3D10DDI_HRESOURCE resource)
{
    return resource.pDrvPrivate && res(resource)->handle;
}

static D3D10DDI_HRESOURCE attempt(struct run *run, const D3D10DDIARG_CREATERESOURCE *desc)
{
    D3D10DDI_HRESOURCE resource = new_resource(&run->world);
    HRESULT hr = STEP_HR(run, create(&run->world, resource, desc));
    assert_int_equal(alive(resource), SUCCEEDED(hr));
    return resource;
}

static D3D10DDI_HRESOURCE attempt_buffer(struct run *run, uint32_t size, uint32_t usage, uint32_t bind,
                                         uint32_t cpu, bool data)
{
    const D3D10_DDIARG_SUBRESOURCE_UP up = {.pSysMem = bytes};
    D3D10DDIARG_CREATERESOURCE desc = buffer_desc(size, usage, bind, cpu);
    desc.pInitialDataUP = data ? &up : NULL;
    desc.InitialDataCount = data;
    return attempt(run, &desc);
}

static D3D10DDI_HRESOURCE attempt_texture(struct run *run, uint32_t mips, uint32_t usage, uint32_t bind,
                                          uint32_t cpu, bool data)
{
    const D3D10_DDIARG_SUBRESOURCE_UP up[3] = {{.pSysMem = bytes}, {.pSysMem = bytes}, {.pSysMem = bytes}};
    uint32_t format = bind & DS ? DXGI_FORMAT_D24_UNORM_S8_UINT : DXGI_FORMAT_B8G8R8A8_UNORM;
    D3D10DDIARG_CREATERESOURCE desc = texture_desc(format, 5, 5, usage, bind, cpu);
    desc.MipLevels = mips;
    desc.pInitialDataUP = data ? up : NULL;
    desc.InitialDataCount = data ? mips : 0;
    return attempt(run, &desc);
}

static void create_buffers(struct run *run, struct scene *scene)
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

static void create_textures(struct run *run, struct scene *scene)
{
    static const DXGI_DDI_PRIMARY_DESC primary = {0, 0};
    scene->texture = attempt_texture(run, 3, 0, SRV, 0, true);
    scene->target = attempt_texture(run, 2, 0, RT | SRV, 0, false);
    scene->late_texture = attempt_texture(run, 1, 0, SRV, 0, false);
    scene->depth = attempt_texture(run, 1, 0, DS, 0, false);
    scene->dynamic_texture = attempt_texture(run, 1, D3D10_DDI_USAGE_DYNAMIC, SRV, CPU_W, false);
    scene->read_texture = attempt_texture(run, 1, D3D10_DDI_USAGE_STAGING, 0, CPU_R, false);
    scene->write_texture = attempt_texture(run, 3, D3D10_DDI_USAGE_STAGING, 0, CPU_R | CPU_W, false);
    for (uint32_t i = 0; i < BACKBUFFERS; i++) {
        D3D10DDIARG_CREATERESOURCE desc = texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 5, 5, 0, RT, 0);
        desc.pPrimaryDesc = &primary;
        scene->back[i] = attempt(run, &desc);
    }
    D3D10DDIARG_CREATERESOURCE shared = texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 5, 5, 0, RT | SRV, 0);
    shared.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    scene->shared = attempt(run, &shared);
}

static D3D10DDI_HRENDERTARGETVIEW attempt_rtv(struct run *run, D3D10DDI_HRESOURCE resource, uint32_t mip)
{
    const D3D10DDIARG_CREATERENDERTARGETVIEW desc = {
        .hDrvResource = resource, .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipSlice = mip};
    HRESULT hr;
    if (!alive(resource))
        return (D3D10DDI_HRENDERTARGETVIEW){NULL};
    step_begin(run, "CreateRenderTargetView");
    D3D10DDI_HRENDERTARGETVIEW view = try_rtv(&run->world, &desc, &hr);
    step_end(run, hr);
    return view;
}

static D3D10DDI_HSHADERRESOURCEVIEW attempt_srv(struct run *run, D3D10DDI_HRESOURCE resource, uint32_t mip)
{
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW desc = {
        .hDrvResource = resource, .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MostDetailedMip = mip};
    HRESULT hr;
    if (!alive(resource))
        return (D3D10DDI_HSHADERRESOURCEVIEW){NULL};
    step_begin(run, "CreateShaderResourceView");
    D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(&run->world, &desc, &hr);
    step_end(run, hr);
    return view;
}

static void create_views(struct run *run, struct scene *scene)
{
    struct world *world = &run->world;
    scene->back_view = attempt_rtv(run, scene->back[0], 0);
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
        if (run->setup->mode == AGPU_BACKING_WDK)
            scene->storage_srv = attempt_srv(run, scene->storage, 0);
    }
}

static void create_pipeline(struct run *run, struct scene *scene)
{
    struct world *world = &run->world;
    const D3D10DDIARG_CREATESHADER code = {bytes, 100};
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

static void bind_inputs(struct run *run, struct scene *scene)
{
    struct world *world = &run->world;
    const D3D10DDI_HRESOURCE vertices[2] = {scene->vertices, scene->stream};
    const uint32_t strides[2] = {12, 16}, offsets[2] = {0, 0};
    const D3D10DDI_HSHADERRESOURCEVIEW views[2] = {scene->texture_view, scene->mip_srv};
    STEP_VOID(run, world->ctx.pfnVsSetShader(world->device, scene->vs));
    STEP_VOID(run, world->ctx.pfnPsSetShader(world->device, scene->ps));
    STEP_VOID(run, world->ctx.pfnCsSetShader(world->device, scene->cs));
    STEP_VOID(run, world->ctx.pfnIaSetInputLayout(world->device, scene->layout));
    STEP_VOID(run, world->ctx.pfnIaSetTopology(world->device, AEROGPU_TOPOLOGY_TRIANGLESTRIP));
    STEP_VOID(run, world->ctx.pfnIaSetVertexBuffers(world->device, 0, 2, vertices, strides, offsets));
    STEP_VOID(run, world->ctx.pfnIaSetIndexBuffer(world->device, scene->indices, DXGI_FORMAT_R16_UINT, 0));
    STEP_VOID(run, world->ctx.pfnVsSetConstantBuffers(world->device, 1, 1, &scene->constants));
    STEP_VOID(run, world->ctx.pfnPsSetShaderResources(world->device, 0, 2, views));
    STEP_VOID(run, world->ctx.pfnPsSetSamplers(world->device, 0, 1, &scene->sampler));
    STEP_VOID(run, world->ctx.pfnSetBlendState(world->device, scene->blend, NULL, 0xFFFFFFFF));
}

static void bind_outputs(struct run *run, D3D10DDI_HRENDERTARGETVIEW view, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    const D3D10_DDI_VIEWPORT viewport = {.Width = 5, .Height = 5, .MaxDepth = 1};
    struct world *world = &run->world;
    STEP_VOID(run, world->ctx.pfnSetRenderTargets(world->device, &view, 1, 0, depth));
    STEP_VOID(run, world->ctx.pfnSetViewports(world->device, 1, 0, &viewport));
}

static void map_and_write(struct run *run, D3D10DDI_HRESOURCE resource, uint32_t sub, uint32_t type,
                          uint32_t flags)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped = {.pData = NULL};
    if (!alive(resource))
        return;
    if (FAILED(STEP_HR(run, map(&run->world, resource, sub, type, flags, &mapped)))) {
        assert_false(res(resource)->map.active);
        return;
    }
    assert_non_null(mapped.pData);
    if (type == D3D10_DDI_MAP_READ) /* what a copy writes has arrived */
        assert_true(res(resource)->last_gpu_write_fence <= run->world.fake.completed);
    if (type != D3D10_DDI_MAP_READ)
        memset(mapped.pData, 0x5A, 4);
    STEP_VOID(run, unmap(&run->world, resource, sub));
    assert_false(res(resource)->map.active);
}

static void fill(struct run *run, struct scene *scene)
{
    const D3D10_DDI_BOX part = {4, 0, 0, 12, 1, 1}, corner = {1, 1, 0, 3, 3, 1};
    map_and_write(run, scene->constants, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0);
    map_and_write(run, scene->constants, 0, D3D10_DDI_MAP_WRITE_DISCARD, D3D10_DDI_MAP_FLAG_DONOTWAIT);
    map_and_write(run, scene->stream, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0);
    map_and_write(run, scene->stream, 0, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0);
    map_and_write(run, scene->dynamic_texture, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0);
    map_and_write(run, scene->write_texture, 1, D3D10_DDI_MAP_WRITE, 0);
    map_and_write(run, scene->write_texture, 2, D3D10_DDI_MAP_WRITE, 0); /* starts off any 16-byte boundary */
    if (alive(scene->vertices)) {
        STEP_VOID(run, update(&run->world, scene->vertices, 0, NULL, bytes, 0));
        STEP_VOID(run, update(&run->world, scene->vertices, 0, &part, bytes, 0));
    }
    if (alive(scene->texture)) {
        STEP_VOID(run, update(&run->world, scene->texture, 0, NULL, bytes, 20));
        STEP_VOID(run, update(&run->world, scene->texture, 0, &corner, bytes, 8));
    }
}

static void draw(struct run *run, struct scene *scene)
{
    static const float blue[4] = {0, 0, 1, 1};
    const uint32_t stride = 16, offset = 0;
    struct world *world = &run->world;
    bind_inputs(run, scene);
    bind_outputs(run, scene->back_view, scene->depth_view);
    if (scene->back_view.pDrvPrivate)
        STEP_VOID(run, world->ctx.pfnClearRenderTargetView(world->device, scene->back_view, blue));
    if (scene->target_view.pDrvPrivate)
        STEP_VOID(run, world->ctx.pfnClearRenderTargetView(world->device, scene->target_view, blue));
    if (scene->depth_view.pDrvPrivate)
        STEP_VOID(run, world->ctx.pfnClearDepthStencilView(world->device, scene->depth_view, 3, 1, 0));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    STEP_VOID(run, world->ctx.pfnDrawIndexed(world->device, 3, 0, 0));
    STEP_VOID(run,
              world->ctx.pfnIaSetVertexBuffers(world->device, 2, 1, &scene->late_vertices, &stride, &offset));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    STEP_VOID(run,
              world->ctx.pfnIaSetIndexBuffer(world->device, scene->late_indices, DXGI_FORMAT_R32_UINT, 0));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    STEP_VOID(run, world->ctx.pfnGsSetConstantBuffers(world->device, 3, 1, &scene->late_constants));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    STEP_VOID(run, world->ctx.pfnGsSetShaderResources(world->device, 3, 1, &scene->late_srv));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    if (alive(scene->arguments))
        STEP_VOID(run, world->ctx.pfnDrawInstancedIndirect(world->device, scene->arguments, 4));
    bind_outputs(run, scene->mip_view, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    STEP_VOID(run, world->ctx.pfnPsSetShaderResources(world->device, 0, 1, &scene->target_srv));
    STEP_VOID(run, world->ctx.pfnCsSetUnorderedAccessViews(world->device, 0, 1, &scene->uav, NULL));
    STEP_VOID(run, world->ctx.pfnDispatch(world->device, 1, 1, 1));
    STEP_VOID(run, world->ctx.pfnCsSetShaderResources(world->device, 0, 1, &scene->storage_srv));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
}

static void copy(struct run *run, struct scene *scene)
{
    struct world *world = &run->world;
    const D3D10_DDI_BOX odd = {3, 0, 0, 10, 1, 1}, corner = {0, 0, 0, 2, 2, 1};
    if (alive(scene->read_buffer) && alive(scene->vertices)) {
        STEP_VOID(run, world->ctx.pfnResourceCopy(world->device, scene->read_buffer, scene->vertices));
        map_and_write(run, scene->read_buffer, 0, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT);
        map_and_write(run, scene->read_buffer, 0, D3D10_DDI_MAP_READ, 0);
        STEP_VOID(run, world->ctx.pfnResourceCopy(world->device, scene->read_buffer, scene->vertices));
        map_and_write(run, scene->read_buffer, 0, D3D10_DDI_MAP_WRITE, 0);
        if (run->setup->mode == AGPU_BACKING_WDK)
            STEP_HR(run, world->ctx.pfnResourceCopyRegion(world->device, scene->read_buffer, 0, 1, 0, 0,
                                                          scene->vertices, 0, &odd));
    }
    if (alive(scene->texture))
        STEP_HR(run, world->ctx.pfnResourceCopyRegion(world->device, scene->texture, 0, 2, 2, 0,
                                                      scene->texture, 0, &corner));
    if (alive(scene->read_texture) && alive(scene->target)) {
        STEP_VOID(run, world->ctx.pfnResourceCopy(world->device, scene->read_texture, scene->target));
        map_and_write(run, scene->read_texture, 0, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT);
        map_and_write(run, scene->read_texture, 0, D3D10_DDI_MAP_READ, 0);
    }
    if (alive(scene->texture) && alive(scene->write_texture))
        STEP_VOID(run, world->ctx.pfnResourceCopy(world->device, scene->texture, scene->write_texture));
}

/* Another process' device would open it; here it is the same one, under a handle of its own. */
static void share(struct run *run, struct scene *scene)
{
    struct world *world = &run->world;
    struct fake *fake = &world->fake;
    if (run->setup->mode != AGPU_BACKING_WDK || !alive(scene->shared))
        return;
    struct fake_allocation opened = *fake_find(fake, res(scene->shared)->alloc_handle);
    opened.handle = fake->next_handle++;
    opened.km_resource = 0x8000u + opened.handle;
    fake->allocations[fake->allocation_count++] = opened;
    const D3D10DDIARG_OPENRESOURCE args = {
        .NumAllocations = 1,
        .hKMResource = opened.km_resource,
        .hAllocation = opened.handle,
        .pPrivateDriverData = &opened.blob,
        .PrivateDriverDataSize = sizeof(opened.blob),
        .BindFlags = SRV,
    };
    scene->opened = new_resource(world);
    if (FAILED(STEP_HR(run, world->dev.pfnOpenResource(world->device, &args, scene->opened,
                                                       (D3D10DDI_HRTRESOURCE){NULL})))) {
        fake_find(fake, opened.handle)->freed = true; /* the runtime closes what was never opened */
        return;
    }
    scene->opened_srv = attempt_srv(run, scene->opened, 0);
    STEP_VOID(run, world->ctx.pfnVsSetShaderResources(world->device, 0, 1, &scene->opened_srv));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
}

static void present(struct run *run, struct scene *scene)
{
    struct world *world = &run->world;
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotation = {scene->back, BACKBUFFERS};
    for (uint32_t frame = 0; frame < 2; frame++) {
        const DXGI_DDI_ARG_PRESENT args = {scene->back[0], frame};
        for (uint32_t i = 0; i < BACKBUFFERS; i++)
            if (!alive(scene->back[i]))
                return;
        bind_outputs(run, scene->back_view, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
        STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
        STEP_HR(run, world->dev.pfnPresent(world->device, &args));
        STEP_HR(run, world->dev.pfnRotateResourceIdentities(world->device, &rotation));
    }
}

static void query(struct run *run, struct scene *scene)
{
    struct world *world = &run->world;
    uint32_t done = 0;
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    STEP_VOID(run, world->ctx.pfnQueryEnd(world->device, scene->query));
    if (run->outcomes[run->steps - 1].errors)
        return; /* nothing to ask for */
    STEP_HR(run, world->ctx.pfnQueryGetData(world->device, scene->query, &done, sizeof(done), 0));
    STEP_HR(run, flush(world));
}

static void destroy_resource(struct run *run, D3D10DDI_HRESOURCE *resource)
{
    if (!resource->pDrvPrivate)
        return;
    STEP_VOID(run, run->world.dev.pfnDestroyResource(run->world.device, *resource));
    /* Elsewhere a destruction that finds no room leaves the device with the object (umd.md 5.7). */
    if (run->outcomes[run->steps - 1].errors && run->setup->mode != AGPU_BACKING_WDK)
        ledger_lose(&run->ledger);
    STEP_VOID(run,
              run->world.dev.pfnDestroyResource(run->world.device, *resource)); /* nothing the second time */
    free(resource->pDrvPrivate);
    resource->pDrvPrivate = NULL;
}

#define DESTROY(run, function, member)                                                                       \
    do {                                                                                                     \
        if ((member).pDrvPrivate)                                                                            \
            STEP_VOID(run, (run)->world.dev.function((run)->world.device, member));                          \
        free((member).pDrvPrivate);                                                                          \
        (member).pDrvPrivate = NULL;                                                                         \
    } while (0)

static void destroy_views(struct run *run, struct scene *scene)
{
    DESTROY(run, pfnDestroyRenderTargetView, scene->back_view);
    DESTROY(run, pfnDestroyRenderTargetView, scene->target_view);
    DESTROY(run, pfnDestroyRenderTargetView, scene->mip_view);
    DESTROY(run, pfnDestroyDepthStencilView, scene->depth_view);
    DESTROY(run, pfnDestroyShaderResourceView, scene->texture_view);
    DESTROY(run, pfnDestroyShaderResourceView, scene->mip_srv);
    DESTROY(run, pfnDestroyShaderResourceView, scene->target_srv);
    DESTROY(run, pfnDestroyShaderResourceView, scene->storage_srv);
    DESTROY(run, pfnDestroyShaderResourceView, scene->late_srv);
    DESTROY(run, pfnDestroyShaderResourceView, scene->opened_srv);
    DESTROY(run, pfnDestroyUnorderedAccessView, scene->uav);
}

static void destroy_pipeline(struct run *run, struct scene *scene)
{
    DESTROY(run, pfnDestroyShader, scene->vs);
    DESTROY(run, pfnDestroyShader, scene->ps);
    DESTROY(run, pfnDestroyShader, scene->cs);
    DESTROY(run, pfnDestroyElementLayout, scene->layout);
    DESTROY(run, pfnDestroySampler, scene->sampler);
    DESTROY(run, pfnDestroyBlendState, scene->blend);
    DESTROY(run, pfnDestroyQuery, scene->query);
}

void scenario(struct run *run)
{
    struct world *world = &run->world;
    struct scene scene = {.vertices = {NULL}};
    create_buffers(run, &scene);
    create_textures(run, &scene);
    create_views(run, &scene);
    create_pipeline(run, &scene);
    begin_room(run, true);
    fill(run, &scene);
    draw(run, &scene);
    copy(run, &scene);
    share(run, &scene);
    present(run, &scene);
    query(run, &scene);
    /* What is destroyed is bound, and one is mapped. */
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    if (alive(scene.constants))
        STEP_HR(run, map(world, scene.constants, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped));
    destroy_resource(run, &scene.constants);
    destroy_resource(run, &scene.vertices);
    destroy_resource(run, &scene.texture);
    destroy_resource(run, &scene.opened);
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    destroy_resource(run, &scene.target);
    STEP_VOID(run, world->ctx.pfnClearState(world->device));
    destroy_views(run, &scene);
    destroy_pipeline(run, &scene);
    D3D10DDI_HRESOURCE *const rest[] = {&scene.indices,        &scene.stream,        &scene.storage,
                                        &scene.arguments,      &scene.depth,         &scene.read_buffer,
                                        &scene.read_texture,   &scene.write_texture, &scene.dynamic_texture,
                                        &scene.shared,         &scene.late_vertices, &scene.late_indices,
                                        &scene.late_constants, &scene.late_texture,  &scene.back[0],
                                        &scene.back[1],        &scene.back[2]};
    for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
        destroy_resource(run, rest[i]);
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0)); /* for DestroyDevice to submit */
}

void prove_usable(struct run *run)
{
    struct world *world = &run->world;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    if (run->doomed) /* ends the submission that the failure doomed */
        STEP_HR(run, flush(world));
    D3D10DDI_HRESOURCE source = attempt_buffer(run, 64, 0, VB, 0, true);
    D3D10DDI_HRESOURCE readback = attempt_buffer(run, 64, D3D10_DDI_USAGE_STAGING, 0, CPU_R, false);
    D3D10DDI_HRESOURCE target = attempt_texture(run, 1, 0, RT, 0, false);
    D3D10DDI_HRENDERTARGETVIEW view = attempt_rtv(run, target, 0);
    const uint32_t stride = 16, offset = 0;
    STEP_VOID(run, update(world, source, 0, NULL, bytes, 0));
    STEP_VOID(run, world->ctx.pfnResourceCopy(world->device, readback, source));
    uint32_t before = run->ledger.accepted;
    assert_int_equal(STEP_HR(run, map(world, readback, 0, D3D10_DDI_MAP_READ, 0, &mapped)), S_OK);
    assert_true(run->ledger.accepted > before);
    STEP_VOID(run, unmap(world, readback, 0));
    bind_outputs(run, view, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    STEP_VOID(run, world->ctx.pfnIaSetVertexBuffers(world->device, 0, 1, &source, &stride, &offset));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    const DXGI_DDI_ARG_PRESENT args = {target, 1};
    assert_int_equal(STEP_HR(run, world->dev.pfnPresent(world->device, &args)), S_OK);
    assert_int_equal(STEP_HR(run, flush(world)), S_OK);
    DESTROY(run, pfnDestroyRenderTargetView, view);
    destroy_resource(run, &target);
    destroy_resource(run, &readback);
    destroy_resource(run, &source);
}
