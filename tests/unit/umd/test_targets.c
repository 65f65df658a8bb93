/* test_targets.c: targets, hazards, views (required behaviours RTV, VIW). */
#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"

#define RT    D3D10_DDI_BIND_RENDER_TARGET
#define DS    D3D10_DDI_BIND_DEPTH_STENCIL
#define SRV   D3D10_DDI_BIND_SHADER_RESOURCE
#define NO_DS ((D3D10DDI_HDEPTHSTENCILVIEW){NULL})
#define NO_RT ((D3D10DDI_HRENDERTARGETVIEW){NULL})
#define NO_SV ((D3D10DDI_HSHADERRESOURCEVIEW){NULL})

/* A device with ten textures of all bind flags, a depth buffer, and a view of each. */
struct target_scene {
    struct world w;
    D3D10DDI_HRESOURCE textures[10], depth;
    D3D10DDI_HRENDERTARGETVIEW rtvs[10];
    D3D10DDI_HSHADERRESOURCEVIEW srvs[10], depth_srv;
    D3D10DDI_HDEPTHSTENCILVIEW dsv;
};

static void open_scene_with(struct target_scene *s, enum agpu_backing_mode mode,
                            const D3DKMT_HANDLE *sequence)
{
    world_fake(&s->w, mode);
    s->w.fake.sequence = sequence;
    world_start(&s->w);
    for (int i = 0; i < 10; i++) {
        s->textures[i] = make_texture(&s->w, 28, 4, 4, 0, RT | SRV, 0);
        s->rtvs[i] = make_rtv(&s->w, s->textures[i]);
        s->srvs[i] = make_srv(&s->w, s->textures[i]);
    }
    s->depth = make_texture(&s->w, 40, 4, 4, 0, DS | SRV, 0);
    s->dsv = make_dsv(&s->w, s->depth);
    s->depth_srv = make_srv(&s->w, s->depth);
    flush(&s->w);
    fake_forget(&s->w.fake);
}

static void open_scene(struct target_scene *s)
{
    open_scene_with(s, AGPU_BACKING_HOST, NULL);
}

static void close_scene(struct target_scene *s)
{
    for (int i = 0; i < 10; i++) {
        free_rtv(&s->w, s->rtvs[i]);
        free_srv(&s->w, s->srvs[i]);
        free_resource(&s->w, s->textures[i]);
    }
    free_dsv(&s->w, s->dsv);
    free_srv(&s->w, s->depth_srv);
    free_resource(&s->w, s->depth);
    expect_errors(&s->w, 0, S_OK);
    world_close(&s->w);
}

static uint32_t handle(struct target_scene *s, int i)
{
    return res(s->textures[i])->handle;
}

static const struct aerogpu_cmd_set_render_targets *targets(struct target_scene *s, uint32_t nth)
{
    return recorded_at(&s->w, AEROGPU_CMD_SET_RENDER_TARGETS, nth);
}

static void expect_texture(struct target_scene *s, uint32_t nth, uint32_t stage, uint32_t slot,
                           uint32_t texture)
{
    const struct aerogpu_cmd_set_texture *packet = recorded_at(&s->w, AEROGPU_CMD_SET_TEXTURE, nth);

    assert_int_equal(packet->shader_stage, stage);
    assert_int_equal(packet->slot, slot);
    assert_int_equal(packet->texture, texture);
    assert_int_equal(packet->reserved0, 0);
}

TEST(RTV_01_and_04_two_targets)
{
    struct target_scene s;
    open_scene(&s);
    set_targets(&s.w, 2, s.rtvs, NO_DS);
    const struct aerogpu_cmd_set_render_targets *packet = targets(&s, 0);
    assert_int_equal(packet->color_count, 2);
    assert_int_equal(packet->depth_stencil, 0);
    assert_int_equal(packet->colors[0], handle(&s, 0));
    assert_int_equal(packet->colors[1], handle(&s, 1));
    for (int i = 2; i < 8; i++) {
        assert_int_equal(packet->colors[i], 0);
    }
    close_scene(&s);
}

