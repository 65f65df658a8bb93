/* test_repeats.c: state calls without a change leave no packet if the table of umd.md 10 says so (WDK mode; the
 * portable reference drops fewer). Also parts of ClearState and polling that have no number. */
#include "tests/unit/umd/views.h"

static struct world w;

static D3D11DDI_HUNORDEREDACCESSVIEW make_uav(D3D10DDI_HRESOURCE buffer)
{
    const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW desc = {.hDrvResource = buffer};
    D3D11DDI_HUNORDEREDACCESSVIEW view = {object(sizeof(struct agpu_view))};

    assert_int_equal(
        w.dev.pfnCreateUnorderedAccessView(w.device, &desc, view, (D3D11DDI_HRTUNORDEREDACCESSVIEW){NULL}),
        S_OK);
    return view;
}

static uint32_t bind_uavs(uint32_t count, const D3D11DDI_HUNORDEREDACCESSVIEW *views, const uint32_t *counts)
{
    flush(&w);
    w.ctx.pfnCsSetUnorderedAccessViews(w.device, 0, count, views, counts);
    return recorded(&w, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS);
}

TEST(unordered_access)
{
    static const enum agpu_backing_mode modes[] = {AGPU_BACKING_WDK, AGPU_BACKING_HOST};
    for (int i = 0; i < 2; i++) {
        uint32_t repeat = modes[i] == AGPU_BACKING_WDK ? 0 : 1;

        world_open(&w, modes[i]);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, 64, 0, D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
        D3D11DDI_HUNORDEREDACCESSVIEW views[2] = {make_uav(buffer), {NULL}};
        const uint32_t keep[2] = {UINT32_MAX, UINT32_MAX}, reset[2] = {UINT32_MAX, 0};
        assert_int_equal(bind_uavs(2, views, NULL), 1);
        assert_int_equal(bind_uavs(2, views, NULL), repeat);
        assert_int_equal(bind_uavs(2, views, keep), repeat);
        assert_int_equal(bind_uavs(2, views, reset), 1); /* it sets a counter */
        assert_int_equal(bind_uavs(1, views, NULL), repeat);
        assert_int_equal(bind_uavs(1, &views[1], NULL), 1); /* unbinds */
        assert_int_equal(bind_uavs(1, &views[1], NULL), repeat);
        w.dev.pfnDestroyUnorderedAccessView(w.device, views[0]);
        free(views[0].pDrvPrivate);
        free_resource(&w, buffer);
        world_close(&w);
    }
}

/* A view that reads the buffer removes it from the slot, so binding it again is not a repeat. */
TEST(unordered_access_after_a_hazard)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer =
        make_buffer(&w, 64, 0, D3D11_DDI_BIND_UNORDERED_ACCESS | D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    D3D11DDI_HUNORDEREDACCESSVIEW view = make_uav(buffer);
    D3D10DDI_HSHADERRESOURCEVIEW reader = make_srv(&w, buffer);
    assert_int_equal(bind_uavs(1, &view, NULL), 1);
    w.ctx.pfnCsSetShaderResources(w.device, 0, 1, &reader);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS), 2);
    assert_int_equal(bind_uavs(1, &view, NULL), 1);
    w.dev.pfnDestroyUnorderedAccessView(w.device, view);
    free(view.pDrvPrivate);
    free_srv(&w, reader);
    world_close(&w);
}

