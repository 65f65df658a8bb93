/* test_sta.c: groups STA, VPS and GEO of the required behaviours: state packets, viewports, shader stages. */
#include <math.h>

#include "tests/unit/umd/world.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/convert.h"
#include "umd-port/state/objects.h"

#define NULL_BLEND  ((D3D10DDI_HBLENDSTATE){NULL})
#define NULL_RASTER ((D3D10DDI_HRASTERIZERSTATE){NULL})
#define NULL_DEPTH  ((D3D10DDI_HDEPTHSTENCILSTATE){NULL})

static struct world w;

static int open_world(void **state)
{
    (void)state;
    world_open(&w, AGPU_BACKING_HOST);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    expect_errors(&w, 0, S_OK);
    world_close(&w);
    return 0;
}

/* The only packet recorded since the last flush. */
static const void *only(uint32_t opcode)
{
    assert_int_equal(recorded_total(&w), 1);
    return recorded_at(&w, opcode, 0);
}

static D3D10_1_DDI_BLEND_DESC blend_desc(void)
{
    return (D3D10_1_DDI_BLEND_DESC){
        .NumRenderTargets = 1,
        .RenderTarget = {{.BlendEnable = 1,
                          .SrcBlend = 14,
                          .DestBlend = 15,
                          .BlendOp = 2,
                          .SrcBlendAlpha = 5,
                          .DestBlendAlpha = 6,
                          .BlendOpAlpha = 3,
                          .RenderTargetWriteMask = 3}},
    };
}

static struct agpu_blend_object blend_object;
static struct agpu_rasterizer_object raster_object;
static struct agpu_depth_stencil_object depth_object;

static HRESULT create_blend(const D3D10_1_DDI_BLEND_DESC *desc)
{
    memset(&blend_object, 0xCC, sizeof(blend_object));
    return w.dev.pfnCreateBlendState(w.device, desc, (D3D10DDI_HBLENDSTATE){&blend_object},
                                     (D3D10DDI_HRTBLENDSTATE){NULL});
}

static HRESULT create_raster(const D3D10_DDI_RASTERIZER_DESC *desc)
{
    memset(&raster_object, 0xCC, sizeof(raster_object));
    return w.dev.pfnCreateRasterizerState(w.device, desc, (D3D10DDI_HRASTERIZERSTATE){&raster_object},
                                          (D3D10DDI_HRTRASTERIZERSTATE){NULL});
}

static HRESULT create_depth(const D3D10_DDI_DEPTH_STENCIL_DESC *desc)
{
    memset(&depth_object, 0xCC, sizeof(depth_object));
    return w.dev.pfnCreateDepthStencilState(w.device, desc, (D3D10DDI_HDEPTHSTENCILSTATE){&depth_object},
                                            (D3D10DDI_HRTDEPTHSTENCILSTATE){NULL});
}

static uint32_t bits(float value)
{
    uint32_t out;
    memcpy(&out, &value, 4);
    return out;
}

