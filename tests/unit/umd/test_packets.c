/* test_packets.c: STA-19 to 22 and 37: each state and work packet word by word, each of them without room, and null
 * arrays. */
#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"

/* A device in WDK mode, which has buffer views, and one object of each kind. */
struct packet_scene {
    struct world w;
    D3D10DDI_HRESOURCE texture, depth, buffer;
    D3D10DDI_HRENDERTARGETVIEW rtv;
    D3D10DDI_HDEPTHSTENCILVIEW dsv;
    D3D10DDI_HSHADERRESOURCEVIEW srv, buffer_srv;
    struct agpu_view uav;
    struct agpu_sampler sampler;
    struct agpu_element_layout layout;
    struct agpu_shader shader;
};
static struct packet_scene s;

static void open_scene(void)
{
    memset(&s, 0, sizeof s);
    world_open(&s.w, AGPU_BACKING_WDK);
    s.texture = make_texture(&s.w, 28, 4, 4, 0, 0x28, 0);
    s.depth = make_texture(&s.w, 40, 4, 4, 0, 0x40, 0);
    s.buffer = make_buffer(&s.w, 64, 0, 0xFF, 0);
    s.rtv = make_rtv(&s.w, s.texture);
    s.dsv = make_dsv(&s.w, s.depth);
    s.srv = make_srv(&s.w, s.texture);
    HRESULT hr;
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW view = {
        .hDrvResource = s.buffer, .FirstElement = 4, .NumElements = 8};
    s.buffer_srv = try_srv(&s.w, &view, &hr);
    assert_int_equal(hr, S_OK);
    const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW uav = {.hDrvResource = s.buffer, .FirstElement = 2};
    assert_int_equal(s.w.dev.pfnCreateUnorderedAccessView(s.w.device, &uav,
                                                          (D3D11DDI_HUNORDEREDACCESSVIEW){&s.uav},
                                                          (D3D11DDI_HRTUNORDEREDACCESSVIEW){NULL}),
                     S_OK);
    s.sampler.handle = 1001;
    s.layout.handle = 1002;
    s.shader.handle = 1003;
    flush(&s.w);
}

static void close_scene(void)
{
    s.w.dev.pfnDestroyUnorderedAccessView(s.w.device, (D3D11DDI_HUNORDEREDACCESSVIEW){&s.uav});
    free_srv(&s.w, s.buffer_srv);
    free_srv(&s.w, s.srv);
    free_dsv(&s.w, s.dsv);
    free_rtv(&s.w, s.rtv);
    free_resource(&s.w, s.buffer);
    free_resource(&s.w, s.depth);
    free_resource(&s.w, s.texture);
    world_close(&s.w);
}

