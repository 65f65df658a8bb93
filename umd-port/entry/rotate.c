/* rotate.c: RotateResourceIdentities: the buffers of a swapchain exchange places after a present (umd.md 13). */
#include "umd-port/entry/rotate.h"

#include "umd-port/base/operation.h"
#include "umd-port/base/track.h"
#include "umd-port/base/trace.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/objects.h"
#include "umd-port/state/view_packets.h"

/* More buffers than a swapchain can have. */
#define MAX_BUFFERS 32u

/* The part that moves: the protocol object and its memory. Description, views and the runtime's handle stay. */
struct rotate_identity {
    uint32_t handle, alloc_id, track_slot;
    D3DKMT_HANDLE alloc_handle, km_resource;
    uint64_t track_epoch, last_gpu_write_fence, bytes;
    uint8_t *shadow;
    bool device_ahead;
    const struct agpu_umd_environment *env; /* heap that frees the shadow */
    struct agpu_texture_layout layout;
};

static struct rotate_identity identity_of(const struct agpu_resource *resource)
{
    return (struct rotate_identity){
        .handle = resource->handle,
        .alloc_id = resource->alloc_id,
        .track_slot = resource->track_slot,
        .alloc_handle = resource->alloc_handle,
        .km_resource = resource->km_resource,
        .track_epoch = resource->track_epoch,
        .last_gpu_write_fence = resource->last_gpu_write_fence,
        .bytes = resource->bytes,
        .shadow = resource->shadow,
        .device_ahead = resource->device_ahead,
        .env = resource->env,
        .layout = resource->layout,
    };
}

static void adopt_identity(struct agpu_resource *resource, const struct rotate_identity *identity)
{
    resource->handle = identity->handle;
    resource->alloc_id = identity->alloc_id;
    resource->track_slot = identity->track_slot;
    resource->alloc_handle = identity->alloc_handle;
    resource->km_resource = identity->km_resource;
    resource->track_epoch = identity->track_epoch;
    resource->last_gpu_write_fence = identity->last_gpu_write_fence;
    resource->bytes = identity->bytes;
    resource->shadow = identity->shadow;
    resource->device_ahead = identity->device_ahead;
    resource->env = identity->env;
    resource->layout = identity->layout;
}

/* Moves unsubmitted writes with the memory that they write: resource i gets those of i + shift. */
static void pass_staging_writes(struct agpu_device *device, const D3D10DDI_HRESOURCE *handles, uint32_t count,
                                uint32_t shift)
{
    bool pending[MAX_BUFFERS];

    for (uint32_t i = 0; i < count; i++) {
        struct agpu_resource *resource = handles[i].pDrvPrivate;

        pending[i] = resource->pending_link != NULL;
        agpu_forget_staging_write(resource);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (pending[(i + shift) % count]) {
            agpu_track_staging_write(device, handles[i].pDrvPrivate);
        }
    }
}

static bool same_description(const struct agpu_resource *a, const struct agpu_resource *b)
{
    return a->layout.width == b->layout.width && a->layout.height == b->layout.height &&
           a->layout.mips == b->layout.mips && a->layout.layers == b->layout.layers &&
           a->dxgi_format == b->dxgi_format;
}

static bool is_rotatable(const struct agpu_resource *resource)
{
    return resource != NULL && resource->handle && resource->kind == AGPU_KIND_TEXTURE2D &&
           (resource->bind_flags & D3D10_DDI_BIND_RENDER_TARGET) && !resource->map.active &&
           !resource->is_shared && !resource->is_alias && !resource->share_token;
}

static bool all_rotatable(const D3D10DDI_HRESOURCE *handles, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct agpu_resource *resource = handles[i].pDrvPrivate;

        if (!is_rotatable(resource) || !same_description(handles[0].pDrvPrivate, resource)) {
            return false;
        }
        for (uint32_t k = 0; k < i; k++) {
            if (handles[k].pDrvPrivate == resource) {
                return false;
            }
        }
    }
    return true;
}