TEST(RTV_02_more_than_eight)
{
    struct target_scene s;
    open_scene(&s);
    set_targets(&s.w, 10, s.rtvs, NO_DS);
    assert_int_equal(targets(&s, 0)->color_count, 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(targets(&s, 0)->colors[i], handle(&s, i));
    }
    close_scene(&s);
}

TEST(RTV_03_and_24_gaps)
{
    struct target_scene s;
    open_scene(&s);
    const D3D10DDI_HRENDERTARGETVIEW middle[] = {s.rtvs[0], NO_RT, s.rtvs[2]}, first[] = {NO_RT, s.rtvs[1]};
    set_targets(&s.w, 3, middle, NO_DS);
    assert_int_equal(targets(&s, 0)->color_count, 3);
    assert_int_equal(targets(&s, 0)->colors[1], 0);
    assert_int_equal(targets(&s, 0)->colors[2], handle(&s, 2));
    set_targets(&s.w, 2, first, NO_DS);
    assert_int_equal(targets(&s, 1)->color_count, 2);
    assert_int_equal(targets(&s, 1)->colors[0], 0);
    assert_int_equal(targets(&s, 1)->colors[1], handle(&s, 1));
    close_scene(&s);
}

TEST(RTV_05_and_06_unbound_and_depth_only)
{
    struct target_scene s;
    open_scene(&s);
    set_targets(&s.w, 0, NULL, NO_DS);
    assert_int_equal(targets(&s, 0)->color_count, 0);
    assert_int_equal(targets(&s, 0)->depth_stencil, 0);
    set_targets(&s.w, 0, NULL, s.dsv);
    assert_int_equal(targets(&s, 1)->color_count, 0);
    assert_int_equal(targets(&s, 1)->depth_stencil, res(s.depth)->handle);
    close_scene(&s);
}

TEST(RTV_07_null_array)
{
    struct target_scene s;
    open_scene(&s);
    set_targets(&s.w, 1, NULL, NO_DS);
    expect_errors(&s.w, 1, E_INVALIDARG);
    assert_int_equal(recorded_total(&s.w), 0);
    close_scene(&s);
}

TEST(RTV_08_srv_removes_target)
{
    for (int pixel = 0; pixel < 2; pixel++) {
        struct target_scene s;

        open_scene(&s);
        set_targets(&s.w, 2, s.rtvs, NO_DS);
        set_srv(&s.w, pixel, 0, s.srvs[0]);
        assert_int_equal(recorded(&s.w, AEROGPU_CMD_SET_RENDER_TARGETS), 2);
        assert_int_equal(targets(&s, 1)->color_count, 2);
        assert_int_equal(targets(&s, 1)->colors[0], 0);
        assert_int_equal(targets(&s, 1)->colors[1], handle(&s, 1));
        expect_texture(&s, 0, (uint32_t)pixel, 0, handle(&s, 0));
        assert_true(recorded_index(&s.w, AEROGPU_CMD_SET_RENDER_TARGETS, 1) <
                    recorded_index(&s.w, AEROGPU_CMD_SET_TEXTURE, 0));
        close_scene(&s);
    }
}

static void draw(struct target_scene *s)
{
    s->w.ctx.pfnDraw(s->w.device, 3, 0);
}

TEST(RTV_09_alias_by_allocation)
{
    static const D3DKMT_HANDLE sequence[] = {1, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 0};
    struct target_scene s;
    open_scene_with(&s, AGPU_BACKING_GUEST, sequence);
    set_targets(&s.w, 2, s.rtvs, NO_DS);
    set_srv(&s.w, true, 0, s.srvs[2]); /* another resource in the memory of target 0 */
    assert_int_equal(targets(&s, 1)->color_count, 2);
    assert_int_equal(targets(&s, 1)->colors[0], 0);
    assert_int_equal(targets(&s, 1)->colors[1], handle(&s, 1));
    expect_texture(&s, 0, 1, 0, handle(&s, 2));
    draw(&s);
    flush(&s.w);
    assert_int_equal(listed(&s.w, 0, 1), 0);
    assert_int_equal(listed(&s.w, 0, 2), 1);
    close_scene(&s);
}

