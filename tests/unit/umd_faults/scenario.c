/* scenario.c: a sample of what applications do: objects of all kinds, maps, updates, copies, draws, presents, rotation,
 * sharing, flushes, and destruction of bound, mapped or recorded objects. Like a runtime, it does not use objects whose
 * creation failed. */
#include "tests/unit/umd_faults/scene.h"

static void bind_inputs(struct fault_run *run, struct fault_scene *scene)
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

static void bind_outputs(struct fault_run *run, D3D10DDI_HRENDERTARGETVIEW view,
                         D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    const D3D10_DDI_VIEWPORT viewport = {.Width = 5, .Height = 5, .MaxDepth = 1};
    struct world *world = &run->world;

    STEP_VOID(run, world->ctx.pfnSetRenderTargets(world->device, &view, 1, 0, depth));
    STEP_VOID(run, world->ctx.pfnSetViewports(world->device, 1, 0, &viewport));
}

static void map_and_write(struct fault_run *run, D3D10DDI_HRESOURCE resource, uint32_t sub, uint32_t type,
                          uint32_t flags)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped = {.pData = NULL};

    if (!alive(resource)) {
        return;
    }
    if (FAILED(STEP_HR(run, map(&run->world, resource, sub, type, flags, &mapped)))) {
        assert_false(res(resource)->map.active);
        return;
    }
    assert_non_null(mapped.pData);
    if (type == D3D10_DDI_MAP_READ) { /* the result of a copy has arrived */
        assert_true(res(resource)->last_gpu_write_fence <= run->world.fake.completed);
    }
    if (type != D3D10_DDI_MAP_READ) {
        memset(mapped.pData, 0x5A, 4);
    }
    STEP_VOID(run, unmap(&run->world, resource, sub));
    assert_false(res(resource)->map.active);
}

static void fill(struct fault_run *run, struct fault_scene *scene)
{
    const D3D10_DDI_BOX part = {4, 0, 0, 12, 1, 1}, corner = {1, 1, 0, 3, 3, 1};

    map_and_write(run, scene->constants, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0);
    map_and_write(run, scene->constants, 0, D3D10_DDI_MAP_WRITE_DISCARD, D3D10_DDI_MAP_FLAG_DONOTWAIT);
    map_and_write(run, scene->stream, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0);
    map_and_write(run, scene->stream, 0, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0);
    map_and_write(run, scene->dynamic_texture, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0);
    map_and_write(run, scene->write_texture, 1, D3D10_DDI_MAP_WRITE, 0);
    map_and_write(run, scene->write_texture, 2, D3D10_DDI_MAP_WRITE, 0); /* not aligned to 16 bytes */
    if (alive(scene->vertices)) {
        STEP_VOID(run, update(&run->world, scene->vertices, 0, NULL, scene_bytes, 0));
        STEP_VOID(run, update(&run->world, scene->vertices, 0, &part, scene_bytes, 0));
    }
    if (alive(scene->texture)) {
        STEP_VOID(run, update(&run->world, scene->texture, 0, NULL, scene_bytes, 20));
        STEP_VOID(run, update(&run->world, scene->texture, 0, &corner, scene_bytes, 8));
    }
}

