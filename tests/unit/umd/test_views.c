/* test_views.c: views (required behaviours VIW). */
#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"

#define RT    D3D10_DDI_BIND_RENDER_TARGET
#define SRV   D3D10_DDI_BIND_SHADER_RESOURCE
#define NO_DS ((D3D10DDI_HDEPTHSTENCILVIEW){NULL})
#define NO_SV ((D3D10DDI_HSHADERRESOURCEVIEW){NULL})

/* A device with ten textures of all bind flags, a depth buffer, and a view of each. */
struct view_scene {
    struct world w;
    D3D10DDI_HRESOURCE textures[10], depth;
    D3D10DDI_HRENDERTARGETVIEW rtvs[10];
    D3D10DDI_HSHADERRESOURCEVIEW srvs[10], depth_srv;
    D3D10DDI_HDEPTHSTENCILVIEW dsv;
};

/* A texture with 3 mips and 2 layers, and descriptions of views of one subresource. */
struct view_parts {
    struct world w;
    D3D10DDI_HRESOURCE texture;
    D3D10DDIARG_CREATESHADERRESOURCEVIEW srv_desc;
    D3D10DDIARG_CREATERENDERTARGETVIEW rtv_desc;
};

static void open_parts(struct view_parts *p)
{
    world_open(&p->w, AGPU_BACKING_HOST);
    struct agpu_resource_desc desc = texture_desc(87, 4, 4, 0, RT | SRV, 0);
    desc.MipLevels = 3;
    desc.ArraySize = 2;
    p->texture = make(&p->w, &desc);
    flush(&p->w);
    p->srv_desc = (D3D10DDIARG_CREATESHADERRESOURCEVIEW){
        .hDrvResource = p->texture,
        .ViewDimension = 4,
        .MostDetailedMip = 1,
        .MipLevels = 1,
        .FirstArraySlice = 1,
        .ArraySize = 1,
    };
    p->rtv_desc = (D3D10DDIARG_CREATERENDERTARGETVIEW){
        .hDrvResource = p->texture, .ViewDimension = 4, .MipSlice = 1, .FirstArraySlice = 1, .ArraySize = 1};
}

static void close_parts(struct view_parts *p)
{
    free_resource(&p->w, p->texture);
    world_close(&p->w);
}

TEST(VIW_01_to_04_explicit_views)
{
    struct view_parts p;
    HRESULT hr;
    open_parts(&p);
    D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(&p.w, &p.srv_desc, &hr);
    assert_int_equal(hr, S_OK);
    D3D10DDI_HRENDERTARGETVIEW target = try_rtv(&p.w, &p.rtv_desc, &hr);
    assert_int_equal(hr, S_OK);
    assert_int_equal(recorded(&p.w, AEROGPU_CMD_CREATE_TEXTURE_VIEW), 2);
    assert_int_not_equal(srv(view)->handle, rtv(target)->handle);
    for (uint32_t i = 0; i < 2; i++) {
        const struct aerogpu_cmd_create_texture_view *packet =
            recorded_at(&p.w, AEROGPU_CMD_CREATE_TEXTURE_VIEW, i);
        assert_int_equal(packet->view_handle, i ? rtv(target)->handle : srv(view)->handle);
        assert_int_not_equal(packet->view_handle, res(p.texture)->handle);
        assert_int_equal(packet->texture_handle, res(p.texture)->handle);
        assert_int_equal(packet->format, 1);
        assert_int_equal(packet->base_mip_level, 1);
        assert_int_equal(packet->mip_level_count, 1);
        assert_int_equal(packet->base_array_layer, 1);
        assert_int_equal(packet->array_layer_count, 1);
    }
    p.srv_desc.MipLevels = 2; /* VIW-02 */
    D3D10DDI_HSHADERRESOURCEVIEW two = try_srv(&p.w, &p.srv_desc, &hr);
    const struct aerogpu_cmd_create_texture_view *packet =
        recorded_at(&p.w, AEROGPU_CMD_CREATE_TEXTURE_VIEW, 2);
    assert_int_equal(packet->mip_level_count, 2);
    set_srv(&p.w, true, 0, view); /* VIW-03 */
    const struct aerogpu_cmd_set_texture *texture = recorded_at(&p.w, AEROGPU_CMD_SET_TEXTURE, 0);
    assert_int_equal(texture->texture, srv(view)->handle);
    set_srv(&p.w, true, 0, NO_SV);
    set_targets(&p.w, 1, &target, NO_DS);
    const struct aerogpu_cmd_set_render_targets *set = recorded_at(&p.w, AEROGPU_CMD_SET_RENDER_TARGETS, 0);
    assert_int_equal(set->colors[0], rtv(target)->handle);
    uint32_t handles[] = {srv(view)->handle, rtv(target)->handle}; /* VIW-04 */
    free_srv(&p.w, view);
    free_rtv(&p.w, target);
    for (uint32_t i = 0; i < 2; i++) {
        const struct aerogpu_cmd_destroy_texture_view *destroy =
            recorded_at(&p.w, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, i);
        assert_int_equal(destroy->view_handle, handles[i]);
    }
    free_srv(&p.w, two);
    close_parts(&p);
}