static void STA_01_and_05_and_39_blend(void **state)
{
    (void)state;
    static const float factor[4] = {0.25f, 0.5f, 0.75f, 1};
    const D3D10_1_DDI_BLEND_DESC desc = blend_desc();
    assert_int_equal(create_blend(&desc), S_OK);
    w.ctx.pfnSetBlendState(w.device, (D3D10DDI_HBLENDSTATE){&blend_object}, factor, 0x12345678);
    const struct aerogpu_cmd_set_blend_state *packet = only(AEROGPU_CMD_SET_BLEND_STATE);
    assert_int_equal(packet->hdr.size_bytes, 60);
    assert_int_equal(packet->state.enable, 1);
    assert_int_equal(packet->state.src_factor, 6);
    assert_int_equal(packet->state.dst_factor, 7);
    assert_int_equal(packet->state.blend_op, 1);
    assert_int_equal(packet->state.src_factor_alpha, 2);
    assert_int_equal(packet->state.dst_factor_alpha, 3);
    assert_int_equal(packet->state.blend_op_alpha, 2);
    assert_int_equal(packet->state.color_write_mask, 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(packet->state.blend_constant_rgba_f32[i], bits(factor[i]));
    assert_int_equal(packet->state.sample_mask, 0x12345678);
}

static void STA_02_to_04_blend_defaults(void **state)
{
    (void)state;
    static const float factor[4] = {0.25f, 0.5f, 0.75f, 0.1f};
    w.ctx.pfnSetBlendState(w.device, NULL_BLEND, factor, 7);
    w.ctx.pfnSetBlendState(w.device, NULL_BLEND, NULL, 7);
    for (uint32_t i = 0; i < 2; i++) {
        const struct aerogpu_cmd_set_blend_state *packet = recorded_at(&w, AEROGPU_CMD_SET_BLEND_STATE, i);
        assert_int_equal(packet->state.enable, 0);
        assert_int_equal(packet->state.src_factor, AEROGPU_BLEND_ONE);
        assert_int_equal(packet->state.dst_factor, AEROGPU_BLEND_ZERO);
        assert_int_equal(packet->state.blend_op, AEROGPU_BLEND_OP_ADD);
        assert_int_equal(packet->state.src_factor_alpha, AEROGPU_BLEND_ONE);
        assert_int_equal(packet->state.dst_factor_alpha, AEROGPU_BLEND_ZERO);
        assert_int_equal(packet->state.color_write_mask, 0xF);
        assert_int_equal(packet->state.sample_mask, 7);
        for (int k = 0; k < 4; k++)
            assert_int_equal(packet->state.blend_constant_rgba_f32[k], i ? bits(1) : bits(factor[k]));
    }
}

static void STA_06_invalid_blend_numbers(void **state)
{
    (void)state;
    /* In protocol numbers, also while blending is off. */
    struct aerogpu_blend_state flat = agpu_default_blend;
    assert_int_equal(agpu_check_blend(&flat), S_OK);
    flat.enable = 2;
    assert_int_equal(agpu_check_blend(&flat), E_INVALIDARG);
    flat = agpu_default_blend;
    flat.color_write_mask = 0x1F;
    assert_int_equal(agpu_check_blend(&flat), E_INVALIDARG);
    flat = agpu_default_blend;
    flat.src_factor = 99;
    assert_int_equal(agpu_check_blend(&flat), E_INVALIDARG);
    flat = agpu_default_blend;
    flat.blend_op_alpha = 99;
    assert_int_equal(agpu_check_blend(&flat), E_INVALIDARG);
    /* Through the entry point: default object, safe to destroy. */
    D3D10_1_DDI_BLEND_DESC desc = blend_desc();
    desc.RenderTarget[0].SrcBlend = 99;
    assert_int_equal(create_blend(&desc), E_INVALIDARG);
    assert_memory_equal(&blend_object.state, &agpu_default_blend, sizeof(agpu_default_blend));
    desc = blend_desc();
    desc.RenderTarget[0].BlendOp = 99;
    assert_int_equal(create_blend(&desc), E_INVALIDARG);
    desc = blend_desc();
    desc.RenderTarget[0].BlendEnable = 2;
    assert_int_equal(create_blend(&desc), E_INVALIDARG);
    desc = blend_desc();
    desc.RenderTarget[0].RenderTargetWriteMask = 0x1F;
    assert_int_equal(create_blend(&desc), E_NOTIMPL);
    desc.NumRenderTargets = 0;
    assert_int_equal(create_blend(&desc), E_INVALIDARG);
    w.dev.pfnDestroyBlendState(w.device, (D3D10DDI_HBLENDSTATE){&blend_object});
    assert_int_equal(blend_object.state.color_write_mask, 0);
}

static void STA_07_to_09_what_the_protocol_cannot_blend(void **state)
{
    (void)state;
    D3D10_1_DDI_BLEND_DESC desc = blend_desc();
    desc.RenderTarget[1] = desc.RenderTarget[0];
    desc.RenderTarget[1].SrcBlend = 2;
    desc.IndependentBlendEnable = 1;
    assert_int_equal(create_blend(&desc), S_OK); /* one target: the others do not count */
    desc.NumRenderTargets = 2;
    assert_int_equal(create_blend(&desc), E_NOTIMPL);
    desc.IndependentBlendEnable = 0;
    assert_int_equal(create_blend(&desc), S_OK);
    static const uint32_t colour_factors[] = {3, 4, 9, 10, 11, 16, 17, 18, 19};
    for (uint32_t i = 0; i < 9; i++) {
        desc = blend_desc();
        desc.RenderTarget[0].DestBlendAlpha = colour_factors[i];
        assert_int_equal(create_blend(&desc), E_NOTIMPL);
    }
    desc.RenderTarget[0].BlendEnable = 0; /* nobody looks at the factors then */
    assert_int_equal(create_blend(&desc), S_OK);
    desc.AlphaToCoverageEnable = 1;
    assert_int_equal(create_blend(&desc), E_NOTIMPL);
}

static const D3D10_DDI_RASTERIZER_DESC raster_desc = {.FillMode = 2,
                                                      .CullMode = 2,
                                                      .FrontCounterClockwise = 1,
                                                      .DepthBias = -5,
                                                      .DepthClipEnable = 0,
                                                      .ScissorEnable = 1};

static void STA_10_and_31_invalid_rasterizer(void **state)
{
    (void)state;
    D3D10_DDI_RASTERIZER_DESC desc = raster_desc;
    desc.FillMode = 1;
    assert_int_equal(create_raster(&desc), E_INVALIDARG);
    assert_memory_equal(&raster_object.state, &agpu_default_rasterizer, sizeof(agpu_default_rasterizer));
    desc = raster_desc;
    desc.CullMode = 4;
    assert_int_equal(create_raster(&desc), E_INVALIDARG);
    struct aerogpu_rasterizer_state flat = agpu_default_rasterizer;
    flat.fill_mode = 2;
    assert_int_equal(agpu_check_rasterizer(&flat), E_INVALIDARG);
    flat = agpu_default_rasterizer;
    flat.cull_mode = 3;
    assert_int_equal(agpu_check_rasterizer(&flat), E_INVALIDARG);
}

static void STA_11_and_38_rasterizer(void **state)
{
    (void)state;
    assert_int_equal(create_raster(&raster_desc), S_OK);
    w.ctx.pfnSetRasterizerState(w.device, (D3D10DDI_HRASTERIZERSTATE){&raster_object});
    const struct aerogpu_cmd_set_rasterizer_state *packet = only(AEROGPU_CMD_SET_RASTERIZER_STATE);
    const uint32_t expected[] = {1, 1, 1, 1, (uint32_t)-5, 1};
    assert_memory_equal(&packet->state, expected, sizeof(expected));
    flush(&w);
    D3D10_DDI_RASTERIZER_DESC desc = raster_desc;
    desc.DepthBias = 7;
    assert_int_equal(create_raster(&desc), S_OK);
    assert_int_equal(raster_object.state.depth_bias, 7);
}

static void STA_12_and_16_null_states(void **state)
{
    (void)state;
    w.ctx.pfnSetRasterizerState(w.device, NULL_RASTER);
    const struct aerogpu_cmd_set_rasterizer_state *raster = only(AEROGPU_CMD_SET_RASTERIZER_STATE);
    const uint32_t expected[] = {0, 2, 0, 0, 0, 0};
    assert_memory_equal(&raster->state, expected, sizeof(expected));
    flush(&w);
    w.ctx.pfnSetDepthStencilState(w.device, NULL_DEPTH, 9);
    const struct aerogpu_cmd_set_depth_stencil_state *depth = only(AEROGPU_CMD_SET_DEPTH_STENCIL_STATE);
    const struct aerogpu_depth_stencil_state expected_depth = {1, 1, 1, 0, 0xFF, 0xFF, {0, 0}};
    assert_memory_equal(&depth->state, &expected_depth, sizeof(expected_depth));
}

static void STA_13_to_15_and_31_depth_stencil(void **state)
{
    (void)state;
    D3D10_DDI_DEPTH_STENCIL_DESC desc = {.DepthEnable = 1,
                                         .DepthWriteMask = 1,
                                         .DepthFunc = 9,
                                         .StencilReadMask = 0x12,
                                         .StencilWriteMask = 0x34};
    assert_int_equal(create_depth(&desc), E_INVALIDARG);
    const struct aerogpu_depth_stencil_state expected = {1, 1, 1, 0, 0xFF, 0xFF, {0, 0}};
    assert_memory_equal(&depth_object.state, &expected, sizeof(expected));
    struct aerogpu_depth_stencil_state flat = agpu_default_depth_stencil;
    flat.depth_func = 8;
    assert_int_equal(agpu_check_depth_stencil(&flat), E_INVALIDARG);
    desc.DepthFunc = 5;
    desc.DepthEnable = 0;
    desc.StencilEnable = 1;
    assert_int_equal(create_depth(&desc), S_OK);
    w.ctx.pfnSetDepthStencilState(w.device, (D3D10DDI_HDEPTHSTENCILSTATE){&depth_object}, 0);
    const struct aerogpu_cmd_set_depth_stencil_state *packet = only(AEROGPU_CMD_SET_DEPTH_STENCIL_STATE);
    assert_int_equal(packet->state.depth_enable, 0);
    assert_int_equal(packet->state.depth_write_enable, 0);
    assert_int_equal(packet->state.stencil_enable, 1);
    assert_int_equal(packet->state.stencil_read_mask, 0x12);
    assert_int_equal(packet->state.stencil_write_mask, 0x34);
}

static void STA_17_and_31_null_descriptors(void **state)
{
    (void)state;
    struct agpu_sampler sampler;
    struct agpu_shader shader;
    struct agpu_element_layout layout;
    memset(&sampler, 0xCC, sizeof(sampler));
    const D3D10DDI_HSAMPLER hs = {&sampler};
    const D3D10DDI_HSHADER hv = {&shader};
    const D3D10DDI_HELEMENTLAYOUT hl = {&layout};
    assert_int_equal(w.dev.pfnCreateSampler(w.device, NULL, hs, (D3D10DDI_HRTSAMPLER){NULL}), E_INVALIDARG);
    const uint32_t zeros[5] = {0};
    assert_memory_equal(&sampler, zeros, sizeof(zeros));
    assert_int_equal(w.dev.pfnCreateVertexShader(w.device, NULL, hv, (D3D10DDI_HRTSHADER){NULL}),
                     E_INVALIDARG);
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, NULL, hl, (D3D10DDI_HRTELEMENTLAYOUT){NULL}),
                     E_INVALIDARG);
    w.dev.pfnDestroySampler(w.device, hs);
    w.dev.pfnDestroyShader(w.device, hv);
    w.dev.pfnDestroyElementLayout(w.device, hl);
    assert_int_equal(recorded_total(&w), 0);
}

