/* spy_state.c: the packets of every state that a context has (umd.md 9, 10): set once, again, after a lost submission,
 * cleared (tests/cases/calls/). */
#include <string.h>

#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/umd_draw.h"

#define EDGE  16u
#define RGBA  DXGI_FORMAT_R8G8B8A8_UNORM
#define SLOTS 3u

/* Objects of each kind. */
struct spied_state {
    D3D10DDI_HRESOURCE buffers[SLOTS];
    D3D10DDI_HSHADERRESOURCEVIEW views[SLOTS];
    D3D11DDI_HUNORDEREDACCESSVIEW outputs[SLOTS];
    D3D10DDI_HSAMPLER samplers[SLOTS];
    D3D10DDI_HSHADER vs, ps, cs;
    D3D10DDI_HELEMENTLAYOUT layout;
    D3D10DDI_HBLENDSTATE blend;
    D3D10DDI_HRASTERIZERSTATE rasterizer;
    D3D10DDI_HDEPTHSTENCILSTATE depth;
    D3D10DDI_HRENDERTARGETVIEW target;
    D3D10DDI_HDEPTHSTENCILVIEW depth_view;
};

/* Creates a buffer that every slot accepts. */
static D3D10DDI_HRESOURCE any_buffer(struct agpu_test *t)
{
    const struct agpu_resource_desc desc =
        agpu_buffer_desc(64, D3D10_DDI_USAGE_DEFAULT,
                         D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER |
                             D3D10_DDI_BIND_SHADER_RESOURCE | D3D11_DDI_BIND_UNORDERED_ACCESS,
                         0);
    HRESULT hr;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);

    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

static D3D10DDI_HRESOURCE constant_buffer_64(struct agpu_test *t)
{
    const struct agpu_resource_desc desc =
        agpu_buffer_desc(64, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    HRESULT hr;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);

    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

static void make_state(struct agpu_test *t, struct spied_state *state)
{
    static const D3D10_DDI_RENDER_TARGET_BLEND_DESC blend = {1, 5, 6, 1, 2, 1, 1, 0xF};
    static const D3D10_DDI_RASTERIZER_DESC rasterizer = {3, 2, 1, 4, 1, 1};
    static const D3D10_DDI_DEPTH_STENCIL_DESC depth = {1, 1, 4, 1, 0x0F, 0xF0};
    const struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_resource_desc desc = agpu_texture_desc(RGBA, EDGE, EDGE);
    struct agpu_resource_desc depth_desc = agpu_texture_desc(DXGI_FORMAT_D32_FLOAT, EDGE, EDGE);
    D3D10DDIARG_CREATESHADERRESOURCEVIEW texture = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 1},
                                         words = {.NumElements = 8, .FirstElement = 4};
    D3D11DDIARG_CREATEUNORDEREDACCESSVIEW output = {.NumElements = 8, .FirstElement = 2};

    depth_desc.BindFlags = D3D10_DDI_BIND_DEPTH_STENCIL;
    texture.hDrvResource = agpu_make_texture(t, &desc, 0);
    words.hDrvResource = any_buffer(t);
    for (uint32_t i = 0; i < SLOTS; i++) {
        state->buffers[i] = constant_buffer_64(t);
        state->views[i] = agpu_make_srv(t, i == 1 ? &words : &texture);
        state->samplers[i] = agpu_make_sampler(t, i, 1 + i);
        output.hDrvResource = any_buffer(t);
        state->outputs[i] = agpu_make_uav(t, &output);
    }
    state->vs = agpu_make_shader(t, umd->funcs.pfnCreateVertexShader, &agpu_vs_color_4_0);
    state->ps = agpu_make_shader(t, umd->funcs.pfnCreatePixelShader, &agpu_ps_color_4_0);
    state->cs = agpu_make_shader(t, umd->funcs.pfnCreateComputeShader, &agpu_cs_scale_5_0);
    state->layout = agpu_make_color_layout(t);
    state->blend = agpu_make_blend(t, &blend);
    state->rasterizer = agpu_make_rasterizer(t, &rasterizer);
    state->depth = agpu_make_depth(t, &depth);
    state->target = agpu_make_rtv(t, agpu_make_target(t, RGBA, EDGE, EDGE));
    state->depth_view = agpu_make_dsv(t, agpu_make_texture(t, &depth_desc, 0));
}

