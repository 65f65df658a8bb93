/* scenario_deferred.c: the long scenario of deferred contexts. Lists are recorded, finished, executed, nested, recycled
 * and abandoned, with maps, updates, copies and work of the CPU. Objects are destroyed and rotated in between, and
 * there are more resources than an allocation list holds. Local handles are made for each list, as a runtime creates
 * them at first use. */
#include "tests/unit/umd_faults/recording.h"

#define MANY 24u /* vertex buffers of one list */

/* ---- recording ---- */

static bool there(D3D10DDI_HRESOURCE local)
{
    return local.pDrvPrivate != NULL && res(local)->handle;
}

static void bind(struct fault_run *run, struct recording *on, const struct locals *locals)
{
    const D3D10DDI_HSHADERRESOURCEVIEW views[2] = {locals->texture_view, locals->mip_srv};
    const D3D10_DDI_VIEWPORT viewport = {.Width = 5, .Height = 5, .MaxDepth = 1};
    const uint32_t stride = 12, offset = 0;
    const D3D10DDI_HDEPTHSTENCILVIEW no_depth = {NULL};

    ON_VOID(run, on, on->fn.pfnSetRenderTargets(on->handle, &locals->target_view, 1, 0, no_depth));
    ON_VOID(run, on, on->fn.pfnSetViewports(on->handle, 1, 0, &viewport));
    ON_VOID(run, on, on->fn.pfnVsSetShader(on->handle, locals->vs));
    ON_VOID(run, on, on->fn.pfnPsSetShader(on->handle, locals->ps));
    ON_VOID(run, on, on->fn.pfnIaSetInputLayout(on->handle, locals->layout));
    ON_VOID(run, on, on->fn.pfnIaSetTopology(on->handle, AEROGPU_TOPOLOGY_TRIANGLESTRIP));
    ON_VOID(run, on, on->fn.pfnIaSetVertexBuffers(on->handle, 0, 1, &locals->vertices, &stride, &offset));
    ON_VOID(run, on, on->fn.pfnIaSetVertexBuffers(on->handle, 1, 1, &locals->stream, &stride, &offset));
    ON_VOID(run, on, on->fn.pfnVsSetConstantBuffers(on->handle, 1, 1, &locals->constants));
    ON_VOID(run, on, on->fn.pfnPsSetShaderResources(on->handle, 0, 2, views));
    ON_VOID(run, on, on->fn.pfnPsSetSamplers(on->handle, 0, 1, &locals->sampler));
}

static void write_on(struct fault_run *run, struct recording *on, D3D10DDI_HRESOURCE local, uint32_t type)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped = {.pData = NULL};

    if (!there(local) ||
        FAILED(ON_HR(run, on, on->fn.pfnResourceMap(on->handle, local, 0, type, 0, &mapped)))) {
        return;
    }
    memset(mapped.pData, 0x5A, 64);
    ON_VOID(run, on, on->fn.pfnResourceUnmap(on->handle, local, 0));
}

static void contents(struct fault_run *run, struct recording *on, const struct locals *locals)
{
    const D3D10_DDI_BOX part = {4, 0, 0, 12, 1, 1}, odd = {5, 0, 0, 11, 1, 1}, corner = {1, 1, 0, 3, 3, 1};

    write_on(run, on, locals->stream, D3D10_DDI_MAP_WRITE_DISCARD);
    ON_VOID(run, on, on->fn.pfnDraw(on->handle, 3, 0));
    write_on(run, on, locals->stream, D3D10_DDI_MAP_WRITE_DISCARD);
    write_on(run, on, locals->constants, D3D10_DDI_MAP_WRITE_DISCARD);
    ON_VOID(run, on, on->fn.pfnDraw(on->handle, 3, 1));
    if (there(locals->vertices)) {
        ON_VOID(
            run, on,
            on->fn.pfnResourceUpdateSubresourceUP(on->handle, locals->vertices, 0, &part, scene_bytes, 0, 0));
        ON_VOID(
            run, on,
            on->fn.pfnResourceUpdateSubresourceUP(on->handle, locals->vertices, 0, &odd, scene_bytes, 0, 0));
    }
    ON_VOID(run, on, on->fn.pfnDraw(on->handle, 3, 2));
    if (there(locals->texture)) {
        ON_VOID(run, on,
                on->fn.pfnResourceUpdateSubresourceUP(on->handle, locals->texture, 0, &corner, scene_bytes, 8,
                                                      0));
        ON_HR(run, on,
              on->fn.pfnResourceCopyRegion(on->handle, locals->texture, 0, 2, 2, 0, locals->texture, 0,
                                           &corner));
    }
    if (there(locals->read_buffer) && there(locals->vertices)) {
        ON_VOID(run, on, on->fn.pfnResourceCopy(on->handle, locals->read_buffer, locals->vertices));
        if (run->setup->mode == AGPU_BACKING_WDK) {
            ON_HR(run, on,
                  on->fn.pfnResourceCopyRegion(on->handle, locals->read_buffer, 0, 1, 0, 0, locals->vertices,
                                               0, &odd));
        }
    }
    if (there(locals->arguments)) {
        ON_VOID(run, on, on->fn.pfnDrawInstancedIndirect(on->handle, locals->arguments, 4));
    }
    ON_VOID(run, on, on->fn.pfnDraw(on->handle, 3, 3));
}