static void texture(void)
{
    s.w.ctx.pfnPsSetShaderResources(s.w.device, 5, 1, &s.srv);
}
static void samplers(void)
{
    const D3D10DDI_HSAMPLER two[] = {{&s.sampler}, {NULL}};

    s.w.ctx.pfnVsSetSamplers(s.w.device, 3, 2, two);
}
static void constants(void)
{
    s.w.ctx.pfnGsSetConstantBuffers(s.w.device, 2, 1, &s.buffer);
}
static void vertices(void)
{
    const uint32_t stride = 12, offset = 4;

    s.w.ctx.pfnIaSetVertexBuffers(s.w.device, 1, 1, &s.buffer, &stride, &offset);
}
static void indices(void)
{
    s.w.ctx.pfnIaSetIndexBuffer(s.w.device, s.buffer, 42, 8);
}
static void layout(void)
{
    s.w.ctx.pfnIaSetInputLayout(s.w.device, (D3D10DDI_HELEMENTLAYOUT){&s.layout});
}
static void buffer_view(void)
{
    s.w.ctx.pfnCsSetShaderResources(s.w.device, 7, 1, &s.buffer_srv);
}
static void unordered(void)
{
    const D3D11DDI_HUNORDEREDACCESSVIEW view = {&s.uav};
    const uint32_t count = 9;

    s.w.ctx.pfnCsSetUnorderedAccessViews(s.w.device, 1, 1, &view, &count);
}
static void raster(void)
{
    s.w.ctx.pfnSetRasterizerState(s.w.device, (D3D10DDI_HRASTERIZERSTATE){NULL});
}
static void blend(void)
{
    s.w.ctx.pfnSetBlendState(s.w.device, (D3D10DDI_HBLENDSTATE){NULL}, NULL, 0xFFFFFFFF);
}
static void depth_stencil(void)
{
    s.w.ctx.pfnSetDepthStencilState(s.w.device, (D3D10DDI_HDEPTHSTENCILSTATE){NULL}, 3);
}
static void targets(void)
{
    set_targets(&s.w, 1, &s.rtv, s.dsv);
}
static void viewport(void)
{
    s.w.ctx.pfnSetViewports(s.w.device, 0, 0, NULL);
}
static void scissor(void)
{
    s.w.ctx.pfnSetScissorRects(s.w.device, 0, 0, NULL);
}
static void shader(void)
{
    s.w.ctx.pfnVsSetShader(s.w.device, (D3D10DDI_HSHADER){&s.shader});
}
static void topology(void)
{
    s.w.ctx.pfnIaSetTopology(s.w.device, 5);
}
static void draw(void)
{
    s.w.ctx.pfnDraw(s.w.device, 3, 7);
}
static void draw_indexed(void)
{
    s.w.ctx.pfnDrawIndexed(s.w.device, 3, 7, -2);
}
static void dispatch(void)
{
    s.w.ctx.pfnDispatch(s.w.device, 1, 2, 3);
}
static void dirty(void)
{
    update(&s.w, s.buffer, 0, NULL, "0123456789012345678901234567890123456789012345678901234567890123", 0);
}

struct packet_row {
    void (*call)(void);
    uint32_t bytes;
    uint32_t words[16]; /* the packet, with 1 texture, 2 depth, 3 buffer in place of handles */
    uint32_t texture_at, depth_at, buffer_at; /* word index of a handle; 0: none */
};
#define ONE 0x3F800000u
static const struct packet_row rows[] = {
    {texture, 24, {AEROGPU_CMD_SET_TEXTURE, 24, 1, 5, 0, 0}, .texture_at = 4},
    {samplers, 32, {AEROGPU_CMD_SET_SAMPLERS, 32, 0, 3, 2, 0, 1001, 0}, .texture_at = 0},
    {constants, 40, {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 40, 3, 2, 1, 0, 0, 0, 64, 0}, .buffer_at = 6},
    {vertices, 32, {AEROGPU_CMD_SET_VERTEX_BUFFERS, 32, 1, 1, 0, 12, 4, 0}, .buffer_at = 4},
    {indices, 24, {AEROGPU_CMD_SET_INDEX_BUFFER, 24, 0, 1, 8, 0}, .buffer_at = 2},
    {layout, 16, {AEROGPU_CMD_SET_INPUT_LAYOUT, 16, 1002, 0}, .texture_at = 0},
    {buffer_view,
     40,
     {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 40, 2, 7, 1, 0, 0, 16, 32, 0},
     .buffer_at = 6},
    {unordered, 40, {AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 40, 2, 1, 1, 0, 0, 8, 56, 9}, .buffer_at = 6},
    {raster, 32, {AEROGPU_CMD_SET_RASTERIZER_STATE, 32, 0, 2, 0, 0, 0, 0}, .texture_at = 0},
    {blend,
     60,
     {AEROGPU_CMD_SET_BLEND_STATE, 60, 0, 1, 0, 0, 0xF, 1, 0, 0, ONE, ONE, ONE, ONE, 0xFFFFFFFF},
     .texture_at = 0},
    {depth_stencil, 28, {AEROGPU_CMD_SET_DEPTH_STENCIL_STATE, 28, 1, 1, 1, 0, 0xFFFF}, .texture_at = 0},
    {targets, 48, {AEROGPU_CMD_SET_RENDER_TARGETS, 48, 1}, .texture_at = 4, .depth_at = 3},
    {viewport, 32, {AEROGPU_CMD_SET_VIEWPORT, 32, 0, 0, 0, 0, 0, ONE}, .texture_at = 0},
    {scissor, 24, {AEROGPU_CMD_SET_SCISSOR, 24, 0, 0, 0, 0}, .texture_at = 0},
    {shader, 24, {AEROGPU_CMD_BIND_SHADERS, 24, 1003, 0, 0, 0}, .texture_at = 0},
    {topology, 16, {AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, 16, 5, 0}, .texture_at = 0},
    {draw, 24, {AEROGPU_CMD_DRAW, 24, 3, 1, 7, 0}, .texture_at = 0},
    {draw_indexed, 28, {AEROGPU_CMD_DRAW_INDEXED, 28, 3, 1, 7, (uint32_t)-2, 0}, .texture_at = 0},
    {dispatch, 24, {AEROGPU_CMD_DISPATCH, 24, 1, 2, 3, 0}, .texture_at = 0},
    {dirty, 32, {AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 32, 0, 0, 0, 0, 64, 0}, .buffer_at = 2},
};

