/* saved_state.c: start and end of the record of the immediate context's state, and of the objects in it (umd.md 15). */
#include "mm/runtime/saved_state.h"

#include "mm/runtime/saved_records.h"
#include "mm/runtime/saved_setters.h"

#include <string.h>

/* ---- destruction of objects ---- */

/* Removes an object that is destroyed while it is set. */
static void drop(struct agpu_saved *saved, const void *object)
{
    /* Each member is an array of handles, or one handle. */
#define SLOTS_OF(member)                                                                                     \
    {                                                                                                        \
        (void **)(void *)&saved->member, sizeof saved->member / sizeof(void *)                               \
    }
    const struct {
        void **slots;
        size_t count;
    } all[] = {SLOTS_OF(shaders), SLOTS_OF(constants),  SLOTS_OF(views),      SLOTS_OF(samplers),
               SLOTS_OF(uavs),    SLOTS_OF(layout),     SLOTS_OF(vertex),     SLOTS_OF(index),
               SLOTS_OF(targets), SLOTS_OF(depth_view), SLOTS_OF(rasterizer), SLOTS_OF(blend),
               SLOTS_OF(depth)};

    for (unsigned a = 0; a < sizeof all / sizeof all[0]; a++) {
        for (size_t i = 0; i < all[a].count; i++) {
            if (all[a].slots[i] == object) {
                all[a].slots[i] = NULL;
            }
        }
    }
}

#define EACH_END(X)                                                                                          \
    X(resource, Resource, D3D10DDI_HRESOURCE)                                                                \
    X(srv, ShaderResourceView, D3D10DDI_HSHADERRESOURCEVIEW)                                                 \
    X(rtv, RenderTargetView, D3D10DDI_HRENDERTARGETVIEW)                                                     \
    X(dsv, DepthStencilView, D3D10DDI_HDEPTHSTENCILVIEW)                                                     \
    X(uav, UnorderedAccessView, D3D11DDI_HUNORDEREDACCESSVIEW)                                               \
    X(layout, ElementLayout, D3D10DDI_HELEMENTLAYOUT)                                                        \
    X(blend, BlendState, D3D10DDI_HBLENDSTATE)                                                               \
    X(depth, DepthStencilState, D3D10DDI_HDEPTHSTENCILSTATE)                                                 \
    X(rasterizer, RasterizerState, D3D10DDI_HRASTERIZERSTATE)                                                \
    X(shader, Shader, D3D10DDI_HSHADER)                                                                      \
    X(sampler, Sampler, D3D10DDI_HSAMPLER)
#define SAVED_END(name, api, handle_type)                                                                    \
    static void saved_end_##name(D3D10DDI_HDEVICE device, handle_type object)                                \
    {                                                                                                        \
        struct agpu_saved_state *state = agpu_saved_state_of(device);                                        \
                                                                                                             \
        drop(&state->saved, object.pDrvPrivate);                                                             \
        agpu_saved_view_forget(state, object.pDrvPrivate);                                                   \
        state->funcs.pfnDestroy##api(device, object);                                                        \
    }
EACH_END(SAVED_END)

/* ---- views ---- */

#define EACH_VIEW(X)                                                                                         \
    X(srv, ShaderResourceView, D3D10DDIARG_CREATESHADERRESOURCEVIEW, D3D10DDI_HSHADERRESOURCEVIEW,           \
      D3D10DDI_HRTSHADERRESOURCEVIEW)                                                                        \
    X(rtv, RenderTargetView, D3D10DDIARG_CREATERENDERTARGETVIEW, D3D10DDI_HRENDERTARGETVIEW,                 \
      D3D10DDI_HRTRENDERTARGETVIEW)                                                                          \
    X(dsv, DepthStencilView, D3D10DDIARG_CREATEDEPTHSTENCILVIEW, D3D10DDI_HDEPTHSTENCILVIEW,                 \
      D3D10DDI_HRTDEPTHSTENCILVIEW)                                                                          \
    X(uav, UnorderedAccessView, D3D11DDIARG_CREATEUNORDEREDACCESSVIEW, D3D11DDI_HUNORDEREDACCESSVIEW,        \
      D3D11DDI_HRTUNORDEREDACCESSVIEW)
#define SAVED_VIEW(name, api, args_type, handle_type, runtime_type)                                          \
    static HRESULT saved_create_##name(D3D10DDI_HDEVICE device, const args_type *args, handle_type view,     \
                                       runtime_type runtime)                                                 \
    {                                                                                                        \
        struct agpu_saved_state *state = agpu_saved_state_of(device);                                        \
                                                                                                             \
        if (args != NULL && !agpu_saved_view_add(state, view.pDrvPrivate, args->hDrvResource.pDrvPrivate)) { \
            return E_OUTOFMEMORY;                                                                            \
        }                                                                                                    \
        HRESULT hr = state->funcs.pfnCreate##api(device, args, view, runtime);                               \
        if (FAILED(hr)) {                                                                                    \
            agpu_saved_view_forget(state, view.pDrvPrivate);                                                 \
        }                                                                                                    \
        return hr;                                                                                           \
    }
EACH_VIEW(SAVED_VIEW)

/* ---- start and end ---- */

bool agpu_saved_state_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                            struct agpu_api_device *funcs, struct agpu_api_context *context)
{
    struct agpu_saved_state *state = agpu_memory_alloc(&owner->runtime->memory, sizeof *state);

    if (state == NULL) {
        return false;
    }
    state->owner = owner;
    state->funcs = *funcs;
    state->context = *context;
    agpu_layer_enter(AGPU_LAYER_SAVED_STATE, &state->layer, device);
    owner->saved_state = state;
#define PUT_END(name, api, handle_type) funcs->pfnDestroy##api = saved_end_##name;
    EACH_END(PUT_END)
#define PUT_VIEW(name, api, args_type, handle_type, runtime_type) funcs->pfnCreate##api = saved_create_##name;
    EACH_VIEW(PUT_VIEW)
    agpu_saved_setters_put(context);
    return true;
}

void agpu_saved_state_end(struct agpu_runtime_device *owner)
{
    struct agpu_saved_state *state = owner->saved_state;

    if (state == NULL) {
        return;
    }
    agpu_saved_state_leave(state);
    owner->saved_state = NULL;
    agpu_memory_free(&owner->runtime->memory, state, sizeof *state);
}

void agpu_saved_state_forget(struct agpu_runtime_device *owner)
{
    if (owner->saved_state != NULL) {
        memset(&owner->saved_state->saved, 0, sizeof owner->saved_state->saved);
    }
}
