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

TEST(PRS_07_rotate_targets)
{
    struct shared_chain c;
    open_chain(&c);
    set_targets(&c.w, 2, c.rtvs, NO_DS);
    flush(&c.w);
    assert_int_equal(rotate(&c, c.buffers, 3), S_OK);
    assert_int_equal(recorded_total(&c.w), 1);
    const struct aerogpu_cmd_set_render_targets *packet =
        recorded_at(&c.w, AEROGPU_CMD_SET_RENDER_TARGETS, 0);
    assert_int_equal(packet->color_count, 2);
    assert_int_equal(packet->colors[0], c.handles[1]);
    assert_int_equal(packet->colors[1], c.handles[2]);
    assert_int_equal(res(c.buffers[2])->handle, c.handles[0]);
    close_chain(&c);
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

TEST(PRS_09_cannot_rotate)
{
    struct shared_chain c;
    open_chain(&c);
    D3D10DDI_HRESOURCE plain = make_texture(&c.w, 28, 4, 4, 0, SRV, 0);
    D3D10DDI_HRESOURCE other_size = make_texture(&c.w, 28, 8, 4, 0, RT, 0);
    set_targets(&c.w, 2, c.rtvs, NO_DS);
    flush(&c.w);
    const D3D10DDI_HRESOURCE lists[][3] = {
        {c.buffers[0], c.buffers[0], c.buffers[1]},
        {c.buffers[0], {NULL}, c.buffers[1]},
        {c.buffers[0], plain, c.buffers[1]},
        {c.buffers[0], c.buffers[1], other_size},
    };
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rotate(&c, lists[i], 3), S_OK);
    }
    assert_int_equal(rotate(&c, c.buffers, 1), S_OK);
    res(c.buffers[1])->map.active = 1;
    assert_int_equal(rotate(&c, c.buffers, 3), S_OK);
    res(c.buffers[1])->map.active = 0;
    res(c.buffers[1])->is_shared = 1;
    assert_int_equal(rotate(&c, c.buffers, 3), S_OK);
    res(c.buffers[1])->is_shared = 0;
    assert_int_equal(recorded_total(&c.w), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(res(c.buffers[i])->handle, c.handles[i]);
    }
    free_resource(&c.w, plain);
    free_resource(&c.w, other_size);
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

WDK_TEST(SHR_01_v1_descriptors)
{
    static const struct {
        uint32_t d3d9, dxgi, bytes;
    } rows[] = {{21, 87, 4}, {22, 88, 4}, {23, 85, 2}, {24, 86, 2}, {25, 86, 2}, {32, 28, 4}, {33, 28, 4}};

    for (uint32_t i = 0; i < 7; i++) {
        const struct aerogpu_wddm_alloc_priv_v2 blob =
            shared_v1(AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(rows[i].d3d9, 33, 17), 0);
        D3D10DDI_HRESOURCE alias = new_resource(w);
        assert_int_equal(open_blob(w, alias, &blob, 40, 1), S_OK);
        assert_int_equal(res(alias)->kind, AGPU_KIND_TEXTURE2D);
        assert_int_equal(res(alias)->layout.width, 33);
        assert_int_equal(res(alias)->layout.height, 17);
        assert_int_equal(res(alias)->dxgi_format, rows[i].dxgi);
        assert_int_equal(res(alias)->layout.row_pitch, 33 * rows[i].bytes);
        uint32_t last = w->fake.submission_count - 1; /* at once, before the exporter can destroy it */
        assert_int_equal(captured(w, last, AEROGPU_CMD_CREATE_TEXTURE2D), 0);
        const struct aerogpu_cmd_import_shared_surface *packet =
            captured_at(w, last, AEROGPU_CMD_IMPORT_SHARED_SURFACE, 0);
        assert_int_equal(packet->out_resource_handle, res(alias)->handle);
        assert_int_equal(packet->share_token, 0xABCDEF);
        drop_resource(w, alias);
        free(alias.pDrvPrivate);
    }
    const struct aerogpu_wddm_alloc_priv_v2 unknown =
        shared_v1(AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(99, 33, 17), 0);
    D3D10DDI_HRESOURCE alias = new_resource(w);
    assert_int_equal(open_blob(w, alias, &unknown, 40, 1), E_INVALIDARG);
    free_resource(w, alias);
    w->fake.error_count = 0; /* the fake has no allocation 0x55 */
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

HOST_TEST(SHR_03_to_05_bad_records)
{
    const struct aerogpu_wddm_alloc_priv_v2 good = shared_v1(0, 100);
    struct aerogpu_wddm_alloc_priv_v2 bad[6];
    for (int i = 0; i < 6; i++) {
        bad[i] = good;
    }
    bad[0].magic++;
    bad[1].version = 3;
    bad[2].flags = 0;
    bad[3].share_token = 0;
    bad[4].alloc_id = 0;
    bad[5].version = 2;
    D3D10DDI_HRESOURCE alias = new_resource(w);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(open_blob(w, alias, &bad[i], 64, 1), E_INVALIDARG);
    }
    assert_int_equal(open_blob(w, alias, &good, 39, 1), E_INVALIDARG);
    assert_int_equal(open_blob(w, alias, &bad[5], 63, 1), E_INVALIDARG);
    assert_int_equal(open_blob(w, alias, NULL, 64, 1), E_INVALIDARG);
    assert_int_equal(open_blob(w, alias, &good, 40, 2), E_NOTIMPL);
    assert_int_equal(open_blob(w, alias, &good, 40, 0), E_INVALIDARG);
    assert_int_equal(recorded_total(w), 0);
    free_resource(w, alias);
}