static void clear(struct fault_run *run, struct recording *on, const struct locals *locals)
{
    static const float blue[4] = {0, 0, 1, 1};

    if (locals->target_view.pDrvPrivate != NULL) {
        ON_VOID(run, on, on->fn.pfnClearRenderTargetView(on->handle, locals->target_view, blue));
    }
}

/* ---- lists ---- */

/* Returns NULL on failure. again: memory of a list that was recycled to this context. */
static void *finish(struct fault_run *run, struct recording *on, void *again)
{
    struct world *world = &run->world;
    const D3D11DDIARG_CREATECOMMANDLIST args = {.hDeferredContext = on->handle};
    D3D11DDI_HCOMMANDLIST list = {again};
    HRESULT hr;

    if (again == NULL) {
        list.pDrvPrivate = object(world->dev.pfnCalcPrivateCommandListSize(on->handle, &args));
        hr = ON_HR(run, on,
                   world->dev.pfnCreateCommandList(on->handle, &args, list, (D3D11DDI_HRTCOMMANDLIST){NULL}));
    } else {
        hr = ON_HR(
            run, on,
            world->dev.pfnRecycleCreateCommandList(on->handle, &args, list, (D3D11DDI_HRTCOMMANDLIST){NULL}));
    }
    if (SUCCEEDED(hr)) {
        return list.pDrvPrivate;
    }
    free(list.pDrvPrivate);
    return NULL;
}

static void execute(struct fault_run *run, void *list)
{
    if (list != NULL) {
        STEP_VOID(run,
                  run->world.ctx.pfnCommandListExecute(run->world.device, (D3D11DDI_HCOMMANDLIST){list}));
    }
}

static void end_list(struct fault_run *run, void *list)
{
    if (list != NULL) {
        STEP_VOID(run,
                  run->world.dev.pfnDestroyCommandList(run->world.device, (D3D11DDI_HCOMMANDLIST){list}));
    }
    free(list);
}

/* Records a list, executes it twice, and maps its results. */
static void everything(struct fault_run *run, struct recording *on, struct fault_scene *scene)
{
    struct world *world = &run->world;
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    struct locals locals;

    make_locals(run, on, scene, &locals);
    clear(run, on, &locals);
    bind(run, on, &locals);
    contents(run, on, &locals);
    void *list = finish(run, on, NULL);
    drop_locals(run, on, &locals);
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0));
    execute(run, list);
    if (alive(scene->read_buffer) &&
        SUCCEEDED(STEP_HR(run, map(world, scene->read_buffer, 0, D3D10_DDI_MAP_READ, 0, &mapped)))) {
        STEP_VOID(run, unmap(world, scene->read_buffer, 0));
    }
    execute(run, list);
    STEP_HR(run, flush(world));
    end_list(run, list);
}

/* One list inside another, with a rotation and a destruction between recording and execution. */
static void nested(struct fault_run *run, struct recording *inner, struct recording *outer,
                   struct fault_scene *scene)
{
    struct world *world = &run->world;
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotation = {scene->back, BACKBUFFERS};
    const uint32_t stride = 16, offset = 0;
    struct locals locals;
    D3D10DDI_HRESOURCE late = local_resource(run, inner, scene->late_vertices);
    D3D10DDI_HRESOURCE back = local_resource(run, inner, scene->back[0]);
    D3D10DDI_HRENDERTARGETVIEW back_view = local_rtv(run, inner, scene->back_view, back);