static bool is_among(const struct agpu_resource *resource, const D3D10DDI_HRESOURCE *handles, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (handles[i].pDrvPrivate == resource) {
            return true;
        }
    }
    return false;
}

/* Re-creates explicit views under their old handles, because their resources now have other textures. */
static bool renew_views(struct agpu_context *context, const D3D10DDI_HRESOURCE *handles, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (const struct agpu_view *view = ((struct agpu_resource *)handles[i].pDrvPrivate)->views;
             view != NULL; view = view->next) {
            if (view->handle && (!agpu_emit_destroy_view(&context->cmd, view->handle) ||
                                 !agpu_emit_create_view(&context->cmd, view))) {
                return false;
            }
        }
    }
    return true;
}

static bool rebind_rotated(struct agpu_context *context, const D3D10DDI_HRESOURCE *handles, uint32_t count)
{
    const struct agpu_target_set targets = context->targets;
    bool affected = is_among(targets.depth.resource, handles, count);

    for (uint32_t slot = 0; slot < targets.count; slot++) {
        affected |=
            targets.colors[slot].resource != NULL && is_among(targets.colors[slot].resource, handles, count);
    }
    if (affected && !agpu_bind_targets(context, &targets)) {
        return false;
    }
    for (uint32_t slot = 0; slot < AGPU_DDI_SHADER_RESOURCE_SLOTS; slot++) {
        for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
            const struct agpu_bound_view view = context->stages[stage].views[slot];

            if (view.resource != NULL && is_among(view.resource, handles, count) &&
                !agpu_bind_view(context, (enum agpu_stage)stage, slot, &view)) {
                return false;
            }
        }
    }
    return true;
}

static void trace_slots(const struct agpu_device *device, const char *mark, const D3D10DDI_HRESOURCE *handles,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        AGPU_TRACE_RESOURCES(device->env, "%s slot[%u]=%u", mark, i,
                             ((const struct agpu_resource *)handles[i].pDrvPrivate)->handle);
    }
}

static HRESULT rotate_identities(struct agpu_context *context,
                                 const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *args)
{
    const D3D10DDI_HRESOURCE *handles = args->pResources;
    uint32_t count = args->Resources;

    AGPU_TRACE_RESOURCES(context->device->env, "RotateResourceIdentities count=%u", count);
    if (count < 2 || count > MAX_BUFFERS || handles == NULL || !all_rotatable(handles, count)) {
        return S_OK; /* nothing to exchange */
    }
    trace_slots(context->device, "+", handles, count);
    struct rotate_identity before[MAX_BUFFERS];
    for (uint32_t i = 0; i < count; i++) {
        before[i] = identity_of(handles[i].pDrvPrivate);
    }
    for (uint32_t i = 0; i < count; i++) {
        adopt_identity(handles[i].pDrvPrivate, &before[(i + 1) % count]);
    }
    pass_staging_writes(context->device, handles, count, 1);
    const struct agpu_operation operation = agpu_mark_operation(context->device);
    HRESULT hr = S_OK;
    if (!renew_views(context, handles, count) || !rebind_rotated(context, handles, count)) {
        hr = agpu_undo_operation(context->device, &operation);
        for (uint32_t i = 0; i < count; i++) {
            adopt_identity(handles[i].pDrvPrivate, &before[i]);
        }
        pass_staging_writes(context->device, handles, count, count - 1);
    }
    trace_slots(context->device, "->", handles, count);
    return hr;
}

HRESULT agpu_rotate_resource_identities(D3D10DDI_HDEVICE handle,
                                        const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES *args)
{
    struct agpu_context *context = agpu_context_of(handle);
    HRESULT hr = context != NULL && args != NULL ? rotate_identities(context, args) : E_INVALIDARG;

    return agpu_traced_result(handle, "RotateResourceIdentities", hr);
}