static void STA_18_topology(void **state)
{
    (void)state;
    w.ctx.pfnIaSetTopology(w.device, 4);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnIaSetTopology(w.device, 2);
    w.ctx.pfnIaSetTopology(w.device, 2);
    const struct aerogpu_cmd_set_primitive_topology *packet = only(AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY);
    assert_int_equal(packet->topology, 2);
    world_bound_stream(&w, 0);
    w.ctx.pfnIaSetTopology(w.device, 5);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    world_bound_stream(&w, 64);
    w.ctx.pfnIaSetTopology(w.device, 5);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY), 1);
}

static void STA_23_and_24_vertex_buffers(void **state)
{
    (void)state;
    D3D10DDI_HRESOURCE vb = make_buffer(&w, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    flush(&w);
    const uint32_t strides[2] = {12, 16}, offsets[2] = {4, 8};
    const D3D10DDI_HRESOURCE two[2] = {vb, {NULL}};
    w.ctx.pfnIaSetVertexBuffers(w.device, 31, 1, two, strides, offsets);
    const struct aerogpu_cmd_set_vertex_buffers *packet = only(AEROGPU_CMD_SET_VERTEX_BUFFERS);
    assert_int_equal(packet->start_slot, 31);
    assert_int_equal(packet->buffer_count, 1);
    w.ctx.pfnIaSetVertexBuffers(w.device, 31, 2, two, strides, offsets);
    expect_errors(&w, 1, E_INVALIDARG);
    w.ctx.pfnIaSetVertexBuffers(w.device, 0xFFFFFFFF, 2, two, strides, offsets);
    expect_errors(&w, 1, E_INVALIDARG);
    w.ctx.pfnIaSetVertexBuffers(w.device, 0, 1, NULL, strides, offsets);
    expect_errors(&w, 1, E_INVALIDARG);
    assert_int_equal(recorded_total(&w), 1);
    flush(&w);
    w.ctx.pfnIaSetVertexBuffers(w.device, 0, 2, two, strides,
                                offsets); /* a null entry keeps stride and offset */
    packet = only(AEROGPU_CMD_SET_VERTEX_BUFFERS);
    const struct aerogpu_vertex_buffer_binding expected[] = {{res(vb)->handle, 12, 4, 0}, {0, 16, 8, 0}};
    assert_memory_equal(packet + 1, expected, sizeof(expected));
    flush(&w);
    w.ctx.pfnIaSetVertexBuffers(w.device, 4, 0, NULL, NULL, NULL);
    packet = only(AEROGPU_CMD_SET_VERTEX_BUFFERS);
    assert_int_equal(packet->start_slot, 4);
    assert_int_equal(packet->buffer_count, 28);
    free_resource(&w, vb);
}

static void STA_25_and_33_constant_buffers(void **state)
{
    (void)state;
    D3D10DDI_HRESOURCE cb = make_buffer(&w, 20, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    D3D10DDI_HRESOURCE texture = make_texture(&w, 28, 4, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    flush(&w);
    const D3D10DDI_HRESOURCE buffers[3] = {cb, texture, {NULL}};
    w.ctx.pfnPsSetConstantBuffers(w.device, 14, 1, buffers);
    w.ctx.pfnPsSetConstantBuffers(w.device, 0, 0, buffers);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnPsSetConstantBuffers(w.device, 12, 3, buffers);
    const struct aerogpu_cmd_set_constant_buffers *packet = only(AEROGPU_CMD_SET_CONSTANT_BUFFERS);
    assert_int_equal(packet->shader_stage, 1);
    assert_int_equal(packet->start_slot, 12);
    assert_int_equal(packet->buffer_count, 2);
    assert_int_equal(packet->reserved0, 0);
    const struct aerogpu_constant_buffer_binding expected[] = {{res(cb)->handle, 0, 20, 0}, {0, 0, 0, 0}};
    assert_memory_equal(packet + 1, expected, sizeof(expected));
    free_resource(&w, cb);
    free_resource(&w, texture);
}

static void STA_26_dispatch(void **state)
{
    (void)state;
    w.ctx.pfnDispatch(w.device, 1, 0, 1);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnDispatch(w.device, 1, 2, 3);
    const struct aerogpu_cmd_dispatch *packet = only(AEROGPU_CMD_DISPATCH);
    const uint32_t expected[] = {AEROGPU_CMD_DISPATCH, 24, 1, 2, 3, 0};
    assert_memory_equal(packet, expected, sizeof(expected));
}

static void STA_27_28_36_draws(void **state)
{
    (void)state;
    w.ctx.pfnDrawInstanced(w.device, 3, 4, 5, 6);
    const uint32_t instanced[] = {AEROGPU_CMD_DRAW, 24, 3, 4, 5, 6};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW, 0), instanced, sizeof(instanced));
    w.ctx.pfnDrawIndexedInstanced(w.device, 3, 4, 5, -6, 7);
    const uint32_t indexed[] = {AEROGPU_CMD_DRAW_INDEXED, 28, 3, 4, 5, (uint32_t)-6, 7};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW_INDEXED, 0), indexed, sizeof(indexed));
    w.ctx.pfnDrawAuto(w.device);
    const uint32_t automatic[] = {AEROGPU_CMD_DRAW, 24, 0, 1, 0, 0};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW, 1), automatic, sizeof(automatic));
    flush(&w);
    w.ctx.pfnDrawInstanced(w.device, 0, 4, 5, 6);
    w.ctx.pfnDrawInstanced(w.device, 3, 0, 5, 6);
    w.ctx.pfnDrawIndexedInstanced(w.device, 0, 1, 0, 0, 0);
    w.ctx.pfnDrawIndexedInstanced(w.device, 1, 0, 0, 0, 0);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnDraw(w.device, 0, 9);
    w.ctx.pfnDrawIndexed(w.device, 0, 9, -1);
    const uint32_t draw[] = {AEROGPU_CMD_DRAW, 24, 0, 1, 9, 0};
    const uint32_t draw_indexed[] = {AEROGPU_CMD_DRAW_INDEXED, 28, 0, 1, 9, (uint32_t)-1, 0};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW, 0), draw, sizeof(draw));
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW_INDEXED, 0), draw_indexed, sizeof(draw_indexed));
}

