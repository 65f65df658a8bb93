/* test_shared.c: resources that are rotated or shared (required behaviours PRS (rotation), SHR). */
#include "tests/unit/umd/resources.h"
#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"

#define NO_DS ((D3D10DDI_HDEPTHSTENCILVIEW){NULL})

static void draw(struct world *w)
{
    w->ctx.pfnDraw(w->device, 3, 0);
}

/* Three buffers of a swapchain, with a view of each. */
struct shared_chain {
    struct world w;
    D3D10DDI_HRESOURCE buffers[3];
    D3D10DDI_HRENDERTARGETVIEW rtvs[3];
    D3D10DDI_HSHADERRESOURCEVIEW srvs[3];
    uint32_t handles[3];
};

static void open_chain(struct shared_chain *c)
{
    world_open(&c->w, AGPU_BACKING_HOST);
    for (int i = 0; i < 3; i++) {
        c->buffers[i] = make_texture(&c->w, 28, 4, 4, 0, RT | SRV, 0);
        c->rtvs[i] = make_rtv(&c->w, c->buffers[i]);
        c->srvs[i] = make_srv(&c->w, c->buffers[i]);
        c->handles[i] = res(c->buffers[i])->handle;
    }
    flush(&c->w);
}

static void close_chain(struct shared_chain *c)
{
    for (int i = 0; i < 3; i++) {
        free_rtv(&c->w, c->rtvs[i]);
        free_srv(&c->w, c->srvs[i]);
        free_resource(&c->w, c->buffers[i]);
    }
    world_close(&c->w);
}

static HRESULT rotate(struct shared_chain *c, const D3D10DDI_HRESOURCE *resources, uint32_t count)
{
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args = {resources, count};

    return c->w.dev.pfnRotateResourceIdentities(c->w.device, &args);
}

static void expect_textures(struct shared_chain *c, const uint32_t *expected, uint32_t count)
{
    assert_int_equal(recorded(&c->w, AEROGPU_CMD_SET_TEXTURE), count);
    for (uint32_t i = 0; i < count; i++) {
        const struct aerogpu_cmd_set_texture *packet = recorded_at(&c->w, AEROGPU_CMD_SET_TEXTURE, i);

        assert_int_equal(packet->slot, i / 2);
        assert_int_equal(packet->shader_stage, i % 2);
        assert_int_equal(packet->texture, expected[i]);
    }
}

TEST(PRS_08_and_22_rotate_views)
{
    struct shared_chain c;
    open_chain(&c);
    c.w.ctx.pfnVsSetShaderResources(c.w.device, 0, 2, c.srvs);
    c.w.ctx.pfnPsSetShaderResources(c.w.device, 0, 2, c.srvs);
    flush(&c.w);
    assert_int_equal(rotate(&c, c.buffers, 3), S_OK);
    const uint32_t expected[] = {c.handles[1], c.handles[1], c.handles[2], c.handles[2]};
    expect_textures(&c, expected, 4);
    const D3D10DDI_HSHADERRESOURCEVIEW none[2] = {{NULL}, {NULL}};
    c.w.ctx.pfnVsSetShaderResources(c.w.device, 0, 2, none);
    c.w.ctx.pfnPsSetShaderResources(c.w.device, 0, 2, none);
    flush(&c.w);
    for (uint32_t slot = 0; slot < 2; slot++) {
        set_srv(&c.w, false, slot, c.srvs[slot]);
        set_srv(&c.w, true, slot, c.srvs[slot]);
    }
    expect_textures(&c, expected, 4);
    close_chain(&c);
}

TEST(PRS_10_rotate_without_room)
{
    struct shared_chain c;
    open_chain(&c);
    set_targets(&c.w, 1, c.rtvs, NO_DS);
    set_srv(&c.w, true, 0, c.srvs[1]);
    world_bound_stream(&c.w, 48); /* the targets, not the texture */
    assert_int_equal(rotate(&c, c.buffers, 3), E_OUTOFMEMORY);
    assert_int_equal(recorded_total(&c.w), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(res(c.buffers[i])->handle, c.handles[i]);
    }
    world_bound_stream(&c.w, 4096);
    close_chain(&c);
}

