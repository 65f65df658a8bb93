/* test_lifetime.c: objects that lists keep alive, and the ways in which a list ends (cases.md DEF-16). */
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/base/device.h"

/* A list that draws with one object of each kind. */
struct lifetime_scene {
    struct world world;
    struct dc dc;
    D3D10DDI_HRESOURCE texture, buffer;
    D3D10DDI_HSHADERRESOURCEVIEW view; /* one mip: an explicit view */
    D3D10DDI_HSHADER shader;
    D3D10DDI_HSAMPLER sampler;
    D3D10DDI_HELEMENTLAYOUT layout;
    D3D10DDI_HQUERY query;
    D3D11DDI_HCOMMANDLIST list;
};

static void scene_open(struct lifetime_scene *scene)
{
    struct world *world = &scene->world;
    struct dc *dc = &scene->dc;

    rig_open(world, AGPU_BACKING_WDK);
    struct agpu_resource_desc desc =
        texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    desc.MipLevels = 2;
    scene->texture = make(world, &desc);
    scene->buffer = make_buffer(world, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW part = {.hDrvResource = scene->texture,
                                                       .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D,
                                                       .MostDetailedMip = 1,
                                                       .MipLevels = 1};
    HRESULT hr;
    scene->view = try_srv(world, &part, &hr);
    assert_int_equal(hr, S_OK);
    scene->shader = make_shader(world, true);
    scene->sampler = make_sampler(world);
    scene->layout = make_layout(world);
    scene->query = make_query(world);

    dc_open(dc, world);
    D3D10DDI_HRESOURCE texture = dc_resource(dc, scene->texture), buffer = dc_resource(dc, scene->buffer);
    D3D10DDI_HSHADERRESOURCEVIEW view = dc_srv(dc, scene->view, texture);
    D3D10DDI_HSHADER shader = dc_shader(dc, scene->shader);
    D3D10DDI_HSAMPLER sampler = dc_sampler(dc, scene->sampler);
    D3D10DDI_HELEMENTLAYOUT layout = dc_layout(dc, scene->layout);
    D3D10DDI_HQUERY query = dc_query(dc, scene->query);
    const uint32_t stride = 8, offset = 0;
    dc->fn.pfnIaSetInputLayout(dc->handle, layout);
    dc->fn.pfnIaSetVertexBuffers(dc->handle, 0, 1, &buffer, &stride, &offset);
    dc->fn.pfnPsSetShader(dc->handle, shader);
    dc->fn.pfnPsSetShaderResources(dc->handle, 0, 1, &view);
    dc->fn.pfnPsSetSamplers(dc->handle, 0, 1, &sampler);
    dc->fn.pfnDraw(dc->handle, 3, 0);
    dc->fn.pfnQueryEnd(dc->handle, query);
    scene->list = dc_finish(dc, NULL);
    dc_expect_errors(dc, 0, S_OK);
    dc_free_query(dc, query);
    dc_free_layout(dc, layout);
    dc_free_sampler(dc, sampler);
    dc_free_shader(dc, shader);
    dc_free_srv(dc, view);
    dc_free_resource(dc, buffer);
    dc_free_resource(dc, texture);
    start_clean(world);
}

/* Destroys an object that a list keeps alive. The runtime's memory then says that there is no object. */
#define DESTROY_KEPT(scene, entry, type, object_)                                                            \
    do {                                                                                                     \
        (scene)->world.dev.entry((scene)->world.device, object_);                                            \
        assert_int_equal(((const type *)(object_).pDrvPrivate)->handle, 0);                                  \
    } while (0)

TEST(destroyed_is_empty)
{
    struct lifetime_scene scene;

    scene_open(&scene);
    DESTROY_KEPT(&scene, pfnDestroyElementLayout, struct agpu_element_layout, scene.layout);
    DESTROY_KEPT(&scene, pfnDestroySampler, struct agpu_sampler, scene.sampler);
    DESTROY_KEPT(&scene, pfnDestroyShader, struct agpu_shader, scene.shader);
    DESTROY_KEPT(&scene, pfnDestroyShaderResourceView, struct agpu_view, scene.view);
    assert_null(((const struct agpu_view *)scene.view.pDrvPrivate)->resource);
    drop_resource(&scene.world, scene.buffer);
    assert_int_equal(res(scene.buffer)->handle, 0);
    drop_resource(&scene.world, scene.texture);
    assert_int_equal(res(scene.texture)->handle, 0);
    free_query(&scene.world, scene.query);
    free_list(&scene.world, scene.list);
    free(scene.layout.pDrvPrivate);
    free(scene.sampler.pDrvPrivate);
    free(scene.shader.pDrvPrivate);
    free(scene.view.pDrvPrivate);
    free(scene.buffer.pDrvPrivate);
    free(scene.texture.pDrvPrivate);
    dc_close(&scene.dc);
    world_close(&scene.world);
}

static void destroy_immediate_objects(struct lifetime_scene *scene)
{
    struct world *world = &scene->world;

    free_query(world, scene->query);
    free_layout(world, scene->layout);
    free_sampler(world, scene->sampler);
    free_shader(world, scene->shader);
    free_srv(world, scene->view);
    free_resource(world, scene->buffer);
    free_resource(world, scene->texture);
}

TEST(DEF_16_lists_keep_what_they_use)
{
    struct lifetime_scene scene;

    scene_open(&scene);
    struct world *world = &scene.world;
    const uint32_t buffer = res(scene.buffer)->handle, view = srv(scene.view)->handle;
    const D3DKMT_HANDLE allocation = res(scene.buffer)->alloc_handle;
    destroy_immediate_objects(&scene);
    assert_int_equal(recorded_total(world), 0); /* the device gets no destruction */
    assert_int_equal(world->fake.calls[FAKE_DEALLOCATE], 0);
    execute(world, scene.list);
    expect_errors(world, 0, S_OK);
    const struct aerogpu_cmd_set_vertex_buffers *set = recorded_at(world, AEROGPU_CMD_SET_VERTEX_BUFFERS, 0);
    assert_int_equal(((const struct aerogpu_vertex_buffer_binding *)(set + 1))->buffer, buffer);
    const struct aerogpu_cmd_set_texture *bound = recorded_at(world, AEROGPU_CMD_SET_TEXTURE, 0);
    assert_int_equal(bound->texture, view);
    assert_int_equal(flush(world), S_OK);
    assert_int_equal(listed(world, 0, allocation), 0);
    fake_forget(&world->fake);
    free_list(world, scene.list); /* now it is destroyed: views before resources, packets before memory */
    assert_int_equal(captured(world, 0, AEROGPU_CMD_DESTROY_TEXTURE_VIEW), 1);
    assert_int_equal(captured(world, 0, AEROGPU_CMD_DESTROY_SHADER), 1);
    assert_int_equal(captured(world, 0, AEROGPU_CMD_DESTROY_SAMPLER), 1);
    assert_int_equal(captured(world, 0, AEROGPU_CMD_DESTROY_INPUT_LAYOUT), 1);
    assert_int_equal(captured(world, 0, AEROGPU_CMD_DESTROY_RESOURCE) +
                         captured(world, 1, AEROGPU_CMD_DESTROY_RESOURCE),
                     2);
    assert_int_equal(world->fake.calls[FAKE_DEALLOCATE], 2);
    dc_close(&scene.dc);
    world_close(world);
}

/* The runtime should not destroy the device before lists and objects, but nothing may break if it does. */
TEST(device_destroyed_first)
{
    struct lifetime_scene scene;

    scene_open(&scene);
    struct world *world = &scene.world;
    const D3D11DDI_HCOMMANDLIST list = scene.list;
    dc_close(&scene.dc);
    free_resource(world, scene.buffer);
    world->dev.pfnDestroyDevice(world->device);
    world->dev.pfnDestroyDevice(world->device);
    free_query(world, scene.query);
    free_layout(world, scene.layout);
    free_sampler(world, scene.sampler);
    free_shader(world, scene.shader);
    free_srv(world, scene.view);
    free_resource(world, scene.texture);
    free_list(world, list);
    world_close(world); /* the driver's heap is empty */
}

TEST(executed_on_a_deferred_context)
{
    struct lifetime_scene scene;
    struct dc outer;

    scene_open(&scene);
    struct world *world = &scene.world;
    execute(world, scene.list);
    dc_open(&outer, world);
    D3D11DDI_HCOMMANDLIST local = {object(agpu_local_handle_bytes(D3D11DDI_HT_COMMANDLIST))};
    assert_int_equal(world->dev.pfnCreateCommandList(outer.handle, NULL, local,
                                                     (D3D11DDI_HRTCOMMANDLIST){scene.list.pDrvPrivate}),
                     S_OK);
    outer.fn.pfnDraw(outer.handle, 9, 0);
    outer.fn.pfnCommandListExecute(outer.handle, local);
    outer.fn.pfnCommandListExecute(outer.handle, local);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&outer, NULL);
    dc_expect_errors(&outer, 0, S_OK);
    world->dev.pfnDestroyCommandList(outer.handle, local);
    free(local.pDrvPrivate);
    free_list(world, scene.list);
    destroy_immediate_objects(&scene);
    fake_forget(&world->fake);
    execute(world, list);
    assert_int_equal(recorded(world, AEROGPU_CMD_DRAW), 3); /* the query is gone: no submission */
    const struct aerogpu_cmd_draw *first = recorded_at(world, AEROGPU_CMD_DRAW, 0);
    assert_int_equal(first->vertex_count, 9);
    assert_int_equal(recorded(world, AEROGPU_CMD_DESTROY_RESOURCE), 0);
    free_list(world, list);
    assert_int_equal(world->fake.calls[FAKE_DEALLOCATE], 2);
    expect_errors(world, 0, S_OK);
    dc_close(&outer);
    dc_close(&scene.dc);
    world_close(world);
}

