/* test_record.c: recording, execution, rollback (cases.md DEF-17). */
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/base/bind_shaders.h"
#include "umd-port/base/device.h"
#include "umd-port/deferred/recording.h"

/* A render target and a vertex buffer, with handles on both contexts. */
struct record_scene {
    struct world world;
    struct dc dc;
    D3D10DDI_HRESOURCE texture, buffer, local_texture, local_buffer;
    D3D10DDI_HRENDERTARGETVIEW view, local_view;
};

static void scene_open(struct record_scene *scene, enum agpu_backing_mode mode)
{
    struct world *world = &scene->world;

    rig_open(world, mode);
    scene->texture =
        make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, D3D10_DDI_BIND_RENDER_TARGET, 0);
    scene->buffer = make_buffer(world, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    scene->view = make_rtv(world, scene->texture);
    dc_open(&scene->dc, world);
    scene->local_texture = dc_resource(&scene->dc, scene->texture);
    scene->local_buffer = dc_resource(&scene->dc, scene->buffer);
    scene->local_view = dc_rtv(&scene->dc, scene->view, scene->local_texture);
    start_clean(world);
}

static void scene_close(struct record_scene *scene)
{
    dc_free_rtv(&scene->dc, scene->local_view);
    dc_free_resource(&scene->dc, scene->local_buffer);
    dc_free_resource(&scene->dc, scene->local_texture);
    dc_close(&scene->dc);
    free_rtv(&scene->world, scene->view);
    free_resource(&scene->world, scene->buffer);
    free_resource(&scene->world, scene->texture);
    world_close(&scene->world);
}

static D3D11DDI_HCOMMANDLIST record_draw(struct record_scene *scene)
{
    struct dc *dc = &scene->dc;
    const uint32_t stride = 8, offset = 0;

    dc->fn.pfnSetRenderTargets(dc->handle, &scene->local_view, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    dc->fn.pfnIaSetVertexBuffers(dc->handle, 0, 1, &scene->local_buffer, &stride, &offset);
    dc->fn.pfnDraw(dc->handle, 3, 0);
    return dc_finish(dc, NULL);
}

/* commands.md 7: gs, hs and ds after the structure are handles too, if the packet is long enough. */
TEST(bind_shaders_of_any_length)
{
    struct record_scene scene;

    scene_open(&scene, AGPU_BACKING_WDK);
    struct world *world = &scene.world;
    D3D10DDI_HSHADER shader = make_shader(world, false), local = dc_shader(&scene.dc, shader);
    const uint32_t symbol = *(const uint32_t *)local.pDrvPrivate;
    const uint32_t handle = *(const uint32_t *)shader.pDrvPrivate;
    const struct agpu_shader_handles shaders = {.vs = symbol, .gs = symbol, .ds = symbol};
    struct agpu_cmd_writer *recording = &agpu_deferred_of(scene.dc.handle)->recorder.imm.cmd;
    assert_true(agpu_cmd_bind_shaders_ex(recording, &shaders, true));
    assert_true(agpu_cmd_bind_shaders_with_gs(recording, symbol, 0, 0, symbol));
    start_clean(world);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&scene.dc, NULL);
    execute(world, list);
    const uint32_t *words = recorded_at(world, AEROGPU_CMD_BIND_SHADERS, 0);
    const uint32_t expected[] = {handle, 0, 0, handle, handle, 0, handle};
    assert_int_equal(words[1], 36);
    assert_memory_equal(words + 2, expected, sizeof expected);
    words = recorded_at(world, AEROGPU_CMD_BIND_SHADERS, 1);
    assert_int_equal(words[1], 24);
    assert_memory_equal(words + 2, expected, 4 * sizeof expected[0]);
    free_list(world, list);
    dc_free_shader(&scene.dc, local);
    free_shader(world, shader);
    scene_close(&scene);
}

/* A packet that a recording must not contain fails the list, whatever handles it has. */
TEST(packets_that_are_not_listed)
{
    struct record_scene scene;
    HRESULT hr;

    scene_open(&scene, AGPU_BACKING_WDK);
    struct agpu_cmd_writer *recording = &agpu_deferred_of(scene.dc.handle)->recorder.imm.cmd;
    const uint32_t opcodes[] = {AEROGPU_CMD_UPLOAD_RESOURCE, AEROGPU_CMD_NOP, 0x7777};
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        assert_non_null(agpu_cmd_append(recording, opcodes[i], sizeof(struct aerogpu_cmd_upload_resource)));
        D3D11DDI_HCOMMANDLIST list = dc_finish(&scene.dc, &hr);
        assert_int_equal(hr, E_OUTOFMEMORY);
        free_list(&scene.world, list);
    }
    scene_close(&scene);
}