static void STA_29_indirect(void **state)
{
    (void)state;
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 24, 0, 0, 0);
    const uint32_t words[6] = {9, 3, 4, 5, (uint32_t)-6, 7};
    update(&w, buffer, 0, NULL, words, 0);
    flush(&w);
    w.ctx.pfnDrawInstancedIndirect(w.device, buffer, 2);
    w.ctx.pfnDrawInstancedIndirect(w.device, buffer, 12);
    w.ctx.pfnDrawIndexedInstancedIndirect(w.device, buffer, 8);
    w.ctx.pfnDispatchIndirect(w.device, buffer, 16);
    expect_errors(&w, 4, E_INVALIDARG);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnDrawInstancedIndirect(w.device, buffer, 0);
    w.ctx.pfnDrawIndexedInstancedIndirect(w.device, buffer, 4);
    w.ctx.pfnDispatchIndirect(w.device, buffer, 4);
    const uint32_t draw[] = {AEROGPU_CMD_DRAW, 24, 9, 3, 4, 5};
    const uint32_t indexed[] = {AEROGPU_CMD_DRAW_INDEXED, 28, 3, 4, 5, (uint32_t)-6, 7};
    const uint32_t dispatch[] = {AEROGPU_CMD_DISPATCH, 24, 3, 4, 5, 0};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW, 0), draw, sizeof(draw));
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW_INDEXED, 0), indexed, sizeof(indexed));
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DISPATCH, 0), dispatch, sizeof(dispatch));
    free_resource(&w, buffer);
}