    ON_VOID(
        run, inner,
        inner->fn.pfnSetRenderTargets(inner->handle, &back_view, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL}));
    ON_VOID(run, inner, inner->fn.pfnIaSetVertexBuffers(inner->handle, 0, 1, &late, &stride, &offset));
    ON_VOID(run, inner, inner->fn.pfnDraw(inner->handle, 3, 0));
    make_locals(run, inner, scene, &locals);
    contents(run, inner, &locals);
    drop_locals(run, inner, &locals);
    void *list = finish(run, inner, NULL), *whole = NULL;
    DROP(run, inner, pfnDestroyRenderTargetView, back_view);
    DROP(run, inner, pfnDestroyResource, back);
    DROP(run, inner, pfnDestroyResource, late);
    make_locals(run, outer, scene, &locals);
    bind(run, outer, &locals);
    ON_VOID(run, outer, outer->fn.pfnDraw(outer->handle, 3, 0));
    if (list != NULL) {
        D3D11DDI_HCOMMANDLIST local = {memory_of(run, D3D11DDI_HT_COMMANDLIST, list)};

        if (SUCCEEDED(ON_HR(run, outer,
                            world->dev.pfnCreateCommandList(outer->handle, NULL, local,
                                                            (D3D11DDI_HRTCOMMANDLIST){list})))) {
            ON_VOID(run, outer, outer->fn.pfnCommandListExecute(outer->handle, local));
        }
        DROP(run, outer, pfnDestroyCommandList, local);
    }
    bind(run, outer, &locals);
    contents(run, outer, &locals);
    drop_locals(run, outer, &locals);
    whole = finish(run, outer, NULL);
    end_list(run, list);
    if (alive(scene->back[0]) && alive(scene->back[1]) && alive(scene->back[2])) {
        STEP_HR(run, world->dev.pfnRotateResourceIdentities(world->device, &rotation));
    }
    destroy_resource(run, &scene->late_vertices);
    execute(run, whole);
    STEP_HR(run, flush(world));
    end_list(run, whole);
}

/* More vertex buffers than the shortest allocation list holds, in frames from recycled memory. The last one is
 * abandoned. */
static void frames(struct fault_run *run, struct recording *on, struct fault_scene *scene)
{
    struct world *world = &run->world;
    D3D10DDI_HRESOURCE buffers[MANY], locals[MANY];
    const uint32_t stride = 16, offset = 0;
    void *again = NULL;

    for (uint32_t i = 0; i < MANY; i++) {
        buffers[i] = attempt_buffer(run, 64, 0, VB, 0, false);
    }
    for (uint32_t frame = 0; frame < 3; frame++) {
        D3D10DDI_HRESOURCE target = local_resource(run, on, scene->target);
        D3D10DDI_HRENDERTARGETVIEW view = local_rtv(run, on, scene->target_view, target);

        ON_VOID(run, on,
                on->fn.pfnSetRenderTargets(on->handle, &view, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL}));
        for (uint32_t i = 0; i < MANY; i++) {
            locals[i] = local_resource(run, on, buffers[i]);
            ON_VOID(run, on, on->fn.pfnIaSetVertexBuffers(on->handle, 0, 1, &locals[i], &stride, &offset));
            ON_VOID(run, on, on->fn.pfnDraw(on->handle, 3, 0));
        }
        if (frame == 2) {
            ON_VOID(run, on, world->dev.pfnAbandonCommandList(on->handle));
        } else {
            again = finish(run, on, again);
            execute(run, again);
            if (again != NULL) {
                STEP_VOID(run, world->dev.pfnRecycleDestroyCommandList(world->device,
                                                                       (D3D11DDI_HCOMMANDLIST){again}));
                ON_VOID(run, on,
                        world->dev.pfnRecycleCommandList(on->handle, (D3D11DDI_HCOMMANDLIST){again}));
            }
        }
        for (uint32_t i = 0; i < MANY; i++) {
            DROP(run, on, pfnDestroyResource, locals[i]);
        }
        DROP(run, on, pfnDestroyRenderTargetView, view);
        DROP(run, on, pfnDestroyResource, target);
    }
    end_list(run, again);
    STEP_HR(run, flush(world));
    for (uint32_t i = 0; i < MANY; i++) {
        destroy_resource(run, &buffers[i]);
    }
}

void deferred_scenario(struct fault_run *run)
{
    struct world *world = &run->world;
    struct recording *first = &run->recordings[0], *second = &run->recordings[1];
    struct fault_scene scene = {.vertices = {NULL}};

    create_buffers(run, &scene);
    create_textures(run, &scene);
    create_views(run, &scene);
    create_pipeline(run, &scene);
    if (open_recording(run, first) && open_recording(run, second)) {
        everything(run, first, &scene);
        nested(run, first, second, &scene);
        frames(run, second, &scene);
    }
    close_recording(run, second);
    close_recording(run, first);
    destroy_scene(run, &scene);
    STEP_VOID(run, world->ctx.pfnDraw(world->device, 3, 0)); /* left for DestroyDevice to submit */
}