/* A range that starts at 0 and ends early is a part. A range that includes everything, in any notation, is the
 * whole. */
TEST(parts_from_the_begin)
{
    static const struct {
        uint32_t first_mip, mips, first_slice, slices;
        bool part;
    } rows[] = {
        {0, 3, 0, 2, false}, {0, 0, 0, 0, false}, {0, UINT32_MAX, 0, UINT32_MAX, false},
        {0, 1, 0, 2, true},  {0, 2, 0, 2, true},  {0, 3, 0, 1, true},
        {1, 0, 0, 0, true},  {0, 0, 1, 0, true},  {0, 1, 0, 1, true},
    };
    struct view_parts p;

    open_parts(&p);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        HRESULT hr;

        p.srv_desc.MostDetailedMip = rows[i].first_mip;
        p.srv_desc.MipLevels = rows[i].mips;
        p.srv_desc.FirstArraySlice = rows[i].first_slice;
        p.srv_desc.ArraySize = rows[i].slices;
        p.srv_desc.ViewDimension = AGPU_DDI_VIEW_TEXTURE2DARRAY;
        D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(&p.w, &p.srv_desc, &hr);
        assert_int_equal(hr, S_OK);
        assert_int_equal(srv(view)->handle != 0, rows[i].part);
        if (rows[i].part) {
            const struct aerogpu_cmd_create_texture_view *packet = recorded_at(
                &p.w, AEROGPU_CMD_CREATE_TEXTURE_VIEW, recorded(&p.w, AEROGPU_CMD_CREATE_TEXTURE_VIEW) - 1);
            assert_int_equal(packet->base_mip_level, rows[i].first_mip);
            assert_int_equal(packet->mip_level_count, rows[i].mips ? rows[i].mips : 3 - rows[i].first_mip);
            assert_int_equal(packet->base_array_layer, rows[i].first_slice);
            assert_int_equal(packet->array_layer_count,
                             rows[i].slices ? rows[i].slices : 2 - rows[i].first_slice);
        }
        free_srv(&p.w, view);
    }
    close_parts(&p);
}

TEST(VIW_05_trivial)
{
    struct view_parts p;
    HRESULT hr;
    open_parts(&p);
    p.srv_desc = (D3D10DDIARG_CREATESHADERRESOURCEVIEW){
        .hDrvResource = p.texture, .ViewDimension = 4, .MipLevels = 3, .ArraySize = 0xFFFFFFFF};
    D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(&p.w, &p.srv_desc, &hr);
    assert_int_equal(hr, S_OK);
    assert_int_equal(recorded_total(&p.w), 0);
    assert_int_equal(srv(view)->handle, 0);
    free_srv(&p.w, view);
    assert_int_equal(recorded_total(&p.w), 0);
    close_parts(&p);
}