TEST(STA_19_every_packet)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t expected[16];

        open_scene();
        memcpy(expected, rows[i].words, sizeof expected);
        if (rows[i].texture_at) {
            expected[rows[i].texture_at] = res(s.texture)->handle;
        }
        if (rows[i].depth_at) {
            expected[rows[i].depth_at] = res(s.depth)->handle;
        }
        if (rows[i].buffer_at) {
            expected[rows[i].buffer_at] = res(s.buffer)->handle;
        }
        rows[i].call();
        assert_int_equal(recorded_total(&s.w), 1);
        assert_memory_equal(recorded_at(&s.w, rows[i].words[0], 0), expected, rows[i].bytes);
        expect_errors(&s.w, 0, S_OK);
        close_scene();
    }
}

TEST(STA_20_every_packet_without_room)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        open_scene();
        world_bound_stream(&s.w, rows[i].bytes - 4);
        rows[i].call();
        expect_errors(&s.w, 1, E_OUTOFMEMORY);
        assert_int_equal(recorded_total(&s.w), 0);
        world_bound_stream(&s.w, 4096);
        close_scene();
    }
}

/* Not in the list: a slot is emptied by the packet for the kind of resource in it. */
TEST(unbinding_a_buffer_view)
{
    const D3D10DDI_HSHADERRESOURCEVIEW none = {NULL};
    open_scene();
    buffer_view();
    flush(&s.w);
    s.w.ctx.pfnCsSetShaderResources(s.w.device, 7, 1, &none);
    const uint32_t expected[] = {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 40, 2, 7, 1, 0, 0, 0, 0, 0};
    assert_int_equal(recorded_total(&s.w), 1);
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 0), expected,
                        sizeof expected);
    close_scene();
}