static void record_frame(struct dc *dc, D3D10DDI_HRESOURCE local)
{
    const uint32_t stride = 8, offset = 0;
    static const uint8_t bytes[64] = {7};

    dc->fn.pfnIaSetVertexBuffers(dc->handle, 0, 1, &local, &stride, &offset);
    dc->fn.pfnResourceUpdateSubresourceUP(dc->handle, local, 0, NULL, bytes, 0, 0);
    dc->fn.pfnDraw(dc->handle, 3, 0);
}

/* A context that is destroyed while it records releases the objects of its list at once. */
RIG_TEST(destroyed_with_a_list, AGPU_BACKING_WDK)
{
    struct dc dc;

    D3D10DDI_HRESOURCE buffer = make_buffer(world, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    dc_open(&dc, world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer);
    record_frame(&dc, local);
    dc_free_resource(&dc, local);
    free_resource(world, buffer);
    assert_int_equal(world->fake.calls[FAKE_DEALLOCATE], 0);
    dc_close(&dc);
    assert_int_equal(world->fake.calls[FAKE_DEALLOCATE], 1);
}

RIG_TEST(indirect_arguments_are_read_at_execution, AGPU_BACKING_WDK)
{
    struct dc dc;

    D3D10DDI_HRESOURCE buffer = make_buffer(world, 32, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    dc_open(&dc, world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer);
    dc.fn.pfnDrawInstancedIndirect(dc.handle, local, 0);
    dc.fn.pfnDrawIndexedInstancedIndirect(dc.handle, local, 4);
    dc.fn.pfnDispatchIndirect(dc.handle, local, 0);
    dc.fn.pfnDrawInstancedIndirect(dc.handle, local, 20); /* past the end of the buffer */
    dc_expect_errors(&dc, 1, E_INVALIDARG);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    const uint32_t arguments[8] = {5, 6, 7, 8, 9, 10, 11, 12};
    flush(world);
    update(world, buffer, 0, NULL, arguments, 0);
    execute(world, list);
    expect_errors(world, 0, S_OK);
    const struct aerogpu_cmd_draw *draw = recorded_at(world, AEROGPU_CMD_DRAW, 0);
    assert_int_equal(draw->vertex_count, 5);
    assert_int_equal(draw->first_instance, 8);
    const struct aerogpu_cmd_draw_indexed *indexed = recorded_at(world, AEROGPU_CMD_DRAW_INDEXED, 0);
    assert_int_equal(indexed->index_count, 6);
    assert_int_equal(indexed->first_instance, 10);
    const struct aerogpu_cmd_dispatch *dispatch = recorded_at(world, AEROGPU_CMD_DISPATCH, 0);
    assert_int_equal(dispatch->group_count_z, 7);
    free_list(world, list);
    dc_free_resource(&dc, local);
    dc_close(&dc);
}