TEST(VIW_06_and_10_gate)
{
    struct view_parts p;
    HRESULT hr;
    open_parts(&p);
    adapter_of(&p.w)->info.device_abi_version_u32 = 0x10003;
    D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(&p.w, &p.srv_desc, &hr);
    assert_int_equal(hr, E_NOTIMPL);
    assert_null(*(void **)view.pDrvPrivate);
    assert_int_equal(srv(view)->handle, 0);
    free_srv(&p.w, view);
    p.srv_desc.MostDetailedMip = 99; /* VIW-10: the gate is checked first */
    view = try_srv(&p.w, &p.srv_desc, &hr);
    assert_int_equal(hr, E_NOTIMPL);
    free_srv(&p.w, view);
    view = make_srv(&p.w, p.texture);
    assert_ptr_equal(*(void **)view.pDrvPrivate, p.texture.pDrvPrivate);
    free_srv(&p.w, view);
    view = try_srv(&p.w, NULL, &hr);
    assert_int_equal(hr, E_INVALIDARG);
    free_srv(&p.w, view);
    D3D10DDI_HRENDERTARGETVIEW target = try_rtv(&p.w, NULL, &hr);
    assert_int_equal(hr, E_INVALIDARG);
    free_rtv(&p.w, target);
    assert_int_equal(recorded_total(&p.w), 0);
    close_parts(&p);
}

TEST(VIW_07_out_of_range)
{
    static const uint32_t bad[][4] = {
        {3, 1, 0, 1}, {1, 3, 0, 1}, {0, 1, 2, 1}, {0, 1, 1, 2}, {0xFFFFFFFF, 1, 0, 1}};
    struct view_parts p;
    HRESULT hr;
    open_parts(&p);
    for (uint32_t i = 0; i < 5; i++) {
        p.srv_desc.MostDetailedMip = bad[i][0];
        p.srv_desc.MipLevels = bad[i][1];
        p.srv_desc.FirstArraySlice = bad[i][2];
        p.srv_desc.ArraySize = bad[i][3];
        D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(&p.w, &p.srv_desc, &hr);
        assert_int_equal(hr, E_INVALIDARG);
        assert_null(srv(view)->resource);
        free_srv(&p.w, view);
    }
    assert_int_equal(recorded_total(&p.w), 0);
    close_parts(&p);
}

HOST_TEST(VIW_08_buffers)
{
    HRESULT hr;

    D3D10DDI_HRESOURCE buffer = make_buffer(w, 64, 0, RT | SRV, 0);
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW desc = {.hDrvResource = buffer, .ViewDimension = 3};
    D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(w, &desc, &hr);
    assert_int_equal(hr, E_NOTIMPL);
    D3D10DDI_HRENDERTARGETVIEW target = make_rtv(w, buffer);
    flush(w);
    set_targets(w, 1, &target, NO_DS);
    const struct aerogpu_cmd_set_render_targets *set = recorded_at(w, AEROGPU_CMD_SET_RENDER_TARGETS, 0);
    assert_int_equal(set->colors[0], res(buffer)->handle);
    free_srv(w, view);
    free_rtv(w, target);
}

TEST(VIW_09_ignored_members)
{
    struct view_parts p;
    HRESULT hr;
    open_parts(&p);
    p.srv_desc = (D3D10DDIARG_CREATESHADERRESOURCEVIEW){
        .hDrvResource = p.texture, .ViewDimension = 3, .FirstArraySlice = 77, .ArraySize = 99};
    D3D10DDI_HSHADERRESOURCEVIEW view = try_srv(&p.w, &p.srv_desc, &hr);
    assert_int_equal(hr, S_OK);
    p.rtv_desc = (D3D10DDIARG_CREATERENDERTARGETVIEW){
        .hDrvResource = p.texture, .ViewDimension = 3, .FirstArraySlice = 5, .ArraySize = 7};
    D3D10DDI_HRENDERTARGETVIEW target = try_rtv(&p.w, &p.rtv_desc, &hr);
    assert_int_equal(hr, S_OK);
    assert_int_equal(recorded_total(&p.w), 0);
    p.rtv_desc.Format = 40;
    D3D10DDI_HRENDERTARGETVIEW other = try_rtv(&p.w, &p.rtv_desc, &hr);
    assert_int_equal(hr, E_NOTIMPL);
    free_srv(&p.w, view);
    free_rtv(&p.w, target);
    free_rtv(&p.w, other);
    close_parts(&p);
}