TEST(DEF_17_no_room_leaves_the_stream_alone)
{
    struct record_scene scene;

    scene_open(&scene, AGPU_BACKING_WDK);
    struct world *world = &scene.world;
    D3D11DDI_HCOMMANDLIST list = record_draw(&scene);
    world_bound_stream(world, 512);
    set_targets(world, 1, &scene.view, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    world->ctx.pfnDraw(world->device, 7, 0);
    struct agpu_device *device = device_of(world);
    size_t used = agpu_cmd_used(&device->imm.cmd);
    uint8_t *stream = malloc(used);
    memcpy(stream, device->imm.cmd.base, used);
    uint32_t entries = device->allocs.count;
    execute(world, list);
    expect_errors(world, 1, E_OUTOFMEMORY);
    assert_int_equal(agpu_cmd_used(&device->imm.cmd), used);
    assert_memory_equal(device->imm.cmd.base, stream, used);
    assert_int_equal(device->imm.cmd.error, AGPU_CMD_OK);
    assert_int_equal(device->allocs.count, entries);
    assert_int_equal(device->imm.targets.count, 1);
    world->ctx.pfnDraw(world->device, 8, 0); /* the immediate context still works */
    assert_int_equal(recorded(world, AEROGPU_CMD_DRAW), 2);
    expect_errors(world, 0, S_OK);
    free(stream);
    free_list(world, list);
    scene_close(&scene);
}

#define MANY 70u

/* A list with more resources than the runtime's allocation list has room for: each draw uses its own vertex buffer and
 * the same target. */
struct many {
    struct record_scene scene;
    D3D10DDI_HRESOURCE buffers[MANY], locals[MANY];
    D3D11DDI_HCOMMANDLIST list;
};

static void many_open(struct many *many)
{
    const uint32_t stride = 8, offset = 0;

    scene_open(&many->scene, AGPU_BACKING_WDK);
    struct dc *dc = &many->scene.dc;
    dc->fn.pfnSetRenderTargets(dc->handle, &many->scene.local_view, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    for (uint32_t i = 0; i < MANY; i++) {
        many->buffers[i] = make_buffer(&many->scene.world, 16, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
        many->locals[i] = dc_resource(dc, many->buffers[i]);
        dc->fn.pfnIaSetVertexBuffers(dc->handle, 0, 1, &many->locals[i], &stride, &offset);
        dc->fn.pfnDraw(dc->handle, 3, i);
    }
    many->list = dc_finish(dc, NULL);
    start_clean(&many->scene.world);
}

static void many_close(struct many *many)
{
    free_list(&many->scene.world, many->list);
    for (uint32_t i = 0; i < MANY; i++) {
        dc_free_resource(&many->scene.dc, many->locals[i]);
        free_resource(&many->scene.world, many->buffers[i]);
    }
    scene_close(&many->scene);
}

/* If the first of several submissions fails, the others do not draw either. The device ends in default state: the
 * list's bindings are unbound. */
TEST(failing_part_leaves_default_state)
{
    struct many many;

    many_open(&many);
    struct world *world = &many.scene.world;
    world->fake.fail[FAKE_RENDER] = D3DDDIERR_DEVICEREMOVED;
    execute(world, many.list);
    expect_errors(world, 1, D3DDDIERR_DEVICEREMOVED);
    world->fake.fail[FAKE_RENDER] = S_OK;
    assert_int_equal(recorded(world, AEROGPU_CMD_DRAW), 0);
    uint32_t count = recorded(world, AEROGPU_CMD_SET_RENDER_TARGETS);
    assert_in_range(count, 1, 100);
    const struct aerogpu_cmd_set_render_targets *targets =
        recorded_at(world, AEROGPU_CMD_SET_RENDER_TARGETS, count - 1);
    assert_int_equal(targets->color_count, 0);
    count = recorded(world, AEROGPU_CMD_SET_VERTEX_BUFFERS);
    assert_in_range(count, 1, 100);
    const struct aerogpu_cmd_set_vertex_buffers *buffers =
        recorded_at(world, AEROGPU_CMD_SET_VERTEX_BUFFERS, count - 1);
    assert_int_equal(((const struct aerogpu_vertex_buffer_binding *)(buffers + 1))->buffer, 0);
    assert_int_equal(flush(world), S_OK);
    execute(world, many.list); /* later executions work */
    assert_int_equal(flush(world), S_OK);
    expect_errors(world, 0, S_OK);
    many_close(&many);
}

TEST(execute_of_nothing_and_of_garbage)
{
    struct record_scene scene;

    scene_open(&scene, AGPU_BACKING_WDK);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&scene.dc, NULL); /* an empty list */
    execute(&scene.world, list);
    assert_int_equal(recorded(&scene.world, AEROGPU_CMD_DRAW), 0);
    expect_errors(&scene.world, 0, S_OK);
    execute(&scene.world, (D3D11DDI_HCOMMANDLIST){NULL});
    expect_errors(&scene.world, 0, S_OK);
    uint64_t garbage[8];
    memset(garbage, 0xCC, sizeof garbage);
    execute(&scene.world, (D3D11DDI_HCOMMANDLIST){garbage});
    expect_errors(&scene.world, 1, E_INVALIDARG);
    scene.world.dev.pfnDestroyCommandList(scene.world.device, (D3D11DDI_HCOMMANDLIST){garbage});
    scene.world.dev.pfnDestroyCommandList(scene.world.device, list);
    execute(&scene.world, list); /* destroyed */
    expect_errors(&scene.world, 1, E_INVALIDARG);
    free_list(&scene.world, list); /* a second time */
    scene_close(&scene);
}