TEST(STA_21_null_arrays)
{
    open_scene();
    const uint32_t zero = 0;
    s.w.ctx.pfnIaSetVertexBuffers(s.w.device, 0, 1, NULL, &zero, &zero);
    s.w.ctx.pfnIaSetVertexBuffers(s.w.device, 0, 1, &s.buffer, NULL, &zero);
    s.w.ctx.pfnIaSetVertexBuffers(s.w.device, 0, 1, &s.buffer, &zero, NULL);
    set_targets(&s.w, 1, NULL, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    expect_errors(&s.w, 4, E_INVALIDARG);
    assert_int_equal(recorded_total(&s.w), 0);
    /* Only Direct3D 10 refuses the other arrays. Its tables have the same functions. */
    for (int version = 0; version < 2; version++) {
        device_of(&s.w)->imm.cookie = version ? (uint32_t)AGPU_COOKIE_D3D10_1 : (uint32_t)AGPU_COOKIE_D3D10;
        s.w.ctx.pfnVsSetConstantBuffers(s.w.device, 0, 1, NULL);
        s.w.ctx.pfnPsSetSamplers(s.w.device, 3, 2, NULL);
        s.w.ctx.pfnGsSetShaderResources(s.w.device, 0, 2, NULL);
        expect_errors(&s.w, 3, E_INVALIDARG);
        s.w.ctx.pfnVsSetConstantBuffers(s.w.device, 0, 0, NULL);
        s.w.ctx.pfnPsSetSamplers(s.w.device, 0, 0, NULL);
        s.w.ctx.pfnGsSetShaderResources(s.w.device, 0, 0, NULL);
        expect_errors(&s.w, 0, S_OK);
        assert_int_equal(recorded_total(&s.w), 0);
    }
    close_scene();
}

/* In Direct3D 11 a null array unbinds exactly the slots that are bound. */
TEST(STA_32_null_arrays_unbind)
{
    open_scene();
    const D3D10DDI_HSHADERRESOURCEVIEW views[] = {s.buffer_srv, s.srv, s.buffer_srv};
    const D3D11DDI_HUNORDEREDACCESSVIEW uav = {&s.uav};
    const D3D10DDI_HSAMPLER sampler = {&s.sampler};
    s.w.ctx.pfnPsSetConstantBuffers(s.w.device, 0, 1, &s.buffer);
    s.w.ctx.pfnPsSetSamplers(s.w.device, 0, 1, &sampler);
    s.w.ctx.pfnPsSetShaderResources(s.w.device, 0, 3, views);
    flush(&s.w);
    s.w.ctx.pfnPsSetConstantBuffers(s.w.device, 0, 2, NULL);
    s.w.ctx.pfnPsSetSamplers(s.w.device, 0, 2, NULL);
    s.w.ctx.pfnPsSetShaderResources(s.w.device, 0, 4, NULL);
    const uint32_t constants[] = {AEROGPU_CMD_SET_CONSTANT_BUFFERS, 56, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint32_t none[] = {AEROGPU_CMD_SET_SAMPLERS, 32, 1, 0, 2, 0, 0, 0};
    const uint32_t first[] = {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 40, 1, 0, 1, 0, 0, 0, 0, 0};
    const uint32_t second[] = {AEROGPU_CMD_SET_TEXTURE, 24, 1, 1, 0, 0};
    const uint32_t third[] = {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 40, 1, 2, 1, 0, 0, 0, 0, 0};
    assert_int_equal(recorded_total(&s.w), 5); /* slot 3 was empty */
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_SET_CONSTANT_BUFFERS, 0), constants, sizeof constants);
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_SET_SAMPLERS, 0), none, sizeof none);
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 0), first, sizeof first);
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_SET_TEXTURE, 0), second, sizeof second);
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 1), third, sizeof third);
    s.w.ctx.pfnCsSetUnorderedAccessViews(s.w.device, 1, 1, &uav, NULL);
    flush(&s.w);
    s.w.ctx.pfnCsSetUnorderedAccessViews(s.w.device, 0, 2, NULL, NULL);
    const uint32_t empty[] = {
        AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 56, 2, 0, 2, 0, 0, 0, 0, UINT32_MAX, 0, 0, 0, UINT32_MAX};
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 0), empty, sizeof empty);
    expect_errors(&s.w, 0, S_OK);
    close_scene();
}

/* Buffers in consecutive slots share a packet. An unchanged slot or a texture ends it. */
TEST(buffer_views_share_packets)
{
    open_scene();
    HRESULT hr;
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW other_args = {
        .hDrvResource = s.buffer, .FirstElement = 0, .NumElements = 2};
    D3D10DDI_HSHADERRESOURCEVIEW a = s.buffer_srv, b = try_srv(&s.w, &other_args, &hr);
    assert_int_equal(hr, S_OK);
    const D3D10DDI_HSHADERRESOURCEVIEW before[] = {a, a, a, a, s.srv, a, {NULL}, {NULL}};
    const D3D10DDI_HSHADERRESOURCEVIEW after[] = {b, b, a, {NULL}, b, s.srv, a, b};
    uint32_t handle = res(s.buffer)->handle;
    s.w.ctx.pfnVsSetShaderResources(s.w.device, 2, 8, before);
    const uint32_t four[] = {AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS,
                             24 + 4 * 16,
                             0,
                             2,
                             4,
                             0,
                             handle,
                             16,
                             32,
                             0,
                             handle,
                             16,
                             32,
                             0,
                             handle,
                             16,
                             32,
                             0,
                             handle,
                             16,
                             32,
                             0};
    assert_int_equal(recorded_total(&s.w), 3);
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 0), four, sizeof four);
    flush(&s.w);
    s.w.ctx.pfnVsSetShaderResources(s.w.device, 2, 8, after);
    const uint32_t runs[][2] = {{2, 2}, {5, 2}, {8, 2}}; /* start, count */
    assert_int_equal(recorded(&s.w, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS), 3);
    assert_int_equal(recorded(&s.w, AEROGPU_CMD_SET_TEXTURE), 1);
    assert_int_equal(recorded_total(&s.w), 4);
    for (uint32_t i = 0; i < 3; i++) {
        const struct aerogpu_cmd_set_shader_resource_buffers *packet =
            recorded_at(&s.w, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, i);

        assert_int_equal(packet->start_slot, runs[i][0]);
        assert_int_equal(packet->buffer_count, runs[i][1]);
    }
    free_srv(&s.w, b);
    close_scene();
}

