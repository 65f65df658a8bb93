/* test_lifetime.c: objects that lists keep alive, and the ways in which a list ends. */
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