/* Sets the first count slots of each kind, the state objects and shaders. */
static void set_every_state(struct agpu_test *t, const struct spied_state *state, D3D10DDI_HRESOURCE vertices,
                            uint32_t count)
{
    static const uint32_t strides[SLOTS] = {16, 32, 48}, offsets[SLOTS] = {0, 4, 8},
                          keep[SLOTS] = {~0u, ~0u, ~0u};
    static const D3D10_DDI_VIEWPORT viewport = {1, 2, 3, 4, 0.25f, 0.75f};
    static const D3D10_DDI_RECT scissor = {1, 2, 3, 4};
    static const float factor[4] = {0.25f, 0.5f, 0.75f, 1};
    const struct agpu_api_context *context = &t->env->umd.context;
    const D3D10DDI_HDEVICE device = t->env->umd.device;
    const D3D10DDI_HRESOURCE inputs[SLOTS] = {vertices, vertices, vertices};

#define SET_STAGE(stage)                                                                                     \
    context->pfn##stage##SetConstantBuffers(device, 0, count, state->buffers);                               \
    context->pfn##stage##SetShaderResources(device, 0, count, state->views);                                 \
    context->pfn##stage##SetSamplers(device, 0, count, state->samplers)
    SET_STAGE(Vs);
    SET_STAGE(Ps);
    SET_STAGE(Gs);
    SET_STAGE(Hs);
    SET_STAGE(Ds);
    SET_STAGE(Cs);
    context->pfnCsSetUnorderedAccessViews(device, 0, count, state->outputs, keep);
    context->pfnVsSetShader(device, state->vs);
    context->pfnPsSetShader(device, state->ps);
    context->pfnCsSetShader(device, state->cs);
    context->pfnIaSetInputLayout(device, state->layout);
    context->pfnIaSetVertexBuffers(device, 0, count, inputs, strides, offsets);
    context->pfnIaSetIndexBuffer(device, vertices, DXGI_FORMAT_R32_UINT, 8);
    context->pfnIaSetTopology(device, AGPU_DRAW_STRIP);
    context->pfnSetViewports(device, 1, 0, &viewport);
    context->pfnSetScissorRects(device, 1, 0, &scissor);
    context->pfnSetBlendState(device, state->blend, factor, 0x5A5A5A5A);
    context->pfnSetRasterizerState(device, state->rasterizer);
    context->pfnSetDepthStencilState(device, state->depth, 3);
    context->pfnSetRenderTargets(device, &state->target, 1, 0, state->depth_view);
}

/* Each state must be recorded when it changes and not when it is repeated; again after a submission was lost; and
 * ClearState must empty the slots in use, no others. */
static void every_state(struct agpu_test *t)
{
    static const struct spied_state nothing;
    const struct agpu_api_context *context = &t->env->umd.context;
    const D3D10DDI_HDEVICE device = t->env->umd.device;
    D3D10DDI_HRESOURCE vertices = any_buffer(t);
    struct spied_state state;

    agpu_return_unless(agpu_reported_minor(t, 4, "states of every stage (ABI 1.4)"));
    make_state(t, &state);
    set_every_state(t, &state, vertices, SLOTS);
    agpu_check_hr(t, context->pfnFlush(device), S_OK);
    set_every_state(t, &state, vertices, SLOTS);
    agpu_check_hr(t, context->pfnFlush(device), S_OK);
    context->pfnIaSetTopology(device, AGPU_DRAW_LIST);
    agpu_lose_submissions(1, E_OUTOFMEMORY);
    agpu_check_hr(t, context->pfnFlush(device), E_OUTOFMEMORY);
    agpu_check_errors(t, 1, E_OUTOFMEMORY);
    set_every_state(t, &state, vertices, SLOTS);
    agpu_check_hr(t, context->pfnFlush(device), S_OK);
    set_every_state(t, &nothing, (D3D10DDI_HRESOURCE){NULL}, SLOTS);
    set_every_state(t, &state, vertices, 1);
    context->pfnClearState(device);
    context->pfnPsSetShader(device, state.ps); /* alone in its packet */
    agpu_check_hr(t, context->pfnFlush(device), S_OK);
}

