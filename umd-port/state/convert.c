/* convert.c: state conversions (umd.md 2.5, 10). */
#include "umd-port/state/convert.h"

#include <stdbool.h>

#define FLOAT_ONE 0x3F800000u /* bits of 1.0f */

const struct aerogpu_blend_state agpu_default_blend = {
    .enable = 0,
    .src_factor = AEROGPU_BLEND_ONE,
    .dst_factor = AEROGPU_BLEND_ZERO,
    .blend_op = AEROGPU_BLEND_OP_ADD,
    .color_write_mask = 0xF,
    .src_factor_alpha = AEROGPU_BLEND_ONE,
    .dst_factor_alpha = AEROGPU_BLEND_ZERO,
    .blend_op_alpha = AEROGPU_BLEND_OP_ADD,
    .blend_constant_rgba_f32 = {FLOAT_ONE, FLOAT_ONE, FLOAT_ONE, FLOAT_ONE},
    .sample_mask = 0xFFFFFFFFu,
};

const struct aerogpu_depth_stencil_state agpu_default_depth_stencil = {
    .depth_enable = 1,
    .depth_write_enable = 1,
    .depth_func = AEROGPU_COMPARE_LESS,
    .stencil_read_mask = 0xFF,
    .stencil_write_mask = 0xFF,
};

const struct aerogpu_rasterizer_state agpu_default_rasterizer = {
    .fill_mode = AEROGPU_FILL_SOLID,
    .cull_mode = AEROGPU_CULL_BACK,
};

uint32_t agpu_convert_filter(uint32_t filter)
{
    return filter == 0 ? AEROGPU_SAMPLER_FILTER_NEAREST : AEROGPU_SAMPLER_FILTER_LINEAR;
}

uint32_t agpu_convert_address(uint32_t address)
{
    return address == 1   ? AEROGPU_SAMPLER_ADDRESS_REPEAT
           : address == 2 ? AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT
                          : AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE;
}

uint32_t agpu_convert_comparison(uint32_t comparison)
{
    return comparison >= 1 && comparison <= 8 ? comparison - 1 : AEROGPU_COMPARE_ALWAYS;
}

/* Returns the protocol factor of D3D blend 1..19. */
static HRESULT convert_factor(uint32_t blend, uint32_t *factor)
{
    switch (blend) {
    case 1:
        *factor = AEROGPU_BLEND_ZERO;
        return S_OK;
    case 2:
        *factor = AEROGPU_BLEND_ONE;
        return S_OK;
    case 5:
        *factor = AEROGPU_BLEND_SRC_ALPHA;
        return S_OK;
    case 6:
        *factor = AEROGPU_BLEND_INV_SRC_ALPHA;
        return S_OK;
    case 7:
        *factor = AEROGPU_BLEND_DEST_ALPHA;
        return S_OK;
    case 8:
        *factor = AEROGPU_BLEND_INV_DEST_ALPHA;
        return S_OK;
    case 14:
        *factor = AEROGPU_BLEND_CONSTANT;
        return S_OK;
    case 15:
        *factor = AEROGPU_BLEND_INV_CONSTANT;
        return S_OK;
    case 3: /* colour factors, saturated alpha, dual source: not in the protocol */
    case 4:
    case 9:
    case 10:
    case 11:
    case 16:
    case 17:
    case 18:
    case 19:
        return E_NOTIMPL;
    default:
        return E_INVALIDARG;
    }
}

static HRESULT convert_op(uint32_t op, uint32_t *out)
{
    if (op < 1 || op > 5) {
        return E_INVALIDARG;
    }
    *out = op - 1;
    return S_OK;
}

static HRESULT convert_equation(uint32_t src, uint32_t dst, uint32_t op, uint32_t *src_out, uint32_t *dst_out,
                                uint32_t *op_out)
{
    HRESULT hr = convert_factor(src, src_out);

    if (SUCCEEDED(hr)) {
        hr = convert_factor(dst, dst_out);
    }
    return FAILED(hr) ? hr : convert_op(op, op_out);
}

/* The protocol has one blend state for all targets. */
static bool targets_differ(const D3D10_DDI_RENDER_TARGET_BLEND_DESC *a,
                           const D3D10_DDI_RENDER_TARGET_BLEND_DESC *b)
{
    if (a->BlendEnable != b->BlendEnable || a->RenderTargetWriteMask != b->RenderTargetWriteMask) {
        return true;
    }
    return a->BlendEnable && (a->SrcBlend != b->SrcBlend || a->DestBlend != b->DestBlend ||
                              a->BlendOp != b->BlendOp || a->SrcBlendAlpha != b->SrcBlendAlpha ||
                              a->DestBlendAlpha != b->DestBlendAlpha || a->BlendOpAlpha != b->BlendOpAlpha);
}