static void STA_30_null_state_descriptors(void **state)
{
    (void)state;
    assert_int_equal(create_blend(NULL), S_OK);
    assert_memory_equal(&blend_object.state, &agpu_default_blend, sizeof(agpu_default_blend));
    assert_int_equal(create_raster(NULL), S_OK);
    assert_memory_equal(&raster_object.state, &agpu_default_rasterizer, sizeof(agpu_default_rasterizer));
    assert_int_equal(create_depth(NULL), S_OK);
    assert_memory_equal(&depth_object.state, &agpu_default_depth_stencil, sizeof(agpu_default_depth_stencil));
}

static void STA_32_null_arrays(void **state)
{
    (void)state;
    w.ctx.pfnPsSetConstantBuffers(w.device, 0, 2, NULL);
    w.ctx.pfnPsSetSamplers(w.device, 0, 2, NULL);
    w.ctx.pfnPsSetShaderResources(w.device, 0, 2, NULL);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_CONSTANT_BUFFERS), 1);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_SAMPLERS), 1);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_TEXTURE), 0);
    const struct aerogpu_cmd_set_samplers *samplers = recorded_at(&w, AEROGPU_CMD_SET_SAMPLERS, 0);
    assert_int_equal(samplers->sampler_count, 2);
    assert_memory_equal(samplers + 1, "\0\0\0\0\0\0\0\0", 8);
}

static struct agpu_shader make_shader(HRESULT (*create_entry)(D3D10DDI_HDEVICE,
                                                              const D3D10DDIARG_CREATESHADER *,
                                                              D3D10DDI_HSHADER, D3D10DDI_HRTSHADER),
                                      uint32_t bytes)
{
    static const uint8_t code[] = "DXBC code of some length";
    const D3D10DDIARG_CREATESHADER args = {code, bytes};
    struct agpu_shader shader;
    assert_int_equal(create_entry(w.device, &args, (D3D10DDI_HSHADER){&shader}, (D3D10DDI_HRTSHADER){NULL}),
                     S_OK);
    return shader;
}

