/* recording.c: see recording.h. */
#include "tests/unit/umd_faults/recording.h"

#include "umd-port/state/objects.h"

static void told(D3D10DDI_HRTCORELAYER layer, HRESULT hr)
{
    struct recording *recording = layer.handle;

    if (recording->error_count++ == 0) {
        recording->error = hr;
    }
}

bool open_recording(struct fault_run *run, struct recording *recording)
{
    static const D3D11DDI_CORELAYER_DEVICECALLBACKS callbacks = {.pfnSetErrorCb = told};
    struct world *world = &run->world;
    D3D11DDIARG_CREATEDEFERREDCONTEXT args = {
        .hDrvContext = {object(world->dev.pfnCalcPrivateDeferredContextSize(world->device, NULL))},
        .hRTCoreLayer = {recording},
        .p11UMCallbacks = &callbacks,
    };

    agpu_api_begin_deferred(&recording->api, world->device, &args);
    if (FAILED(STEP_HR(run, world->dev.pfnCreateDeferredContext(world->device, &args)))) {
        free(args.hDrvContext.pDrvPrivate);
        return false;
    }
    recording->handle = args.hDrvContext;
    agpu_api_open_deferred(&recording->api, recording->handle, &recording->fn);
    return true;
}

void close_recording(struct fault_run *run, struct recording *recording)
{
    struct world *world = &run->world;

    if (recording->handle.pDrvPrivate == NULL) {
        return;
    }
    STEP_VOID(run, world->dev.pfnDestroyDeferredContext(world->device, recording->handle));
    agpu_api_end(&recording->api);
    free(recording->handle.pDrvPrivate);
    recording->handle.pDrvPrivate = NULL;
}

void *memory_of(struct fault_run *run, uint32_t type, void *immediate)
{
    return object(run->world.dev.pfnCalcDeferredContextHandleSize(run->world.device, type, immediate));
}

/* An object whose creation failed has no local handle. A local handle whose creation failed is empty. */
D3D10DDI_HRESOURCE local_resource(struct fault_run *run, struct recording *on, D3D10DDI_HRESOURCE immediate)
{
    D3D10DDI_HRESOURCE local = {NULL};

    if (!alive(immediate)) {
        return local;
    }
    local.pDrvPrivate = memory_of(run, D3D10DDI_HT_RESOURCE, immediate.pDrvPrivate);
    ON_HR(run, on,
          run->world.dev.pfnCreateResource(on->handle, NULL, local,
                                           (D3D10DDI_HRTRESOURCE){immediate.pDrvPrivate}));
    return local;
}

/* Returns whether the view and its resource exist. After a failed creation they do not. */
static bool usable(D3D10DDI_HRESOURCE local, const void *view)
{
    return local.pDrvPrivate != NULL && res(local)->handle && view != NULL &&
           ((const struct agpu_view *)view)->resource != NULL;
}

#define LOCAL_VIEW(storage, name, handle_type, type, create, args_type, runtime_type)                        \
    storage handle_type name(struct fault_run *run, struct recording *on, handle_type immediate,             \
                             D3D10DDI_HRESOURCE resource)                                                    \
    {                                                                                                        \
        const args_type args = {.hDrvResource = resource};                                                   \
        handle_type local = {NULL};                                                                          \
        if (!usable(resource, immediate.pDrvPrivate))                                                        \
            return local;                                                                                    \
        local.pDrvPrivate = memory_of(run, type, immediate.pDrvPrivate);                                     \
        ON_HR(run, on,                                                                                       \
              run->world.dev.create(on->handle, &args, local, (runtime_type){immediate.pDrvPrivate}));       \
        return local;                                                                                        \
    }
LOCAL_VIEW(/* not static */, local_rtv, D3D10DDI_HRENDERTARGETVIEW, D3D10DDI_HT_RENDERTARGETVIEW,
           pfnCreateRenderTargetView, D3D10DDIARG_CREATERENDERTARGETVIEW, D3D10DDI_HRTRENDERTARGETVIEW)