HRESULT agpu_convert_blend(const D3D10_1_DDI_BLEND_DESC *desc, struct aerogpu_blend_state *state)
{
    *state = agpu_default_blend;
    if (desc == NULL || !desc->NumRenderTargets || desc->NumRenderTargets > AEROGPU_MAX_RENDER_TARGETS) {
        return E_INVALIDARG;
    }
    const D3D10_DDI_RENDER_TARGET_BLEND_DESC *first = &desc->RenderTarget[0];
    if (desc->AlphaToCoverageEnable) {
        return E_NOTIMPL;
    }
    if (first->BlendEnable > 1) {
        return E_INVALIDARG;
    }
    for (uint32_t i = 1; desc->IndependentBlendEnable && i < desc->NumRenderTargets; i++) {
        if (targets_differ(first, &desc->RenderTarget[i])) {
            return E_NOTIMPL;
        }
    }
    if (first->RenderTargetWriteMask > 0xF) {
        return E_NOTIMPL;
    }
    struct aerogpu_blend_state converted = *state;
    converted.enable = first->BlendEnable;
    converted.color_write_mask = (uint8_t)first->RenderTargetWriteMask;
    if (first->BlendEnable) {
        uint32_t factor[4], op[2];
        HRESULT hr = convert_equation(first->SrcBlend, first->DestBlend, first->BlendOp, &factor[0],
                                      &factor[1], &op[0]);

        if (SUCCEEDED(hr)) {
            hr = convert_equation(first->SrcBlendAlpha, first->DestBlendAlpha, first->BlendOpAlpha,
                                  &factor[2], &factor[3], &op[1]);
        }
        if (FAILED(hr)) {
            return hr;
        }
        converted.src_factor = factor[0];
        converted.dst_factor = factor[1];
        converted.blend_op = op[0];
        converted.src_factor_alpha = factor[2];
        converted.dst_factor_alpha = factor[3];
        converted.blend_op_alpha = op[1];
    }
    *state = converted;
    return S_OK;
}

HRESULT agpu_convert_depth_stencil(const D3D10_DDI_DEPTH_STENCIL_DESC *desc,
                                   struct aerogpu_depth_stencil_state *state)
{
    *state = agpu_default_depth_stencil;
    if (desc->DepthEnable > 1 || desc->DepthWriteMask > 1 || desc->StencilEnable > 1 ||
        (desc->DepthEnable && (desc->DepthFunc < 1 || desc->DepthFunc > 8))) {
        return E_INVALIDARG;
    }
    state->depth_enable = desc->DepthEnable;
    state->depth_write_enable = desc->DepthEnable ? desc->DepthWriteMask : 0;
    state->depth_func = agpu_convert_comparison(desc->DepthFunc);
    state->stencil_enable = desc->StencilEnable;
    state->stencil_read_mask = desc->StencilReadMask;
    state->stencil_write_mask = desc->StencilWriteMask;
    return S_OK;
}

HRESULT agpu_convert_rasterizer(const D3D10_DDI_RASTERIZER_DESC *desc, struct aerogpu_rasterizer_state *state)
{
    *state = agpu_default_rasterizer;
    if (desc->FillMode < 2 || desc->FillMode > 3 || desc->CullMode < 1 || desc->CullMode > 3 ||
        desc->FrontCounterClockwise > 1 || desc->ScissorEnable > 1 || desc->DepthClipEnable > 1) {
        return E_INVALIDARG;
    }
    state->fill_mode = desc->FillMode == 2 ? AEROGPU_FILL_WIREFRAME : AEROGPU_FILL_SOLID;
    state->cull_mode = desc->CullMode - 1;
    state->front_ccw = desc->FrontCounterClockwise;
    state->scissor_enable = desc->ScissorEnable;
    state->depth_bias = desc->DepthBias;
    state->flags =
        desc->DepthClipEnable ? AEROGPU_RASTERIZER_FLAG_NONE : AEROGPU_RASTERIZER_FLAG_DEPTH_CLIP_DISABLE;
    return S_OK;
}