static void STA_34_bind_shaders(void **state)
{
    (void)state;
    struct agpu_shader vs = make_shader(w.dev.pfnCreateVertexShader, 8),
                       ps = make_shader(w.dev.pfnCreatePixelShader, 8);
    struct agpu_shader gs = make_shader(w.dev.pfnCreateGeometryShader, 8);
    flush(&w);
    w.ctx.pfnVsSetShader(w.device, (D3D10DDI_HSHADER){&vs});
    w.ctx.pfnPsSetShader(w.device, (D3D10DDI_HSHADER){&ps});
    w.ctx.pfnPsSetShader(w.device, (D3D10DDI_HSHADER){&ps}); /* no dedupe */
    const uint32_t expected[] = {AEROGPU_CMD_BIND_SHADERS, 24, vs.handle, ps.handle, 0, 0};
    assert_int_equal(recorded(&w, AEROGPU_CMD_BIND_SHADERS), 3);
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_BIND_SHADERS, 1), expected, sizeof(expected));
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_BIND_SHADERS, 2), expected, sizeof(expected));
    w.ctx.pfnGsSetShader(w.device, (D3D10DDI_HSHADER){&gs});
    const struct aerogpu_cmd_bind_shaders *packet = recorded_at(&w, AEROGPU_CMD_BIND_SHADERS, 3);
    assert_int_equal(packet->reserved0, gs.handle);
    flush(&w);
    w.ctx.pfnIaSetInputLayout(w.device, (D3D10DDI_HELEMENTLAYOUT){NULL});
    w.ctx.pfnIaSetInputLayout(w.device, (D3D10DDI_HELEMENTLAYOUT){NULL});
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_INPUT_LAYOUT), 2);
    w.dev.pfnDestroyShader(w.device, (D3D10DDI_HSHADER){&vs});
    w.dev.pfnDestroyShader(w.device, (D3D10DDI_HSHADER){&vs});
    assert_int_equal(recorded(&w, AEROGPU_CMD_DESTROY_SHADER), 1);
}

static void STA_35_input_layout(void **state)
{
    (void)state;
    struct agpu_element_layout layout;
    const D3D10DDI_HELEMENTLAYOUT handle = {&layout};
    const D3D10DDI_HRTELEMENTLAYOUT rt = {NULL};
    static const D3D10DDIARG_INPUT_ELEMENT_DESC elements[] = {
        {"Position", 0, 6, 0, 0, 0, 0}, {"texcoord", 1, 16, 2, 0xFFFFFFFF, 1, 3}, {NULL, 0, 2, 0, 4, 0, 0}};
    D3D10DDIARG_CREATEELEMENTLAYOUT args = {NULL, 0};
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, &args, handle, rt), S_OK);
    const struct aerogpu_cmd_create_input_layout *packet = only(AEROGPU_CMD_CREATE_INPUT_LAYOUT);
    assert_int_equal(packet->blob_size_bytes, 16);
    args.NumElements = 1;
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, &args, handle, rt), E_INVALIDARG);
    args = (D3D10DDIARG_CREATEELEMENTLAYOUT){elements, 0};
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, &args, handle, rt), E_INVALIDARG);
    flush(&w);
    args.NumElements = 3;
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, &args, handle, rt), S_OK);
    packet = only(AEROGPU_CMD_CREATE_INPUT_LAYOUT);
    assert_int_equal(packet->input_layout_handle, layout.handle);
    assert_int_equal(packet->blob_size_bytes, 16 + 3 * 28);
    const uint32_t expected[] = {0x59414C49, 1, 3,          0, 0x7808E88A, 0, 6, 0, 0, 0, 0, 0x0BC45413, 1,
                                 16,         2, 0xFFFFFFFF, 1, 3,          0, 0, 2, 0, 4, 0, 0};
    assert_memory_equal(packet + 1, expected, sizeof(expected));
    w.ctx.pfnIaSetInputLayout(w.device, handle);
    const struct aerogpu_cmd_set_input_layout *set = recorded_at(&w, AEROGPU_CMD_SET_INPUT_LAYOUT, 0);
    assert_int_equal(set->input_layout_handle, layout.handle);
    w.dev.pfnDestroyElementLayout(w.device, handle);
    w.dev.pfnDestroyElementLayout(w.device, handle);
    assert_int_equal(recorded(&w, AEROGPU_CMD_DESTROY_INPUT_LAYOUT), 1);
}

static void set_viewports(uint32_t count, const D3D10_DDI_VIEWPORT *viewports)
{
    w.ctx.pfnSetViewports(w.device, count, 0, viewports);
}

static void expect_viewport(uint32_t nth, const D3D10_DDI_VIEWPORT *expected)
{
    const struct aerogpu_cmd_set_viewport *packet = recorded_at(&w, AEROGPU_CMD_SET_VIEWPORT, nth);
    assert_memory_equal(&packet->x_f32, expected, sizeof(*expected));
}

static void VPS_01_to_04_extra_viewports(void **state)
{
    (void)state;
    const D3D10_DDI_VIEWPORT first = {1, 2, 640, 480, 0, 1};
    D3D10_DDI_VIEWPORT two[2] = {first, {0, 0, 32, 32, 0, 1}};
    set_viewports(2, two);
    expect_errors(&w, 1, E_NOTIMPL);
    two[1] = first;
    set_viewports(2, two);
    two[1].Width = 0;
    set_viewports(2, two);
    two[1].Width = -5;
    set_viewports(2, two);
    two[1] = (D3D10_DDI_VIEWPORT){NAN, 0, 32, 32, 0, 1};
    set_viewports(2, two);
    two[1] = (D3D10_DDI_VIEWPORT){0, 0, NAN, 32, 0, 1};
    set_viewports(2, two);
    two[1] = (D3D10_DDI_VIEWPORT){0, 0, 32, 32, 0, NAN};
    set_viewports(2, two);
    expect_errors(&w, 0, S_OK);
    assert_int_equal(recorded_total(&w), 7);
    for (uint32_t i = 0; i < 7; i++)
        expect_viewport(i, &first);
}