TEST(RTV_10_and_11_in_two_slots)
{
    static const D3DKMT_HANDLE sequence[] = {1, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0};
    for (int shared = 0; shared < 2; shared++) {
        struct target_scene s;

        open_scene_with(&s, shared ? AGPU_BACKING_GUEST : AGPU_BACKING_HOST, shared ? sequence : NULL);
        const D3D10DDI_HRENDERTARGETVIEW views[] = {s.rtvs[0], s.rtvs[5], s.rtvs[shared ? 1 : 0]};
        set_targets(&s.w, 3, views, NO_DS);
        set_srv(&s.w, true, 0, s.srvs[0]);
        assert_int_equal(targets(&s, 1)->color_count, 3);
        assert_int_equal(targets(&s, 1)->colors[0], 0);
        assert_int_equal(targets(&s, 1)->colors[1], handle(&s, 5));
        assert_int_equal(targets(&s, 1)->colors[2], 0);
        close_scene(&s);
    }
}

TEST(RTV_12_srv_removes_depth)
{
    struct target_scene s;
    open_scene_with(&s, AGPU_BACKING_GUEST, NULL);
    set_targets(&s.w, 1, s.rtvs, s.dsv);
    set_srv(&s.w, true, 3, s.depth_srv);
    assert_int_equal(targets(&s, 1)->depth_stencil, 0);
    assert_int_equal(targets(&s, 1)->color_count, 1);
    assert_int_equal(targets(&s, 1)->colors[0], handle(&s, 0));
    draw(&s);
    flush(&s.w);
    assert_int_equal(listed(&s.w, 0, res(s.depth)->alloc_handle), 0);
    assert_int_equal(listed(&s.w, 0, res(s.textures[0])->alloc_handle), 1);
    close_scene(&s);
}

TEST(RTV_13_and_14_target_removes_srvs)
{
    struct target_scene s;
    open_scene(&s);
    set_srv(&s.w, false, 0, s.srvs[0]);
    set_srv(&s.w, true, 0, s.srvs[0]);
    set_srv(&s.w, true, 1, s.srvs[1]);
    flush(&s.w);
    set_targets(&s.w, 1, s.rtvs, NO_DS);
    assert_int_equal(recorded_total(&s.w), 3);
    expect_texture(&s, 0, 0, 0, 0);
    expect_texture(&s, 1, 1, 0, 0);
    assert_int_equal(recorded_index(&s.w, AEROGPU_CMD_SET_RENDER_TARGETS, 0), 2);
    assert_non_null(device_of(&s.w)->imm.stages[AGPU_STAGE_PS].views[1].resource);
    close_scene(&s);
}

TEST(RTV_15_depth_removes_srvs)
{
    static const D3DKMT_HANDLE sequence[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 0};
    for (int shared = 0; shared < 2; shared++) {
        struct target_scene s;

        open_scene_with(&s, AGPU_BACKING_GUEST, shared ? sequence : NULL);
        set_srv(&s.w, true, 0, shared ? s.srvs[9] : s.depth_srv);
        flush(&s.w);
        set_targets(&s.w, 0, NULL, s.dsv);
        expect_texture(&s, 0, 1, 0, 0);
        assert_int_equal(recorded_index(&s.w, AEROGPU_CMD_SET_RENDER_TARGETS, 0), 1);
        close_scene(&s);
    }
}