TEST(STA_37_and_22_clears)
{
    static const float color[4] = {1, 0.5f, 0, 1};
    open_scene();
    targets();
    flush(&s.w);
    s.w.ctx.pfnClearRenderTargetView(s.w.device, s.rtv, NULL);
    assert_int_equal(recorded_total(&s.w), 0);
    s.w.ctx.pfnClearRenderTargetView(s.w.device, s.rtv, color);
    const uint32_t colored[] = {AEROGPU_CMD_CLEAR, 36, 1, ONE, 0x3F000000, 0, ONE, ONE, 0};
    assert_int_equal(recorded_total(&s.w), 1); /* bound already: no other packets */
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_CLEAR, 0), colored, sizeof colored);
    s.w.ctx.pfnClearDepthStencilView(s.w.device, s.dsv, 3, 0.5f, 7);
    const uint32_t both[] = {AEROGPU_CMD_CLEAR, 36, 6, 0, 0, 0, 0, 0x3F000000, 7};
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_CLEAR, 1), both, sizeof both);
    s.w.ctx.pfnClearDepthStencilView(s.w.device, s.dsv, 0, 1, 0);
    const uint32_t none[] = {AEROGPU_CMD_CLEAR, 36, 0, 0, 0, 0, 0, ONE, 0};
    assert_memory_equal(recorded_at(&s.w, AEROGPU_CMD_CLEAR, 2), none, sizeof none);
    expect_errors(&s.w, 0, S_OK);
    close_scene();
}

/* Not in the list: a clear covers the whole view, which some devices do only without the scissor. */
TEST(clear_without_scissor)
{
    static const float color[4] = {1, 0.5f, 0, 1};
    const D3D10_DDI_RASTERIZER_DESC desc = {
        .FillMode = 3, .CullMode = 2, .DepthBias = 7, .DepthClipEnable = 1, .ScissorEnable = 1};
    struct agpu_rasterizer_object object;
    open_scene();
    assert_int_equal(s.w.dev.pfnCreateRasterizerState(s.w.device, &desc, (D3D10DDI_HRASTERIZERSTATE){&object},
                                                      (D3D10DDI_HRTRASTERIZERSTATE){NULL}),
                     S_OK);
    targets();
    s.w.ctx.pfnSetRasterizerState(s.w.device, (D3D10DDI_HRASTERIZERSTATE){&object});
    flush(&s.w);
    for (int pass = 0; pass < 2; pass++) { /* colour first, then depth */
        if (pass) {
            s.w.ctx.pfnClearDepthStencilView(s.w.device, s.dsv, 1, 1, 0);
        } else {
            s.w.ctx.pfnClearRenderTargetView(s.w.device, s.rtv, color);
        }
        uint32_t first = 2 * (uint32_t)pass;
        const struct aerogpu_cmd_set_rasterizer_state *off =
            recorded_at(&s.w, AEROGPU_CMD_SET_RASTERIZER_STATE, first);
        const struct aerogpu_cmd_set_rasterizer_state *on =
            recorded_at(&s.w, AEROGPU_CMD_SET_RASTERIZER_STATE, first + 1);
        assert_int_equal(off->state.scissor_enable, 0);
        assert_int_equal(off->state.depth_bias, 7);
        assert_memory_equal(&on->state, &object.state, sizeof object.state);
        assert_int_equal(recorded_index(&s.w, AEROGPU_CMD_CLEAR, (uint32_t)pass),
                         recorded_index(&s.w, AEROGPU_CMD_SET_RASTERIZER_STATE, first) + 1);
        assert_int_equal(recorded_index(&s.w, AEROGPU_CMD_CLEAR, (uint32_t)pass) + 1,
                         recorded_index(&s.w, AEROGPU_CMD_SET_RASTERIZER_STATE, first + 1));
    }
    close_scene();
}