WDK_TEST(SHR_08_and_16_and_17_export_once_and_aliases)
{
    D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 8, 8, 0, RT | SRV, 0);
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

/* Creates a shared 8x8 target, or an alias that is opened with the fake's record of the allocation. */
static D3D10DDI_HRESOURCE make_shared(struct world *w)
{
    D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 8, 8, 0, RT | SRV, 0);

    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    return make(w, &desc);
}

static D3D10DDI_HRESOURCE open_alias(struct world *w, D3D10DDI_HRESOURCE original)
{
    const struct fake_allocation *allocation = fake_find(&w->fake, res(original)->alloc_handle);
    struct fake_allocation *opened = &w->fake.allocations[w->fake.allocation_count++];

    *opened = *allocation;
    opened->handle = w->fake.next_handle++;
    const D3DDDI_OPENALLOCATIONINFO info = {opened->handle, &opened->blob, sizeof opened->blob};
    const D3D10DDIARG_OPENRESOURCE args = {
        .NumAllocations = 1, .pOpenAllocationInfo = &info, .hKMResource = 0x99, .BindFlags = SRV};
    D3D10DDI_HRESOURCE alias = new_resource(w);
    assert_int_equal(w->dev.pfnOpenResource(w->device, &args, alias, (D3D10DDI_HRTRESOURCE){NULL}), S_OK);
    return alias;
}

WDK_TEST(SHR_09_and_10_tokens_and_ids)
{
    D3D10DDI_HRESOURCE producers[8];
    D3D10DDI_HSHADERRESOURCEVIEW views[8];

    for (uint32_t i = 0; i < 8; i++) {
        producers[i] = make_shared(w);
        assert_int_not_equal(res(producers[i])->share_token, 0);
        for (uint32_t k = 0; k < i; k++) {
            assert_int_not_equal(res(producers[i])->share_token, res(producers[k])->share_token);
            assert_int_not_equal(res(producers[i])->alloc_id, res(producers[k])->alloc_id);
        }
        views[i] = make_srv(w, producers[i]);
        set_srv(w, true, i, views[i]);
    }
    draw(w);
    fake_forget(&w->fake);
    flush(w);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(listed(w, 0, res(producers[i])->alloc_handle), 0);
    }
    for (uint32_t i = 0; i < 8; i++) {
        free_srv(w, views[i]);
        free_resource(w, producers[i]);
    }
}

WDK_TEST(SHR_11_producer_closes_first)
{
    D3D10DDI_HRESOURCE original = make_shared(w), alias = open_alias(w, original);
    D3D10DDI_HSHADERRESOURCEVIEW view = make_srv(w, alias);
    uint32_t original_handle = res(original)->handle;
    set_srv(w, true, 0, view);
    fake_forget(&w->fake);
    free_resource(w, original);
    const struct aerogpu_cmd_destroy_resource *packet = captured_at(w, 0, AEROGPU_CMD_DESTROY_RESOURCE, 0);
    assert_int_equal(packet->resource_handle, original_handle);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_RELEASE_SHARED_SURFACE),
                     0); /* the kernel's task, after the last close */
    set_srv(w, true, 0, view);
    draw(w);
    flush(w);
    assert_int_equal(listed(w, 1, res(alias)->alloc_handle), 0);
    free_srv(w, view);
    free_resource(w, alias);
    expect_errors(w, 0, S_OK);
}

WDK_TEST(SHR_14_create_open_destroy_many_times)
{
    for (uint32_t i = 0; i < 200; i++) {
        D3D10DDI_HRESOURCE original = make_shared(w), alias = open_alias(w, original);

        free_resource(w, i % 2 ? original : alias);
        free_resource(w, i % 2 ? alias : original);
        fake_forget(&w->fake);
    }
    for (uint32_t i = 0; i < w->fake.allocation_count; i++) {
        assert_true(w->fake.allocations[i].freed);
    }
    expect_errors(w, 0, S_OK);
}