TEST(RTV_16_stale_depth_view)
{
    struct target_scene s;
    open_scene(&s);
    struct agpu_view empty = {.resource = NULL};
    set_targets(&s.w, 1, s.rtvs, (D3D10DDI_HDEPTHSTENCILVIEW){&empty});
    assert_int_equal(targets(&s, 0)->depth_stencil, 0);
    assert_null(device_of(&s.w)->imm.targets.depth.resource);
    close_scene(&s);
}

TEST(RTV_17_no_room_for_the_second_step)
{
    struct target_scene s;
    open_scene(&s);
    set_srv(&s.w, false, 0, s.srvs[0]);
    set_srv(&s.w, true, 0, s.srvs[0]);
    world_bound_stream(&s.w, 24); /* one SET_TEXTURE */
    set_targets(&s.w, 1, s.rtvs, NO_DS);
    expect_errors(&s.w, 1, E_OUTOFMEMORY);
    assert_int_equal(recorded_total(&s.w), 1);
    assert_null(device_of(&s.w)->imm.stages[AGPU_STAGE_VS].views[0].resource);
    assert_ptr_equal(device_of(&s.w)->imm.stages[AGPU_STAGE_PS].views[0].resource, res(s.textures[0]));
    assert_int_equal(device_of(&s.w)->imm.targets.count, 0);
    world_bound_stream(&s.w, 4096);
    close_scene(&s);
}