/* Not in the list: targets that the CPU maps. Beside the identity, the rollback copy and the unsubmitted writes move
 * with the memory. Covers each pair of usages in each mode. */
TEST(rotate_mapped_targets)
{
    static const struct {
        uint32_t usage, access;
    } kinds[] = {{STAGING, CPU_R | CPU_W}, {STAGING, CPU_R}, {DEFAULT, 0}, {DYNAMIC, CPU_W}};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };

    for (uint32_t way = 0; way < 3 * KINDS * KINDS; way++) {
        const uint32_t pair[2] = {way % KINDS, way / KINDS % KINDS};
        struct shared_chain c;

        world_open(&c.w, all_modes[way / (KINDS * KINDS)]);
        for (uint32_t i = 0; i < 2; i++) {
            c.buffers[i] =
                make_texture(&c.w, 28, 4, 4, kinds[pair[i]].usage, RT | SRV, kinds[pair[i]].access);
            c.handles[i] = res(c.buffers[i])->handle;
        }
        D3D10DDI_HRESOURCE source = make_texture(&c.w, 28, 4, 4, DEFAULT, SRV, 0);
        if (map(&c.w, c.buffers[0], 0, kinds[pair[0]].usage == DYNAMIC ? DISCARD : WRITE, 0, &m) == S_OK) {
            unmap(&c.w, c.buffers[0], 0);
        }
        flush(&c.w);
        copy_all(&c.w, c.buffers[1], source);
        const bool pending = res(c.buffers[1])->pending_link != NULL;
        assert_int_equal(rotate(&c, c.buffers, 2), S_OK);
        assert_int_equal(res(c.buffers[0])->handle, c.handles[1]);
        if (pair[0] == pair[1]) { /* only a readable resource waits for it */
            assert_int_equal(res(c.buffers[0])->pending_link != NULL, pending);
        }
        assert_null(res(c.buffers[1])->pending_link);
        flush(&c.w);
        for (uint32_t i = 0; i < 2; i++) {
            if (map(&c.w, c.buffers[i], 0, kinds[pair[i]].usage == DYNAMIC ? DISCARD : WRITE, 0, &m) ==
                S_OK) {
                unmap(&c.w, c.buffers[i], 0);
            }
        }
        free_resource(&c.w, c.buffers[0]);
        free_resource(&c.w, c.buffers[1]);
        free_resource(&c.w, source);
        world_close(&c.w);
    }
}

/* Not in the list: explicit views name a texture and are created again under their old number. */
TEST(rotate_explicit_views)
{
    struct shared_chain c;
    open_chain(&c);
    HRESULT hr;
    const D3D10DDIARG_CREATERENDERTARGETVIEW desc = {.hDrvResource = c.buffers[0], .Format = 29};
    D3D10DDI_HRENDERTARGETVIEW view = try_rtv(&c.w, &desc, &hr);
    set_targets(&c.w, 1, &view, NO_DS);
    flush(&c.w);
    assert_int_equal(rotate(&c, c.buffers, 3), S_OK);
    const struct aerogpu_cmd_destroy_texture_view *destroy =
        recorded_at(&c.w, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, 0);
    const struct aerogpu_cmd_create_texture_view *create_view =
        recorded_at(&c.w, AEROGPU_CMD_CREATE_TEXTURE_VIEW, 0);
    const struct aerogpu_cmd_set_render_targets *set = recorded_at(&c.w, AEROGPU_CMD_SET_RENDER_TARGETS, 0);
    assert_int_equal(destroy->view_handle, rtv(view)->handle);
    assert_int_equal(create_view->view_handle, rtv(view)->handle);
    assert_int_equal(create_view->texture_handle, c.handles[1]);
    assert_int_equal(set->colors[0], rtv(view)->handle);
    free_rtv(&c.w, view);
    close_chain(&c);
}

