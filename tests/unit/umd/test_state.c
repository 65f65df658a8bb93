/* test_state.c: state packets, viewports, shader stages (required behaviours STA, VPS, GEO). */
#include "tests/unit/umd/one_world.h"
#include "umd-port/state/convert.h"
#include "umd-port/state/objects.h"

#define NULL_BLEND  ((D3D10DDI_HBLENDSTATE){NULL})
#define NULL_RASTER ((D3D10DDI_HRASTERIZERSTATE){NULL})
#define NULL_DEPTH  ((D3D10DDI_HDEPTHSTENCILSTATE){NULL})

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
    memset(&blend_object, 0xCC, sizeof blend_object);
    return w.dev.pfnCreateBlendState(w.device, desc, (D3D10DDI_HBLENDSTATE){&blend_object},
                                     (D3D10DDI_HRTBLENDSTATE){NULL});
}

static HRESULT create_raster(const D3D10_DDI_RASTERIZER_DESC *desc)
{
    memset(&raster_object, 0xCC, sizeof raster_object);
    return w.dev.pfnCreateRasterizerState(w.device, desc, (D3D10DDI_HRASTERIZERSTATE){&raster_object},
                                          (D3D10DDI_HRTRASTERIZERSTATE){NULL});
}

static HRESULT create_depth(const D3D10_DDI_DEPTH_STENCIL_DESC *desc)
{
    memset(&depth_object, 0xCC, sizeof depth_object);
    return w.dev.pfnCreateDepthStencilState(w.device, desc, (D3D10DDI_HDEPTHSTENCILSTATE){&depth_object},
                                            (D3D10DDI_HRTDEPTHSTENCILSTATE){NULL});
}

static uint32_t bits(float value)
{
    uint32_t out;

    memcpy(&out, &value, 4);
    return out;
}

FIXTURE(open_world, close_world);

TEST(STA_01_and_05_and_39_blend)
{
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
    for (int i = 0; i < 4; i++) {
        assert_int_equal(packet->state.blend_constant_rgba_f32[i], bits(factor[i]));
    }
    assert_int_equal(packet->state.sample_mask, 0x12345678);
}

TEST(STA_02_to_04_blend_defaults)
{
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
        for (int k = 0; k < 4; k++) {
            assert_int_equal(packet->state.blend_constant_rgba_f32[k], i ? bits(1) : bits(factor[k]));
        }
    }
}

