/* fixed.c: blend, depth-stencil and rasteriser objects and their packets (umd.md 10). A failed creation leaves the
 * default state; a destroyed object is all zero. */
#include "umd-port/state/fixed.h"

#include <string.h>

#include "umd-port/base/trace.h"
#include "umd-port/state/convert.h"
#include "umd-port/state/objects.h"

#define FLOAT_ONE 0x3F800000u /* bits of 1.0f */

size_t agpu_calc_blend_size(D3D10DDI_HDEVICE device, const D3D10_1_DDI_BLEND_DESC *desc)
{
    (void)desc;
    return agpu_traced_size(device, "CalcPrivateBlendStateSize", sizeof(struct agpu_blend_object));
}

HRESULT agpu_create_blend(D3D10DDI_HDEVICE handle, const D3D10_1_DDI_BLEND_DESC *desc,
                          D3D10DDI_HBLENDSTATE object, D3D10DDI_HRTBLENDSTATE runtime)
{
    struct agpu_blend_object *blend = object.pDrvPrivate;

    (void)runtime;
    if (blend == NULL) {
        return E_INVALIDARG;
    }
    blend->state = agpu_default_blend;
    if (agpu_context_of(handle) == NULL) {
        return E_INVALIDARG;
    }
    return agpu_traced_result(handle, "CreateBlendState",
                              desc != NULL ? agpu_convert_blend(desc, &blend->state) : S_OK);
}

void agpu_destroy_blend(D3D10DDI_HDEVICE device, D3D10DDI_HBLENDSTATE object)
{
    agpu_traced(device, "DestroyBlendState");
    if (object.pDrvPrivate != NULL) {
        memset(object.pDrvPrivate, 0, sizeof(struct agpu_blend_object));
    }
}

bool agpu_emit_blend(struct agpu_context *context, const struct agpu_blend_object *blend,
                     const float *factor4, uint32_t sample_mask)
{
    struct aerogpu_cmd_set_blend_state *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_BLEND_STATE, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->state = blend != NULL ? blend->state : agpu_default_blend;
    for (uint32_t i = 0; i < 4; i++) {
        if (factor4 != NULL) {
            memcpy(&packet->state.blend_constant_rgba_f32[i], &factor4[i], 4);
        } else {
            packet->state.blend_constant_rgba_f32[i] = FLOAT_ONE;
        }
    }
    packet->state.sample_mask = sample_mask;
    return true;
}

void agpu_set_blend(D3D10DDI_HDEVICE handle, D3D10DDI_HBLENDSTATE object, const float *factor4,
                    uint32_t sample_mask)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "SetBlendState set=%u sample_mask=0x%X", object.pDrvPrivate != NULL, sample_mask);
    if (!agpu_emit_blend(context, object.pDrvPrivate, factor4, sample_mask)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

size_t agpu_calc_depth_stencil_size(D3D10DDI_HDEVICE device, const D3D10_DDI_DEPTH_STENCIL_DESC *desc)
{
    (void)desc;
    return agpu_traced_size(device, "CalcPrivateDepthStencilStateSize",
                            sizeof(struct agpu_depth_stencil_object));
}

HRESULT agpu_create_depth_stencil(D3D10DDI_HDEVICE handle, const D3D10_DDI_DEPTH_STENCIL_DESC *desc,
                                  D3D10DDI_HDEPTHSTENCILSTATE object, D3D10DDI_HRTDEPTHSTENCILSTATE runtime)
{
    struct agpu_depth_stencil_object *depth = object.pDrvPrivate;

    (void)runtime;
    if (depth == NULL) {
        return E_INVALIDARG;
    }
    depth->state = agpu_default_depth_stencil;
    if (agpu_context_of(handle) == NULL) {
        return E_INVALIDARG;
    }
    return agpu_traced_result(handle, "CreateDepthStencilState",
                              desc != NULL ? agpu_convert_depth_stencil(desc, &depth->state) : S_OK);
}

void agpu_destroy_depth_stencil(D3D10DDI_HDEVICE device, D3D10DDI_HDEPTHSTENCILSTATE object)
{
    agpu_traced(device, "DestroyDepthStencilState");
    if (object.pDrvPrivate != NULL) {
        memset(object.pDrvPrivate, 0, sizeof(struct agpu_depth_stencil_object));
    }
}

bool agpu_emit_depth_stencil(struct agpu_context *context, const struct agpu_depth_stencil_object *depth)
{
    struct aerogpu_cmd_set_depth_stencil_state *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->state = depth != NULL ? depth->state : agpu_default_depth_stencil;
    return true;
}

/* The packet has no member for the stencil reference. */
void agpu_set_depth_stencil(D3D10DDI_HDEVICE handle, D3D10DDI_HDEPTHSTENCILSTATE object, uint32_t stencil_ref)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "SetDepthStencilState set=%u stencil_ref=%u", object.pDrvPrivate != NULL,
                   stencil_ref);
    if (!agpu_emit_depth_stencil(context, object.pDrvPrivate)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

size_t agpu_calc_rasterizer_size(D3D10DDI_HDEVICE device, const D3D10_DDI_RASTERIZER_DESC *desc)
{
    (void)desc;
    return agpu_traced_size(device, "CalcPrivateRasterizerStateSize", sizeof(struct agpu_rasterizer_object));
}

HRESULT agpu_create_rasterizer(D3D10DDI_HDEVICE handle, const D3D10_DDI_RASTERIZER_DESC *desc,
                               D3D10DDI_HRASTERIZERSTATE object, D3D10DDI_HRTRASTERIZERSTATE runtime)
{
    struct agpu_rasterizer_object *raster = object.pDrvPrivate;

    (void)runtime;
    if (raster == NULL) {
        return E_INVALIDARG;
    }
    raster->state = agpu_default_rasterizer;
    if (agpu_context_of(handle) == NULL) {
        return E_INVALIDARG;
    }
    return agpu_traced_result(handle, "CreateRasterizerState",
                              desc != NULL ? agpu_convert_rasterizer(desc, &raster->state) : S_OK);
}

void agpu_destroy_rasterizer(D3D10DDI_HDEVICE device, D3D10DDI_HRASTERIZERSTATE object)
{
    agpu_traced(device, "DestroyRasterizerState");
    if (object.pDrvPrivate != NULL) {
        memset(object.pDrvPrivate, 0, sizeof(struct agpu_rasterizer_object));
    }
}

bool agpu_emit_rasterizer_state(struct agpu_context *context, const struct aerogpu_rasterizer_state *state)
{
    struct aerogpu_cmd_set_rasterizer_state *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_RASTERIZER_STATE, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->state = *state;
    context->rasterizer = *state;
    return true;
}

bool agpu_emit_rasterizer(struct agpu_context *context, const struct agpu_rasterizer_object *raster)
{
    return agpu_emit_rasterizer_state(context, raster != NULL ? &raster->state : &agpu_default_rasterizer);
}

void agpu_set_rasterizer(D3D10DDI_HDEVICE handle, D3D10DDI_HRASTERIZERSTATE object)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "SetRasterizerState set=%u", object.pDrvPrivate != NULL);
    if (!agpu_emit_rasterizer(context, object.pDrvPrivate)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}