/* Not in the list: CLEAR affects the bound targets, so an unbound view is bound for the clear, and the old bindings are
 * restored. */
TEST(clear_of_an_unbound_view)
{
    static const float color[4] = {0};
    open_scene();
    D3D10DDI_HRESOURCE other = make_texture(&s.w, 28, 4, 4, 0, 0x28, 0);
    D3D10DDI_HRENDERTARGETVIEW other_rtv = make_rtv(&s.w, other);
    set_targets(&s.w, 1, &other_rtv, s.dsv);
    texture(); /* the pixel shader reads the view's texture */
    flush(&s.w);
    s.w.ctx.pfnClearRenderTargetView(s.w.device, s.rtv, color);
    assert_int_equal(recorded_total(&s.w), 4);
    const struct aerogpu_cmd_set_render_targets *only = recorded_at(&s.w, AEROGPU_CMD_SET_RENDER_TARGETS, 0);
    const struct aerogpu_cmd_set_render_targets *back = recorded_at(&s.w, AEROGPU_CMD_SET_RENDER_TARGETS, 1);
    const struct aerogpu_cmd_set_texture *again = recorded_at(&s.w, AEROGPU_CMD_SET_TEXTURE, 0);
    assert_int_equal(recorded_index(&s.w, AEROGPU_CMD_CLEAR, 0), 1);
    assert_int_equal(only->color_count, 1);
    assert_int_equal(only->colors[0], res(s.texture)->handle);
    assert_int_equal(only->depth_stencil, 0);
    assert_int_equal(back->colors[0], res(other)->handle);
    assert_int_equal(back->depth_stencil, res(s.depth)->handle);
    assert_int_equal(again->texture, res(s.texture)->handle);
    fake_forget(&s.w.fake);
    flush(&s.w);
    assert_int_equal(listed(&s.w, 0, res(s.texture)->alloc_handle), 1);
    world_bound_stream(&s.w, 48 + 36);
    s.w.ctx.pfnClearRenderTargetView(s.w.device, s.rtv, color);
    expect_errors(&s.w, 1, E_OUTOFMEMORY);
    assert_int_equal(recorded_total(&s.w), 0);
    assert_ptr_equal(device_of(&s.w)->imm.targets.colors[0].resource, res(other));
    world_bound_stream(&s.w, 4096);
    free_rtv(&s.w, other_rtv);
    free_resource(&s.w, other);
    close_scene();
}

/* Not in the list: ClearState leaves nothing bound, and its stream is valid. */
TEST(clear_state)
{
    open_scene();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].call != buffer_view && rows[i].call != texture) {
            rows[i].call();
        }
    }
    flush(&s.w);
    s.w.ctx.pfnClearState(s.w.device);
    expect_errors(&s.w, 0, S_OK);
    const struct agpu_context *context = &device_of(&s.w)->imm;
    assert_int_equal(context->vertex_top, 0);
    assert_null(context->index_buffer);
    assert_int_equal(context->targets.count, 0);
    assert_null(context->targets.depth.resource);
    assert_int_equal(context->topology, 4);
    assert_int_equal(context->uav_top, 0);
    assert_int_equal(context->shaders.vs, 0);
    assert_int_equal(recorded(&s.w, AEROGPU_CMD_SET_CONSTANT_BUFFERS), 4);
    assert_int_equal(recorded(&s.w, AEROGPU_CMD_SET_SCISSOR), 1);
    uint32_t bytes = (uint32_t)agpu_cmd_used(&context->cmd);
    flush(&s.w);
    for (uint32_t room = 0; room < bytes - 24; room += 44) { /* any packet may be the one without room */
        world_bound_stream(&s.w, room);
        s.w.ctx.pfnClearState(s.w.device);
        expect_errors(&s.w, 1, E_OUTOFMEMORY);
    }
    world_bound_stream(&s.w, 65536);
    close_scene();
}