static void draw(struct fault_run *run, struct fault_scene *scene)
{
    static const float blue[4] = {0, 0, 1, 1};
    const uint32_t stride = 16, offset = 0;
    struct world *world = &run->world;

    bind_inputs(run, scene);
    bind_outputs(run, scene->back_view, scene->depth_view);
    if (scene->back_view.pDrvPrivate != NULL) {
        STEP_VOID(run, world->ctx.pfnClearRenderTargetView(world->device, scene->back_view, blue));
    }
    if (scene->target_view.pDrvPrivate != NULL) {
        STEP_VOID(run, world->ctx.pfnClearRenderTargetView(world->device, scene->target_view, blue));
    }
    if (scene->depth_view.pDrvPrivate != NULL) {
        STEP_VOID(run, world->ctx.pfnClearDepthStencilView(world->device, scene->depth_view, 3, 1, 0));
    }
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
    if (alive(scene->arguments)) {
        STEP_VOID(run, world->ctx.pfnDrawInstancedIndirect(world->device, scene->arguments, 4));
    }
    bind_outputs(run, scene->mip_view, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    STEP_VOID(run, world->ctx.pfnPsSetShaderResources(world->device, 0, 1, &scene->target_srv));
    STEP_VOID(run, world->ctx.pfnCsSetUnorderedAccessViews(world->device, 0, 1, &scene->uav, NULL));
    STEP_VOID(run, world->ctx.pfnDispatch(world->device, 1, 1, 1));
    STEP_VOID(run, world->ctx.pfnCsSetShaderResources(world->device, 0, 1, &scene->storage_srv));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
}

static void copy(struct fault_run *run, struct fault_scene *scene)
{
    struct world *world = &run->world;
    const D3D10_DDI_BOX odd = {3, 0, 0, 10, 1, 1}, corner = {0, 0, 0, 2, 2, 1};

    if (alive(scene->read_buffer) && alive(scene->vertices)) {
        STEP_VOID(run, world->ctx.pfnResourceCopy(world->device, scene->read_buffer, scene->vertices));
        map_and_write(run, scene->read_buffer, 0, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT);
        map_and_write(run, scene->read_buffer, 0, D3D10_DDI_MAP_READ, 0);
        STEP_VOID(run, world->ctx.pfnResourceCopy(world->device, scene->read_buffer, scene->vertices));
        map_and_write(run, scene->read_buffer, 0, D3D10_DDI_MAP_WRITE, 0);
        if (run->setup->mode == AGPU_BACKING_WDK) {
            STEP_HR(run, world->ctx.pfnResourceCopyRegion(world->device, scene->read_buffer, 0, 1, 0, 0,
                                                          scene->vertices, 0, &odd));
        }
    }
    if (alive(scene->texture)) {
        STEP_HR(run, world->ctx.pfnResourceCopyRegion(world->device, scene->texture, 0, 2, 2, 0,
                                                      scene->texture, 0, &corner));
    }
    if (alive(scene->read_texture) && alive(scene->target)) {
        STEP_VOID(run, world->ctx.pfnResourceCopy(world->device, scene->read_texture, scene->target));
        map_and_write(run, scene->read_texture, 0, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT);
        map_and_write(run, scene->read_texture, 0, D3D10_DDI_MAP_READ, 0);
    }
    if (alive(scene->texture) && alive(scene->write_texture)) {
        STEP_VOID(run, world->ctx.pfnResourceCopy(world->device, scene->texture, scene->write_texture));
    }
}

/* In reality the device of another process opens it. Here it is the same device, with another handle. */
static void share(struct fault_run *run, struct fault_scene *scene)
{
    struct world *world = &run->world;
    struct fake *fake = &world->fake;

    if (run->setup->mode != AGPU_BACKING_WDK || !alive(scene->shared)) {
        return;
    }
    struct fake_allocation opened = *fake_find(fake, res(scene->shared)->alloc_handle);
    opened.handle = fake->next_handle++;
    opened.km_resource = 0x8000u + opened.handle;
    fake->allocations[fake->allocation_count++] = opened;
    const D3D10DDIARG_OPENRESOURCE args = {
        .NumAllocations = 1,
        .hKMResource = opened.km_resource,
        .hAllocation = opened.handle,
        .pPrivateDriverData = &opened.blob,
        .PrivateDriverDataSize = sizeof opened.blob,
        .BindFlags = SRV,
    };
    scene->opened = new_resource(world);
    if (FAILED(STEP_HR(run, world->dev.pfnOpenResource(world->device, &args, scene->opened,
                                                       (D3D10DDI_HRTRESOURCE){NULL})))) {
        fake_find(fake, opened.handle)->freed = true; /* the runtime closes unopened handles */
        return;
    }
    scene->opened_srv = attempt_srv(run, scene->opened, 0);
    STEP_VOID(run, world->ctx.pfnVsSetShaderResources(world->device, 0, 1, &scene->opened_srv));
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
}

/* Each buffer has the identity of the next one, or its own after a failed call. */
static void check_rotation(const struct fault_scene *scene, const uint32_t before[BACKBUFFERS], HRESULT hr)
{
    for (uint32_t i = 0; i < BACKBUFFERS; i++) {
        assert_int_equal(res(scene->back[i])->handle, before[FAILED(hr) ? i : (i + 1) % BACKBUFFERS]);
    }
}

/* Rotation creates explicit views again and binds them: many packets, all or none. */
static void present(struct fault_run *run, struct fault_scene *scene)
{
    struct world *world = &run->world;
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotation = {scene->back, BACKBUFFERS};

    for (uint32_t frame = 0; frame < 2; frame++) {
        const DXGI_DDI_ARG_PRESENT args = {scene->back[0], frame};
        uint32_t before[BACKBUFFERS];

        for (uint32_t i = 0; i < BACKBUFFERS; i++) {
            if (!alive(scene->back[i])) {
                return;
            }
            before[i] = res(scene->back[i])->handle;
        }
        bind_outputs(run, scene->back_view, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
        STEP_VOID(run, world->ctx.pfnPsSetShaderResources(world->device, 5, 2, &scene->back_srv[1]));
        STEP_VOID(run, world->ctx.pfnVsSetShaderResources(world->device, 2, 1, &scene->back_srv[1]));
        STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
        STEP_HR(run, world->dev.pfnPresent(world->device, &args));
        HRESULT hr = STEP_HR(run, world->dev.pfnRotateResourceIdentities(world->device, &rotation));
        check_rotation(scene, before, hr);
    }
}

static void query(struct fault_run *run, struct fault_scene *scene)
{
    struct world *world = &run->world;
    uint32_t done = 0;

    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    STEP_VOID(run, world->ctx.pfnQueryEnd(world->device, scene->query));
    if (run->outcomes[run->steps - 1].errors) {
        return; /* no query */
    }
    STEP_HR(run, world->ctx.pfnQueryGetData(world->device, scene->query, &done, sizeof done, 0));
    STEP_HR(run, flush(world));
}

void scenario(struct fault_run *run)
{
    struct world *world = &run->world;
    struct fault_scene scene = {.vertices = {NULL}};

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
    /* Destroys bound objects and a mapped one. */
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    if (alive(scene.constants)) {
        STEP_HR(run, map(world, scene.constants, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped));
    }
    destroy_resource(run, &scene.constants);
    destroy_resource(run, &scene.vertices);
    destroy_resource(run, &scene.texture);
    destroy_resource(run, &scene.opened);
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    destroy_resource(run, &scene.target);
    STEP_VOID(run, world->ctx.pfnClearState(world->device));
    destroy_scene(run, &scene);
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0)); /* left for DestroyDevice to submit */
}

void prove_usable(struct fault_run *run)
{
    struct world *world = &run->world;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    if (run->doomed) { /* ends the submission that is out of memory */
        STEP_HR(run, flush(world));
    }
    D3D10DDI_HRESOURCE source = attempt_buffer(run, 64, 0, VB, 0, true);
    D3D10DDI_HRESOURCE readback = attempt_buffer(run, 64, D3D10_DDI_USAGE_STAGING, 0, CPU_R, false);
    D3D10DDI_HRESOURCE target = attempt_texture(run, 1, 0, RT, 0, false);
    D3D10DDI_HRENDERTARGETVIEW view = attempt_rtv(run, target, 0);
    const uint32_t stride = 16, offset = 0;
    STEP_VOID(run, update(world, source, 0, NULL, scene_bytes, 0));
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