/* The hash of a semantic name must be that of its letters in upper case, in both directions and at both ends. */
static void semantic_names(struct agpu_test *t)
{
    static const char *const names[] = {"azAZ", "AZAZ", "`{@[", "a_9", "A_9", ""};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const D3D10DDIARG_INPUT_ELEMENT_DESC element = {names[i], 1, RGBA, 2, 4, 1, 3};

        agpu_draw_layout(t, &element, 1);
    }
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
}

/* A shader of any size must fill whole words of the stream, so that the packets after it are found. */
static void shader_sizes(struct agpu_test *t)
{
    static uint32_t words[1024];
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_shader_blob blob = {.words = words, .size_bytes = agpu_ps_color_4_0.size_bytes};

    agpu_assert(t, blob.size_bytes + 4 <= sizeof words);
    memcpy(words, agpu_ps_color_4_0.words, blob.size_bytes);
    for (uint32_t more = 0; more < 4; more++) {
        blob.size_bytes = agpu_ps_color_4_0.size_bytes + more;
        agpu_make_shader(t, umd->funcs.pfnCreatePixelShader, &blob);
    }
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
}

/* ---- conversions of fixed-function states ---- */

static uint64_t fixed_object[16]; /* of one state, created, set and destroyed */

static void set_fixed_blend(struct agpu_test *t, const D3D10_1_DDI_BLEND_DESC *desc)
{
    static const float factor[4] = {0.25f, 0.5f, 0.75f, 1};
    const D3D10DDI_HBLENDSTATE blend = {fixed_object};
    const struct agpu_umd_rig *umd = &t->env->umd;

    agpu_assert(t, umd->funcs.pfnCalcPrivateBlendStateSize(umd->device, desc) <= sizeof fixed_object);
    (void)umd->funcs.pfnCreateBlendState(umd->device, desc, blend, (D3D10DDI_HRTBLENDSTATE){NULL});
    umd->context.pfnSetBlendState(umd->device, blend, factor, 0xF0F0F0F0);
    umd->funcs.pfnDestroyBlendState(umd->device, blend);
}

/* Every factor and operation in every place, and what the protocol has no member for. */
static void every_blend(struct agpu_test *t)
{
    static const D3D10_1_DDI_BLEND_DESC plain = {.NumRenderTargets = 1,
                                                 .RenderTarget[0] = {1, 2, 1, 1, 2, 1, 1, 7}};
    D3D10_1_DDI_BLEND_DESC desc;

    for (uint32_t value = 0; value <= 20; value++) {
        for (uint32_t place = 0; place < 6; place++) {
            D3D10_DDI_RENDER_TARGET_BLEND_DESC *target = &desc.RenderTarget[0];
            uint32_t *const places[6] = {&target->SrcBlend,       &target->DestBlend,
                                         &target->BlendOp,        &target->SrcBlendAlpha,
                                         &target->DestBlendAlpha, &target->BlendOpAlpha};

            if (value <= 6 || place % 3 != 2) {
                desc = plain;
                *places[place] = value;
                set_fixed_blend(t, &desc);
            }
        }
    }
    for (uint32_t member = 0; member < 8; member++) { /* the second target differs from the first in one */
        desc = plain;
        desc.NumRenderTargets = 2;
        desc.IndependentBlendEnable = 1;
        desc.RenderTarget[1] = desc.RenderTarget[0];
        ((uint32_t *)(void *)&desc.RenderTarget[1])[member] ^= 1;
        set_fixed_blend(t, &desc);
        desc.IndependentBlendEnable = 0; /* then it does not count */
        set_fixed_blend(t, &desc);
    }
    for (uint32_t row = 0; row < 7; row++) {
        desc = plain;
        desc.AlphaToCoverageEnable = row == 0;
        desc.NumRenderTargets = row == 1 ? 0 : row == 2 ? 8 : row == 3 ? 9 : 1;
        desc.RenderTarget[0].BlendEnable = row == 4 ? 2 : row != 6;
        desc.RenderTarget[0].RenderTargetWriteMask = row == 5 ? 16 : 15;
        set_fixed_blend(t, &desc);
    }
}