TEST(RTV_18_and_ALC_28_draw_list)
{
    struct target_scene s;
    open_scene_with(&s, AGPU_BACKING_GUEST, NULL);
    struct world *w = &s.w;
    D3D10DDI_HRESOURCE vb = make_buffer(w, 16, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    D3D10DDI_HRESOURCE ib = make_buffer(w, 16, 0, D3D10_DDI_BIND_INDEX_BUFFER, 0);
    D3D10DDI_HRESOURCE cb = make_buffer(w, 16, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    flush(w);
    const uint32_t stride = 16, offset = 0;
    w->ctx.pfnIaSetVertexBuffers(w->device, 0, 1, &vb, &stride, &offset);
    w->ctx.pfnIaSetIndexBuffer(w->device, ib, 57, 0);
    w->ctx.pfnVsSetConstantBuffers(w->device, 0, 1, &cb);
    set_srv(w, true, 0, s.srvs[1]);
    set_targets(w, 1, s.rtvs, s.dsv);
    draw(&s);
    fake_forget(&w->fake);
    flush(w);
    w->ctx.pfnSetMarker(w->device, "nothing that refers to them");
    flush(w); /* the second submission lists the allocations of existing bindings again */
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(listed(w, i, res(vb)->alloc_handle), 0);
        assert_int_equal(listed(w, i, res(ib)->alloc_handle), 0);
        assert_int_equal(listed(w, i, res(cb)->alloc_handle), 0);
        assert_int_equal(listed(w, i, res(s.textures[1])->alloc_handle), 0);
        assert_int_equal(listed(w, i, res(s.textures[0])->alloc_handle), 1);
        assert_int_equal(listed(w, i, res(s.depth)->alloc_handle), 1);
        assert_int_equal(w->fake.submissions[i].list_count, 6);
    }
    free_resource(w, vb);
    free_resource(w, ib);
    free_resource(w, cb);
    flush(w); /* destroyed resources are not listed */
    assert_int_equal(w->fake.submissions[w->fake.submission_count - 1].list_count, 3);
    close_scene(&s);
}

TEST(ALC_27_unbound_before_submission)
{
    struct target_scene s;
    open_scene_with(&s, AGPU_BACKING_GUEST, NULL);
    D3D10DDI_HRESOURCE vb = make_buffer(&s.w, 16, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    flush(&s.w);
    fake_forget(&s.w.fake);
    const uint32_t stride = 16, offset = 0;
    const D3D10DDI_HRESOURCE null = {NULL};
    s.w.ctx.pfnIaSetVertexBuffers(s.w.device, 0, 1, &vb, &stride, &offset);
    draw(&s);
    s.w.ctx.pfnIaSetVertexBuffers(s.w.device, 0, 1, &null, &stride, &offset);
    flush(&s.w);
    assert_int_equal(listed(&s.w, 0, res(vb)->alloc_handle), 0);
    free_resource(&s.w, vb);
    close_scene(&s);
}

TEST(RTV_19_and_26_unchanged_srvs)
{
    struct target_scene s;
    open_scene(&s);
    s.w.ctx.pfnPsSetShaderResources(s.w.device, 0, 4, s.srvs);
    assert_int_equal(recorded(&s.w, AEROGPU_CMD_SET_TEXTURE), 4);
    uint32_t before = recorded_total(&s.w);
    s.w.ctx.pfnPsSetShaderResources(s.w.device, 0, 4, s.srvs);
    set_srv(&s.w, false, 7, NO_SV);
    assert_int_equal(recorded_total(&s.w), before);
    close_scene(&s);
}

TEST(RTV_20_view_of_destroyed_resource)
{
    struct target_scene s;
    open_scene(&s);
    D3D10DDI_HRESOURCE gone = make_texture(&s.w, 28, 4, 4, 0, RT, 0);
    D3D10DDI_HRENDERTARGETVIEW view = make_rtv(&s.w, gone);
    free_resource(&s.w, gone);
    flush(&s.w);
    set_targets(&s.w, 1, &view, NO_DS);
    assert_int_equal(targets(&s, 0)->color_count, 1);
    assert_int_equal(targets(&s, 0)->colors[0], 0);
    free_rtv(&s.w, view);
    close_scene(&s);
}

TEST(RTV_21_and_27_destroy_while_bound)
{
    struct target_scene s;
    open_scene(&s);
    D3D10DDI_HRESOURCE texture = make_texture(&s.w, 28, 4, 4, 0, RT | SRV, 0);
    D3D10DDI_HRENDERTARGETVIEW view = make_rtv(&s.w, texture);
    D3D10DDI_HSHADERRESOURCEVIEW srv_view = make_srv(&s.w, texture);
    const D3D10DDI_HRENDERTARGETVIEW both[] = {s.rtvs[0], view};
    set_targets(&s.w, 2, both, NO_DS);
    flush(&s.w);
    uint32_t old = res(texture)->handle;
    drop_resource(&s.w, texture);
    assert_int_equal(targets(&s, 0)->color_count, 2);
    assert_int_equal(targets(&s, 0)->colors[0], handle(&s, 0));
    assert_int_equal(targets(&s, 0)->colors[1], 0);
    const struct aerogpu_cmd_destroy_resource *packet = recorded_at(&s.w, AEROGPU_CMD_DESTROY_RESOURCE, 0);
    assert_int_equal(packet->resource_handle, old);
    assert_true(recorded_index(&s.w, AEROGPU_CMD_SET_RENDER_TARGETS, 0) <
                recorded_index(&s.w, AEROGPU_CMD_DESTROY_RESOURCE, 0));
    free_rtv(&s.w, view);
    free_srv(&s.w, srv_view);
    free(texture.pDrvPrivate);
    flush(&s.w);
    texture = make_texture(&s.w, 28, 4, 4, 0, SRV, 0);
    srv_view = make_srv(&s.w, texture);
    set_srv(&s.w, false, 2, srv_view);
    set_srv(&s.w, true, 1, srv_view);
    flush(&s.w);
    drop_resource(&s.w, texture);
    assert_int_equal(recorded_total(&s.w), 3);
    expect_texture(&s, 0, 1, 1, 0); /* in the order of slots */
    expect_texture(&s, 1, 0, 2, 0);
    assert_int_equal(recorded_index(&s.w, AEROGPU_CMD_DESTROY_RESOURCE, 0), 2);
    free_srv(&s.w, srv_view);
    free(texture.pDrvPrivate);
    close_scene(&s);
}

TEST(RTV_22_three_hits)
{
    struct target_scene s;
    open_scene(&s);
    set_targets(&s.w, 3, s.rtvs, s.dsv);
    flush(&s.w);
    const D3D10DDI_HSHADERRESOURCEVIEW views[] = {s.srvs[0], s.srvs[2], s.depth_srv};
    s.w.ctx.pfnPsSetShaderResources(s.w.device, 0, 3, views);
    assert_int_equal(recorded(&s.w, AEROGPU_CMD_SET_RENDER_TARGETS), 3);
    assert_int_equal(recorded(&s.w, AEROGPU_CMD_SET_TEXTURE), 3);
    assert_int_equal(recorded_index(&s.w, AEROGPU_CMD_SET_RENDER_TARGETS, 2), 2);
    assert_int_equal(targets(&s, 0)->colors[2], handle(&s, 2));
    assert_int_equal(targets(&s, 1)->colors[2], 0);
    assert_int_equal(targets(&s, 1)->depth_stencil, res(s.depth)->handle);
    assert_int_equal(targets(&s, 2)->depth_stencil, 0);
    assert_int_equal(targets(&s, 2)->color_count, 3);
    close_scene(&s);
}

TEST(RTV_23_nulls_and_overflow)
{
    struct target_scene s;
    open_scene(&s);
    const D3D10DDI_HRENDERTARGETVIEW views[] = {s.rtvs[0], NO_RT, s.rtvs[2], NO_RT,     NO_RT,
                                                NO_RT,     NO_RT, s.rtvs[7], s.rtvs[8], s.rtvs[9]};
    set_targets(&s.w, 10, views, NO_DS);
    static const int expected[] = {0, -1, 2, -1, -1, -1, -1, 7};
    assert_int_equal(targets(&s, 0)->color_count, 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(targets(&s, 0)->colors[i], expected[i] < 0 ? 0 : handle(&s, expected[i]));
    }
    close_scene(&s);
}

TEST(RTV_25_explicit_views_alias_by_resource)
{
    struct target_scene s;
    open_scene(&s);
    HRESULT hr;
    const D3D10DDIARG_CREATERENDERTARGETVIEW rtv_desc = {.hDrvResource = s.textures[0], .Format = 29};
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW srv_desc = {.hDrvResource = s.textures[0], .Format = 29};
    D3D10DDI_HRENDERTARGETVIEW view = try_rtv(&s.w, &rtv_desc, &hr);
    D3D10DDI_HSHADERRESOURCEVIEW srv_view = try_srv(&s.w, &srv_desc, &hr);
    set_srv(&s.w, true, 0, srv_view);
    expect_texture(&s, 0, 1, 0, srv(srv_view)->handle);
    set_targets(&s.w, 1, &view, NO_DS);
    expect_texture(&s, 1, 1, 0, 0);
    assert_int_equal(targets(&s, 0)->colors[0], rtv(view)->handle);
    free_rtv(&s.w, view);
    free_srv(&s.w, srv_view);
    close_scene(&s);
}

TEST(RTV_28_room_for_one_packet)
{
    struct target_scene s;
    open_scene(&s);
    set_targets(&s.w, 1, s.rtvs, NO_DS);
    world_bound_stream(&s.w, 48);
    set_srv(&s.w, true, 0, s.srvs[0]);
    expect_errors(&s.w, 1, E_OUTOFMEMORY);
    assert_int_equal(targets(&s, 0)->colors[0], 0);
    assert_null(device_of(&s.w)->imm.targets.colors[0].resource);
    assert_null(device_of(&s.w)->imm.stages[AGPU_STAGE_PS].views[0].resource);
    world_bound_stream(&s.w, 4096);
    close_scene(&s);
}

/* A texture with 3 mips and 2 layers, and descriptions of views of one subresource. */
struct target_parts {
    struct world w;
    D3D10DDI_HRESOURCE texture;
    D3D10DDIARG_CREATESHADERRESOURCEVIEW srv_desc;
    D3D10DDIARG_CREATERENDERTARGETVIEW rtv_desc;
};
