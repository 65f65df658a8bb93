/* test_viewport_stages.c: viewports, scissors, shader stages (required behaviours VPS, GEO). */
#include <math.h>

#include "tests/unit/umd/one_world.h"
#include "umd-port/state/bindings.h"
#include "umd-port/state/objects.h"
#include "umd-port/state/stages.h"

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

static void set_viewports(uint32_t count, const D3D10_DDI_VIEWPORT *viewports)
{
    w.ctx.pfnSetViewports(w.device, count, 0, viewports);
}

static void expect_viewport(uint32_t nth, const D3D10_DDI_VIEWPORT *expected)
{
    const struct aerogpu_cmd_set_viewport *packet = recorded_at(&w, AEROGPU_CMD_SET_VIEWPORT, nth);

    assert_memory_equal(&packet->x_f32, expected, sizeof *expected);
}

FIXTURE(open_world, close_world);

TEST(VPS_01_to_04_extra_viewports)
{
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
    for (uint32_t i = 0; i < 7; i++) {
        expect_viewport(i, &first);
    }
}

TEST(VPS_05_06_08_17_viewport_edges)
{
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
    set_viewports(1, two); /* VPS-17: the valid ones are in the next flush */
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

TEST(VPS_09_to_16_scissors)
{
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

TEST(GEO_01_02_04_shaders)
{
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

TEST(GEO_05_to_07_resources)
{
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

TEST(GEO_03_bind_all_stages)
{
    const struct agpu_shader_handles shaders = {.vs = 1, .ps = 2, .cs = 3, .gs = 4, .hs = 5, .ds = 6};
    assert_true(agpu_cmd_bind_shaders_ex(&device_of(&w)->imm.cmd, &shaders, true));
    const uint32_t expected[] = {AEROGPU_CMD_BIND_SHADERS, 36, 1, 2, 3, 4, 4, 5, 6};
    assert_memory_equal(only(AEROGPU_CMD_BIND_SHADERS), expected, sizeof expected);
}