/* State in a lost submission did not reach the device, so setting it again is not a repeat. */
TEST(lost_state_is_sent_again)
{
    for (enum agpu_backing_mode mode = AGPU_BACKING_WDK; mode <= AGPU_BACKING_HOST; mode++) {
        world_open(&w, mode);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, 64, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
        D3D10DDI_HRESOURCE texture = make_texture(&w, 87, 4, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
        D3D10DDI_HSHADERRESOURCEVIEW view = make_srv(&w, texture);
        flush(&w);
        for (int round = 0; round < 3; round++) {
            w.ctx.pfnIaSetTopology(w.device, 5);
            w.ctx.pfnVsSetConstantBuffers(w.device, 0, 1, &buffer);
            w.ctx.pfnPsSetShaderResources(w.device, 0, 1, &view);
            assert_int_equal(recorded(&w, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY), 1);
            assert_int_equal(recorded(&w, AEROGPU_CMD_SET_CONSTANT_BUFFERS), 1);
            assert_int_equal(recorded(&w, AEROGPU_CMD_SET_TEXTURE), 1);
            w.fake.fail[FAKE_RENDER] = round < 2 ? E_OUTOFMEMORY : S_OK;
            assert_int_equal(flush(&w), round < 2 ? E_OUTOFMEMORY : S_OK);
        }
        w.fake.error_count = 0;
        free_srv(&w, view);
        free_resource(&w, texture);
        free_resource(&w, buffer);
        world_close(&w);
    }
}

/* Another buffer is a change, even of the same size. */
TEST(another_buffer_of_the_same_size)
{
    for (enum agpu_backing_mode mode = AGPU_BACKING_WDK; mode <= AGPU_BACKING_HOST; mode++) {
        world_open(&w, mode);
        D3D10DDI_HRESOURCE buffers[3];
        for (int i = 0; i < 3; i++) {
            buffers[i] = make_buffer(&w, i < 2 ? 64 : 128, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
        }
        flush(&w);
        for (uint32_t i = 0; i < 6; i++) {
            w.ctx.pfnVsSetConstantBuffers(w.device, 0, 1, &buffers[i % 3]);
            const struct aerogpu_cmd_set_constant_buffers *packet =
                recorded_at(&w, AEROGPU_CMD_SET_CONSTANT_BUFFERS, i);
            const struct aerogpu_constant_buffer_binding *binding = (const void *)(packet + 1);
            assert_int_equal(binding->buffer, res(buffers[i % 3])->handle);
            assert_int_equal(binding->size_bytes, i % 3 < 2 ? 64 : 128);
        }
        for (int i = 0; i < 3; i++) {
            free_resource(&w, buffers[i]);
        }
        world_close(&w);
    }
}

/* Targets without room and refused unordered access views: one call reports one error. */
TEST(targets_and_uavs_report_once)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE texture = make_texture(&w, 87, 4, 4, 0, D3D10_DDI_BIND_RENDER_TARGET, 0);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 64, 0, D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
    const D3D10DDI_HRENDERTARGETVIEW target = make_rtv(&w, texture);
    const D3D11DDI_HUNORDEREDACCESSVIEW view = make_uav(buffer);
    const D3D10DDI_HDEPTHSTENCILVIEW none = {NULL};
    flush(&w);
    w.ctx.pfnSetRenderTargetsAndUnorderedAccessViews(w.device, &target, 1, none, &view, NULL, 1, 1);
    expect_errors(&w, 1, E_NOTIMPL);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_RENDER_TARGETS), 1);
    w.ctx.pfnSetRenderTargetsAndUnorderedAccessViews(w.device, NULL, 1, none, &view, NULL, 1, 1);
    expect_errors(&w, 1, E_INVALIDARG);
    world_bound_stream(&w, 16);
    w.ctx.pfnSetRenderTargetsAndUnorderedAccessViews(w.device, &target, 1, none, &view, NULL, 1, 1);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    world_bound_stream(&w, 4096);
    w.dev.pfnDestroyUnorderedAccessView(w.device, view);
    free(view.pDrvPrivate);
    free_rtv(&w, target);
    world_close(&w);
}

/* ClearState empties the tessellation stages too, with packets only for bound objects. */
TEST(clear_state_of_tessellation)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 64, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    const struct agpu_context *context = &device_of(&w)->imm;
    w.ctx.pfnClearState(w.device);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_CONSTANT_BUFFERS), 4);
    w.ctx.pfnHsSetConstantBuffers(w.device, 2, 1, &buffer);
    w.ctx.pfnDsSetConstantBuffers(w.device, 0, 1, &buffer);
    flush(&w);
    w.ctx.pfnClearState(w.device);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_CONSTANT_BUFFERS), 6);
    const struct aerogpu_cmd_set_constant_buffers *hull =
        recorded_at(&w, AEROGPU_CMD_SET_CONSTANT_BUFFERS, 4);
    assert_int_equal(hull->reserved0, AEROGPU_SHADER_STAGE_EX_HULL);
    assert_int_equal(hull->start_slot, 0);
    assert_int_equal(hull->buffer_count, 3);
    assert_int_equal(context->stages[AGPU_STAGE_HS].constant_top, 0);
    assert_int_equal(context->stages[AGPU_STAGE_DS].constant_top, 0);
    world_close(&w);
}

/* A caller that polls a staging resource needs no other call: the poll submits the pending copy. */
TEST(staging_busy_ends)
{
    world_open(&w, AGPU_BACKING_WDK);
    w.fake.async = true;
    D3D10DDI_HRESOURCE src = make_buffer(&w, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    D3D10DDI_HRESOURCE dst = make_buffer(&w, 64, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ);
    flush(&w);
    fake_complete(&w.fake, w.fake.fence);
    assert_int_equal(w.ctx.pfnResourceIsStagingBusy(w.device, dst), 0);
    w.ctx.pfnResourceCopy(w.device, dst, src);
    uint32_t submissions = w.fake.submission_count;
    assert_int_equal(w.ctx.pfnResourceIsStagingBusy(w.device, dst), 1);
    assert_int_equal(w.fake.submission_count, submissions + 1);
    assert_int_equal(w.ctx.pfnResourceIsStagingBusy(w.device, dst), 1);
    assert_int_equal(w.fake.submission_count, submissions + 1);
    fake_complete(&w.fake, w.fake.fence);
    assert_int_equal(w.ctx.pfnResourceIsStagingBusy(w.device, dst), 0);
    w.ctx.pfnResourceCopy(w.device, dst, src);
    w.fake.fail[FAKE_RENDER] = E_OUTOFMEMORY; /* lost with its submission: nothing to wait for */
    assert_int_equal(w.ctx.pfnResourceIsStagingBusy(w.device, dst), 0);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    w.fake.fail[FAKE_RENDER] = S_OK;
    free_resource(&w, dst);
    free_resource(&w, src);
    fake_complete(&w.fake, w.fake.fence);
    world_close(&w);
}