LOCAL_VIEW(static, local_srv, D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HT_SHADERRESOURCEVIEW,
           pfnCreateShaderResourceView, D3D10DDIARG_CREATESHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW)

/* Objects that start with their protocol handle, which is 0 after a failed creation. */
#define LOCAL_OBJECT(name, handle_type, type, create, runtime_type)                                          \
    static handle_type name(struct fault_run *run, struct recording *on, handle_type immediate)              \
    {                                                                                                        \
        handle_type local = {NULL};                                                                          \
        if (!immediate.pDrvPrivate || !*(const uint32_t *)immediate.pDrvPrivate)                             \
            return local;                                                                                    \
        local.pDrvPrivate = memory_of(run, type, immediate.pDrvPrivate);                                     \
        ON_HR(run, on,                                                                                       \
              run->world.dev.create(on->handle, NULL, local, (runtime_type){immediate.pDrvPrivate}));        \
        return local;                                                                                        \
    }
LOCAL_OBJECT(local_shader, D3D10DDI_HSHADER, D3D10DDI_HT_SHADER, pfnCreateVertexShader, D3D10DDI_HRTSHADER)
LOCAL_OBJECT(local_sampler, D3D10DDI_HSAMPLER, D3D10DDI_HT_SAMPLERSTATE, pfnCreateSampler,
             D3D10DDI_HRTSAMPLER)
LOCAL_OBJECT(local_layout, D3D10DDI_HELEMENTLAYOUT, D3D10DDI_HT_ELEMENTLAYOUT, pfnCreateElementLayout,
             D3D10DDI_HRTELEMENTLAYOUT)

void make_locals(struct fault_run *run, struct recording *on, struct fault_scene *scene,
                 struct locals *locals)
{
    *locals = (struct locals){.vertices = local_resource(run, on, scene->vertices)};
    locals->stream = local_resource(run, on, scene->stream);
    locals->constants = local_resource(run, on, scene->constants);
    locals->texture = local_resource(run, on, scene->texture);
    locals->target = local_resource(run, on, scene->target);
    locals->arguments = local_resource(run, on, scene->arguments);
    locals->read_buffer = local_resource(run, on, scene->read_buffer);
    locals->target_view = local_rtv(run, on, scene->target_view, locals->target);
    locals->texture_view = local_srv(run, on, scene->texture_view, locals->texture);
    locals->mip_srv = local_srv(run, on, scene->mip_srv, locals->texture);
    locals->vs = local_shader(run, on, scene->vs);
    locals->ps = local_shader(run, on, scene->ps);
    locals->layout = local_layout(run, on, scene->layout);
    locals->sampler = local_sampler(run, on, scene->sampler);
}

void drop_locals(struct fault_run *run, struct recording *on, struct locals *locals)
{
    DROP(run, on, pfnDestroySampler, locals->sampler);
    DROP(run, on, pfnDestroyElementLayout, locals->layout);
    DROP(run, on, pfnDestroyShader, locals->ps);
    DROP(run, on, pfnDestroyShader, locals->vs);
    DROP(run, on, pfnDestroyShaderResourceView, locals->mip_srv);
    DROP(run, on, pfnDestroyShaderResourceView, locals->texture_view);
    DROP(run, on, pfnDestroyRenderTargetView, locals->target_view);
    DROP(run, on, pfnDestroyResource, locals->read_buffer);
    DROP(run, on, pfnDestroyResource, locals->arguments);
    DROP(run, on, pfnDestroyResource, locals->target);
    DROP(run, on, pfnDestroyResource, locals->texture);
    DROP(run, on, pfnDestroyResource, locals->constants);
    DROP(run, on, pfnDestroyResource, locals->stream);
    DROP(run, on, pfnDestroyResource, locals->vertices);
}