static HRESULT open_blob(struct world *w, D3D10DDI_HRESOURCE resource, const void *blob, uint32_t bytes,
                         uint32_t allocations)
{
    const D3DDDI_OPENALLOCATIONINFO info = {
        .hAllocation = 0x55, .pPrivateDriverData = blob, .PrivateDriverDataSize = bytes};
    const D3D10DDIARG_OPENRESOURCE args = {
        .NumAllocations = allocations, .pOpenAllocationInfo = &info, .hKMResource = 0x66, .BindFlags = SRV};

    return w->dev.pfnOpenResource(w->device, &args, resource, (D3D10DDI_HRTRESOURCE){NULL});
}

static struct aerogpu_wddm_alloc_priv_v2 shared_v1(uint64_t desc, uint64_t bytes)
{
    return (struct aerogpu_wddm_alloc_priv_v2){
        .magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC,
        .version = 1,
        .alloc_id = 0x123,
        .flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED,
        .share_token = 0xABCDEF,
        .size_bytes = bytes,
        .reserved0 = desc,
    };
}

HOST_TEST(SHR_02_v1_buffers)
{
    struct aerogpu_wddm_alloc_priv_v2 blob = shared_v1(0, 100);
    D3D10DDI_HRESOURCE alias = new_resource(w);
    assert_int_equal(open_blob(w, alias, &blob, 40, 1), S_OK);
    assert_int_equal(res(alias)->kind, AGPU_KIND_BUFFER);
    assert_int_equal(res(alias)->byte_width, 100);
    assert_int_equal(res(alias)->bytes, 100);
    free_resource(w, alias);
    blob.size_bytes = 99; /* padded for the device only */
    alias = new_resource(w);
    assert_int_equal(open_blob(w, alias, &blob, 40, 1), S_OK);
    assert_int_equal(res(alias)->byte_width, 99);
    assert_int_equal(res(alias)->bytes, 100);
    free_resource(w, alias);
    blob.size_bytes = 0;
    alias = new_resource(w);
    assert_int_equal(open_blob(w, alias, &blob, 40, 1), E_INVALIDARG);
    assert_int_equal(res(alias)->handle, 0);
    free_resource(w, alias);
}

WDK_TEST(SHR_08_and_16_and_17_export_once_and_aliases)
{
    struct agpu_resource_desc desc = texture_desc(87, 8, 8, 0, RT | SRV, 0);
    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    D3D10DDI_HRESOURCE original = make(w, &desc), aliases[2];
    const struct aerogpu_wddm_alloc_priv_v2 blob = w->fake.allocations[0].blob;
    D3D10DDI_HSHADERRESOURCEVIEW views[2];
    for (int i = 0; i < 2; i++) {
        const D3DDDI_OPENALLOCATIONINFO info = {(D3DKMT_HANDLE)(0x70 + i), &blob, sizeof blob};
        const D3D10DDIARG_OPENRESOURCE args = {
            .NumAllocations = 1, .pOpenAllocationInfo = &info, .BindFlags = SRV};

        aliases[i] = new_resource(w);
        assert_int_equal(w->dev.pfnOpenResource(w->device, &args, aliases[i], (D3D10DDI_HRTRESOURCE){NULL}),
                         S_OK);
        assert_int_equal(captured(w, w->fake.submission_count - 1, AEROGPU_CMD_IMPORT_SHARED_SURFACE), 1);
        assert_int_equal(res(aliases[i])->share_token, res(original)->share_token);
        assert_int_equal(res(aliases[i])->alloc_id, res(original)->alloc_id);
        views[i] = make_srv(w, aliases[i]);
        set_srv(w, true, (uint32_t)i, views[i]);
    }
    draw(w);
    fake_forget(&w->fake);
    flush(w);
    assert_int_equal(w->fake.submissions[0].list_count, 1);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_EXPORT_SHARED_SURFACE),
                     0); /* exported at creation, not again */
    for (int i = 0; i < 2; i++) {
        free_srv(w, views[i]);
        res(aliases[i])->alloc_handle = 0; /* the fake does not have the opened handles */
        res(aliases[i])->km_resource = 0;
        free_resource(w, aliases[i]);
    }
    free_resource(w, original);
    expect_errors(w, 0, S_OK);
}