static void VPS_05_06_08_17_viewport_edges(void **state)
{
    (void)state;
    set_viewports(1, NULL);
    expect_errors(&w, 1, E_INVALIDARG);
    assert_int_equal(recorded_total(&w), 0);
    set_viewports(0, NULL);
    const D3D10_DDI_VIEWPORT none = {0, 0, 0, 0, 0, 1};
    expect_viewport(0, &none);
    world_bound_stream(&w, 0);
    const D3D10_DDI_VIEWPORT two[2] = {{0, 0, 1, 1, 0, 1}, {0, 0, 2, 2, 0, 1}};
    set_viewports(2, two);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    world_bound_stream(&w, 4096);
    set_viewports(1, two); /* VPS-17: what is valid reaches the next flush */
    set_viewports(2, NULL);
    expect_errors(&w, 1, E_INVALIDARG);
    flush(&w);
    assert_int_equal(captured(&w, w.fake.submission_count - 1, AEROGPU_CMD_SET_VIEWPORT), 1);
}

static void set_scissors(uint32_t count, const D3D10_DDI_RECT *rects)
{
    w.ctx.pfnSetScissorRects(w.device, count, 0, rects);
}

static void expect_scissor(uint32_t nth, int32_t x, int32_t y, int32_t width, int32_t height)
{
    const struct aerogpu_cmd_set_scissor *packet = recorded_at(&w, AEROGPU_CMD_SET_SCISSOR, nth);
    assert_int_equal(packet->x, x);
    assert_int_equal(packet->y, y);
    assert_int_equal(packet->width, width);
    assert_int_equal(packet->height, height);
}

static void VPS_09_to_16_scissors(void **state)
{
    (void)state;
    D3D10_DDI_RECT two[2] = {{1, 2, 11, 22}, {0, 0, 5, 5}};
    set_scissors(2, two); /* VPS-09 */
    expect_errors(&w, 1, E_NOTIMPL);
    expect_scissor(0, 1, 2, 10, 20);
    two[1] = two[0]; /* VPS-10 */
    set_scissors(2, two);
    two[1] = (D3D10_DDI_RECT){5, 5, 5, 9}; /* VPS-11 */
    set_scissors(2, two);
    expect_errors(&w, 0, S_OK);
    set_scissors(1, NULL); /* VPS-12 */
    expect_errors(&w, 1, E_INVALIDARG);
    assert_int_equal(recorded_total(&w), 3);
    const D3D10_DDI_RECT wide = {-1, -1, INT32_MAX, INT32_MAX}; /* VPS-13 */
    set_scissors(1, &wide);
    expect_scissor(3, -1, -1, INT32_MAX, INT32_MAX);
    set_scissors(0, NULL); /* VPS-14 */
    expect_scissor(4, 0, 0, 0, 0);
    const D3D10_DDI_RECT inverted = {10, 10, 5, 4}, extreme = {INT32_MAX, 0, INT32_MIN, 1}; /* VPS-15 */
    set_scissors(1, &inverted);
    expect_scissor(5, 10, 10, -5, -6);
    set_scissors(1, &extreme);
    expect_scissor(6, INT32_MAX, 0, INT32_MIN, 1);
    expect_errors(&w, 0, S_OK);
    world_bound_stream(&w, 0); /* VPS-16 */
    two[1] = (D3D10_DDI_RECT){0, 0, 5, 5};
    set_scissors(2, two);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    world_bound_stream(&w, 4096);
}

static void expect_shader(uint32_t nth, const struct agpu_shader *shader, uint32_t stage, uint32_t stage_ex,
                          uint32_t bytes)
{
    const struct aerogpu_cmd_create_shader_dxbc *packet =
        recorded_at(&w, AEROGPU_CMD_CREATE_SHADER_DXBC, nth);
    assert_int_equal(packet->shader_handle, shader->handle);
    assert_int_equal(packet->stage, stage);
    assert_int_equal(packet->reserved0, stage_ex);
    assert_int_equal(packet->dxbc_size_bytes, bytes);
    assert_memory_equal(packet + 1, "DXBC code of some length", bytes);
}

static void GEO_01_02_04_shaders(void **state)
{
    (void)state;
    struct agpu_shader gs = make_shader(w.dev.pfnCreateGeometryShader, 10),
                       hs = make_shader(w.dev.pfnCreateHullShader, 8);
    struct agpu_shader ds = make_shader(w.dev.pfnCreateDomainShader, 8),
                       cs = make_shader(w.dev.pfnCreateComputeShader, 8);
    expect_shader(0, &gs, 3, 0, 10);
    expect_shader(1, &hs, 2, 3, 8);
    expect_shader(2, &ds, 2, 4, 8);
    expect_shader(3, &cs, 2, 0, 8);
    struct agpu_shader *all[] = {&gs, &hs, &ds, &cs};
    flush(&w);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t old = all[i]->handle;
        w.dev.pfnDestroyShader(w.device, (D3D10DDI_HSHADER){all[i]});
        const struct aerogpu_cmd_destroy_shader *packet = recorded_at(&w, AEROGPU_CMD_DESTROY_SHADER, i);
        assert_int_equal(packet->hdr.size_bytes, 16);
        assert_int_equal(packet->shader_handle, old);
    }
}