TEST(STA_06_invalid_blend_numbers)
{
    /* A default object, safe to destroy. */
    D3D10_1_DDI_BLEND_DESC desc = blend_desc();
    desc.RenderTarget[0].SrcBlend = 99;
    assert_int_equal(create_blend(&desc), E_INVALIDARG);
    assert_memory_equal(&blend_object.state, &agpu_default_blend, sizeof agpu_default_blend);
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

TEST(STA_07_to_09_what_the_protocol_cannot_blend)
{
    D3D10_1_DDI_BLEND_DESC desc = blend_desc();
    desc.RenderTarget[1] = desc.RenderTarget[0];
    desc.RenderTarget[1].SrcBlend = 2;
    desc.IndependentBlendEnable = 1;
    assert_int_equal(create_blend(&desc), S_OK); /* there is one target: the others do not count */
    desc.NumRenderTargets = 2;
    assert_int_equal(create_blend(&desc), E_NOTIMPL);
    for (unsigned field = 0; field < 8; field++) { /* one difference at a time */
        D3D10_DDI_RENDER_TARGET_BLEND_DESC *second = &desc.RenderTarget[1];

        *second = desc.RenderTarget[0];
        assert_int_equal(create_blend(&desc), S_OK);
        second->BlendEnable ^= field == 0;
        second->RenderTargetWriteMask ^= field == 1;
        second->SrcBlend = field == 2 ? 2 : second->SrcBlend;
        second->DestBlend = field == 3 ? 9 : second->DestBlend;
        second->BlendOp = field == 4 ? 1 : second->BlendOp;
        second->SrcBlendAlpha = field == 5 ? 8 : second->SrcBlendAlpha;
        second->DestBlendAlpha = field == 6 ? 7 : second->DestBlendAlpha;
        second->BlendOpAlpha = field == 7 ? 1 : second->BlendOpAlpha;
        if (memcmp(second, &desc.RenderTarget[0], sizeof *second) == 0) {
            fail_msg("field %u does not differ", field);
        }
        assert_int_equal(create_blend(&desc), E_NOTIMPL);
    }
    desc.RenderTarget[0].BlendEnable = 0; /* the factors do not count then */
    desc.RenderTarget[1] = desc.RenderTarget[0];
    desc.RenderTarget[1].SrcBlend = 9;
    assert_int_equal(create_blend(&desc), S_OK);
    desc = blend_desc();
    desc.RenderTarget[1].SrcBlend = 2;
    desc.NumRenderTargets = 2;
    desc.IndependentBlendEnable = 0;
    assert_int_equal(create_blend(&desc), S_OK);
    static const uint32_t colour_factors[] = {3, 4, 9, 10, 11, 16, 17, 18, 19};
    for (uint32_t i = 0; i < 9; i++) {
        desc = blend_desc();
        desc.RenderTarget[0].DestBlendAlpha = colour_factors[i];
        assert_int_equal(create_blend(&desc), E_NOTIMPL);
    }
    desc.RenderTarget[0].BlendEnable = 0; /* the factors do not count then */
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

TEST(STA_10_and_31_invalid_rasterizer)
{
    D3D10_DDI_RASTERIZER_DESC desc = raster_desc;
    desc.FillMode = 1;
    assert_int_equal(create_raster(&desc), E_INVALIDARG);
    assert_memory_equal(&raster_object.state, &agpu_default_rasterizer, sizeof agpu_default_rasterizer);
    desc = raster_desc;
    desc.CullMode = 4;
    assert_int_equal(create_raster(&desc), E_INVALIDARG);
}

TEST(STA_11_and_38_rasterizer)
{
    assert_int_equal(create_raster(&raster_desc), S_OK);
    w.ctx.pfnSetRasterizerState(w.device, (D3D10DDI_HRASTERIZERSTATE){&raster_object});
    const struct aerogpu_cmd_set_rasterizer_state *packet = only(AEROGPU_CMD_SET_RASTERIZER_STATE);
    const uint32_t expected[] = {1, 1, 1, 1, (uint32_t)-5, 1};
    assert_memory_equal(&packet->state, expected, sizeof expected);
    flush(&w);
    D3D10_DDI_RASTERIZER_DESC desc = raster_desc;
    desc.DepthBias = 7;
    assert_int_equal(create_raster(&desc), S_OK);
    assert_int_equal(raster_object.state.depth_bias, 7);
}

TEST(STA_12_and_16_null_states)
{
    w.ctx.pfnSetRasterizerState(w.device, NULL_RASTER);
    const struct aerogpu_cmd_set_rasterizer_state *raster = only(AEROGPU_CMD_SET_RASTERIZER_STATE);
    const uint32_t expected[] = {0, 2, 0, 0, 0, 0};
    assert_memory_equal(&raster->state, expected, sizeof expected);
    flush(&w);
    w.ctx.pfnSetDepthStencilState(w.device, NULL_DEPTH, 9);
    const struct aerogpu_cmd_set_depth_stencil_state *depth = only(AEROGPU_CMD_SET_DEPTH_STENCIL_STATE);
    const struct aerogpu_depth_stencil_state expected_depth = {1, 1, 1, 0, 0xFF, 0xFF, {0, 0}};
    assert_memory_equal(&depth->state, &expected_depth, sizeof expected_depth);
}

TEST(STA_13_to_15_and_31_depth_stencil)
{
    D3D10_DDI_DEPTH_STENCIL_DESC desc = {.DepthEnable = 1,
                                         .DepthWriteMask = 1,
                                         .DepthFunc = 9,
                                         .StencilReadMask = 0x12,
                                         .StencilWriteMask = 0x34};
    assert_int_equal(create_depth(&desc), E_INVALIDARG);
    const struct aerogpu_depth_stencil_state expected = {1, 1, 1, 0, 0xFF, 0xFF, {0, 0}};
    assert_memory_equal(&depth_object.state, &expected, sizeof expected);
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

TEST(STA_17_and_31_null_descriptors)
{
    struct agpu_sampler sampler;
    struct agpu_shader shader;
    struct agpu_element_layout layout;
    memset(&sampler, 0xCC, sizeof sampler);
    const D3D10DDI_HSAMPLER hs = {&sampler};
    const D3D10DDI_HSHADER hv = {&shader};
    const D3D10DDI_HELEMENTLAYOUT hl = {&layout};
    assert_int_equal(w.dev.pfnCreateSampler(w.device, NULL, hs, (D3D10DDI_HRTSAMPLER){NULL}), E_INVALIDARG);
    const uint32_t zeros[5] = {0};
    assert_memory_equal(&sampler, zeros, sizeof zeros);
    assert_int_equal(w.dev.pfnCreateVertexShader(w.device, NULL, hv, (D3D10DDI_HRTSHADER){NULL}),
                     E_INVALIDARG);
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, NULL, hl, (D3D10DDI_HRTELEMENTLAYOUT){NULL}),
                     E_INVALIDARG);
    w.dev.pfnDestroySampler(w.device, hs);
    w.dev.pfnDestroyShader(w.device, hv);
    w.dev.pfnDestroyElementLayout(w.device, hl);
    assert_int_equal(recorded_total(&w), 0);
}

TEST(STA_30_null_state_descriptors)
{
    assert_int_equal(create_blend(NULL), S_OK);
    assert_memory_equal(&blend_object.state, &agpu_default_blend, sizeof agpu_default_blend);
    assert_int_equal(create_raster(NULL), S_OK);
    assert_memory_equal(&raster_object.state, &agpu_default_rasterizer, sizeof agpu_default_rasterizer);
    assert_int_equal(create_depth(NULL), S_OK);
    assert_memory_equal(&depth_object.state, &agpu_default_depth_stencil, sizeof agpu_default_depth_stencil);
}