static void every_depth(struct agpu_test *t)
{
    const D3D10DDI_HDEPTHSTENCILSTATE object = {fixed_object};
    const struct agpu_umd_rig *umd = &t->env->umd;

    for (uint32_t func = 0; func <= 9; func++) {
        for (uint32_t row = 0; row < 5; row++) {
            const D3D10_DDI_DEPTH_STENCIL_DESC desc = {row != 0 ? 1 + (row == 4) : 0, 1 + (row == 2), func,
                                                       row == 3 ? 2 : func % 2,       0x3C,           0xC3};

            if (row < 2 || func == 3) {
                (void)umd->funcs.pfnCreateDepthStencilState(umd->device, &desc, object,
                                                            (D3D10DDI_HRTDEPTHSTENCILSTATE){NULL});
                umd->context.pfnSetDepthStencilState(umd->device, object, 1);
                umd->funcs.pfnDestroyDepthStencilState(umd->device, object);
            }
        }
    }
}

static void every_rasterizer(struct agpu_test *t)
{
    static const D3D10_DDI_RASTERIZER_DESC descs[] = {
        {1, 1, 0, 0, 1, 0}, {2, 1, 0, 0, 1, 0}, {3, 1, 0, 0, 1, 0}, {4, 1, 0, 0, 1, 0},
        {3, 0, 0, 0, 1, 0}, {3, 2, 0, 0, 1, 0}, {3, 3, 0, 0, 1, 0}, {3, 4, 0, 0, 1, 0},
        {3, 1, 1, 0, 1, 0}, {3, 1, 2, 0, 1, 0}, {3, 1, 0, 7, 1, 0}, {3, 1, 0, -7, 1, 0},
        {3, 1, 0, 0, 0, 0}, {3, 1, 0, 0, 2, 0}, {3, 1, 0, 0, 1, 1}, {3, 1, 0, 0, 1, 2},
    };
    const D3D10DDI_HRASTERIZERSTATE object = {fixed_object};
    const struct agpu_umd_rig *umd = &t->env->umd;

    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++) {
        (void)umd->funcs.pfnCreateRasterizerState(umd->device, &descs[i], object,
                                                  (D3D10DDI_HRTRASTERIZERSTATE){NULL});
        umd->context.pfnSetRasterizerState(umd->device, object);
        umd->funcs.pfnDestroyRasterizerState(umd->device, object);
    }
}

/* Each member of the fixed-function states must be converted, or the state refused, which leaves the default. */
static void fixed_states(struct agpu_test *t)
{
    every_blend(t);
    every_depth(t);
    every_rasterizer(t);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_runtime_errors_clear(t->env->umd.runtime_device); /* the text has them */
}

#define SPY_STATE(name, section, function)                                                                   \
    {                                                                                                        \
        .id = "spy.state." name, .spec = (section), .needs = AGPU_NEED_RING,                                 \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = agpu_run_draw_case,        \
        .arg = &(const struct agpu_draw_case){(function), 0, agpu_spied_config},                             \
    }

static const struct agpu_case umd_spy_state_cases[] = {
    SPY_STATE("everything", "umd.md 10", every_state),
    SPY_STATE("fixed", "umd.md 10", fixed_states),
    SPY_STATE("semantic_names", "umd.md 8", semantic_names),
    SPY_STATE("shader_sizes", "umd.md 12.1", shader_sizes),
};

AGPU_CASE_TABLE(agpu_cases_umd_spy_state, umd_spy_state_cases);