static void GEO_05_to_07_resources(void **state)
{
    (void)state;
    struct agpu_context *context = &device_of(&w)->imm;
    D3D10DDI_HRESOURCE texture = make_texture(&w, 28, 4, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    D3D10DDI_HRESOURCE cb = make_buffer(&w, 64, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    static const struct {
        enum agpu_stage stage;
        uint32_t code, ex;
    } stages[] = {{AGPU_STAGE_GS, 3, 0}, {AGPU_STAGE_HS, 2, 3}, {AGPU_STAGE_DS, 2, 4}};
    for (uint32_t i = 0; i < 3; i++) {
        flush(&w);
        const struct agpu_bound_view view = {.resource = res(texture)}, buffer = {res(cb), 0, 16, 32};
        const struct agpu_bound_constants constants[2] = {{res(cb), 0, 64}, {NULL, 0, 0}};
        const uint32_t samplers[2] = {77, 78};
        assert_true(agpu_bind_view(context, stages[i].stage, 3, &view));
        assert_true(agpu_bind_samplers(context, stages[i].stage, 1, 2, samplers));
        assert_true(agpu_bind_constants(context, stages[i].stage, 2, 2, constants));
        assert_true(agpu_bind_view(context, stages[i].stage, 4, &buffer));
        const uint32_t ex = stages[i].ex, code = stages[i].code;
        const uint32_t expect_set_texture[] = {AEROGPU_CMD_SET_TEXTURE, 24, code, 3,
                                               res(texture)->handle,    ex};
        const uint32_t expect_samplers[] = {AEROGPU_CMD_SET_SAMPLERS, 32, code, 1, 2, ex, 77, 78};
        const uint32_t expect_constants[] = {
            AEROGPU_CMD_SET_CONSTANT_BUFFERS, 56, code, 2, 2, ex, res(cb)->handle, 0, 64, 0, 0, 0, 0, 0};
        const uint32_t expect_buffers[] = {
            AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 40, code, 4, 1, ex, res(cb)->handle, 16, 32, 0};
        assert_memory_equal(recorded_at(&w, AEROGPU_CMD_SET_TEXTURE, 0), expect_set_texture, 24);
        assert_memory_equal(recorded_at(&w, AEROGPU_CMD_SET_SAMPLERS, 0), expect_samplers, 32);
        assert_memory_equal(recorded_at(&w, AEROGPU_CMD_SET_CONSTANT_BUFFERS, 0), expect_constants, 56);
        assert_memory_equal(recorded_at(&w, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 0), expect_buffers, 40);
    }
    free_resource(&w, texture);
    free_resource(&w, cb);
}

static void GEO_03_bind_all_stages(void **state)
{
    (void)state;
    const struct agpu_shader_handles shaders = {.vs = 1, .ps = 2, .cs = 3, .gs = 4, .hs = 5, .ds = 6};
    assert_true(agpu_cmd_bind_shaders_ex(&device_of(&w)->imm.cmd, &shaders, true));
    const uint32_t expected[] = {AEROGPU_CMD_BIND_SHADERS, 36, 1, 2, 3, 4, 4, 5, 6};
    assert_memory_equal(only(AEROGPU_CMD_BIND_SHADERS), expected, sizeof(expected));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(STA_01_and_05_and_39_blend),
        TEST(STA_02_to_04_blend_defaults),
        TEST(STA_06_invalid_blend_numbers),
        TEST(STA_07_to_09_what_the_protocol_cannot_blend),
        TEST(STA_10_and_31_invalid_rasterizer),
        TEST(STA_11_and_38_rasterizer),
        TEST(STA_12_and_16_null_states),
        TEST(STA_13_to_15_and_31_depth_stencil),
        TEST(STA_17_and_31_null_descriptors),
        TEST(STA_18_topology),
        TEST(STA_23_and_24_vertex_buffers),
        TEST(STA_25_and_33_constant_buffers),
        TEST(STA_26_dispatch),
        TEST(STA_27_28_36_draws),
        TEST(STA_29_indirect),
        TEST(STA_30_null_state_descriptors),
        TEST(STA_32_null_arrays),
        TEST(STA_34_bind_shaders),
        TEST(STA_35_input_layout),
        TEST(VPS_01_to_04_extra_viewports),
        TEST(VPS_05_06_08_17_viewport_edges),
        TEST(VPS_09_to_16_scissors),
        TEST(GEO_01_02_04_shaders),
        TEST(GEO_05_to_07_resources),
        TEST(GEO_03_bind_all_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
