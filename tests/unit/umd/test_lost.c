/* test_lost.c: the driver retains some packets of a lost submission and drops the others; results that the application
 * gets after the device is removed (umd.md 3.1, 12.3). */
#include "tests/unit/umd/resources.h"
#include "tests/unit/umd/views.h"

static struct world w;

/* Submits the recorded packets, which fails with this code and reports it; on Windows in both ways. */
static void lose(HRESULT hr)
{
    w.fake.fail[FAKE_RENDER] = hr;
    assert_int_equal(flush(&w), hr);
    expect_errors(&w, agpu_mode(device_of(&w)) == AGPU_BACKING_WDK, hr);
    w.fake.fail[FAKE_RENDER] = S_OK;
}

GROUP_FIXTURE(fill_pattern, NULL);

TEST(objects_and_contents_are_sent_again)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE used = make_buffer(&w, 16, DEFAULT, VB, 0);
    flush(&w);
    update(&w, used, 0, NULL, pattern, 0);
    const uint32_t stride = 4, offset = 0;
    w.ctx.pfnIaSetVertexBuffers(w.device, 0, 1, &used, &stride, &offset);
    w.ctx.pfnDraw(w.device, 3, 0);
    update(&w, used, 0, NULL, pattern + 16, 0); /* in the stream */
    D3D10DDI_HRESOURCE created = make_buffer(&w, 16, STAGING, 0, CPU_R);
    w.ctx.pfnResourceCopy(w.device, created, used);
    lose(E_OUTOFMEMORY);
    static const uint32_t kept[] = {AEROGPU_CMD_RESOURCE_DIRTY_RANGE, AEROGPU_CMD_CREATE_BUFFER,
                                    AEROGPU_CMD_UPLOAD_RESOURCE, AEROGPU_CMD_COPY_BUFFER,
                                    AEROGPU_CMD_CREATE_BUFFER};
    assert_int_equal(recorded_total(&w), 5);
    assert_int_equal(recorded_index(&w, kept[0], 0), 0);
    assert_int_equal(recorded_index(&w, kept[1], 0), 1); /* the driver's own buffer */
    assert_int_equal(recorded_index(&w, kept[2], 0), 2);
    assert_int_equal(recorded_index(&w, kept[3], 0), 3);
    assert_int_equal(recorded_index(&w, kept[4], 1), 4);
    assert_int_equal(res(created)->last_gpu_write_fence, 0);
    w.ctx.pfnDraw(w.device, 3, 0);
    fake_forget(&w.fake);
    flush(&w);
    assert_int_equal(w.fake.submission_count, 1);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_CREATE_BUFFER), 2);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_DRAW), 1);
    assert_true(listed(&w, 0, res(used)->alloc_handle) >= 0);
    assert_true(listed(&w, 0, res(created)->alloc_handle) >= 0);
    free_resource(&w, created);
    free_resource(&w, used);
    world_close(&w);
}

TEST(nothing_of_short_lived_objects)
{
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE texture = make_texture(&w, 28, 4, 4, DEFAULT, RT | SRV, 0);
    update(&w, texture, 0, NULL, pattern, 0);
    D3D10DDI_HRENDERTARGETVIEW view = make_rtv(&w, texture);
    set_targets(&w, 1, &view, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    free_resource(&w, texture);
    lose(E_OUTOFMEMORY);
    assert_int_equal(recorded_total(&w), 0);
    free_rtv(&w, view);
    world_close(&w);
}

/* While submissions fail, destruction of a resource removes all packets that name it. */
TEST(destroyed_meanwhile)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE known = make_buffer(&w, 16, DEFAULT, VB, 0);
    flush(&w);
    update(&w, known, 0, NULL, pattern, 0);
    D3D10DDI_HRESOURCE gone = make_texture(&w, 28, 4, 4, DEFAULT, SRV, 0);
    D3D10DDI_HRESOURCE kept = make_texture(&w, 28, 4, 4, DEFAULT, SRV, 0);
    uint32_t known_handle = res(known)->handle, kept_handle = res(kept)->handle;
    w.fake.fail[FAKE_RENDER] = E_OUTOFMEMORY;
    free_resource(&w, gone);
    free_resource(&w, known);
    expect_errors(&w, 2, E_OUTOFMEMORY);
    w.fake.fail[FAKE_RENDER] = S_OK;
    assert_int_equal(recorded_total(&w), 2);
    const struct aerogpu_cmd_create_texture2d *create_kept = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    const struct aerogpu_cmd_destroy_resource *destroy = recorded_at(&w, AEROGPU_CMD_DESTROY_RESOURCE, 0);
    assert_int_equal(create_kept->texture_handle, kept_handle);
    assert_int_equal(destroy->resource_handle, known_handle);
    fake_forget(&w.fake);
    flush(&w);
    assert_int_equal(w.fake.submissions[0].list_count, 1);
    assert_int_equal(listed(&w, 0, res(kept)->alloc_handle), 0);
    free_resource(&w, kept);
    world_close(&w);
}

TEST(a_packet_that_no_buffer_holds)
{
    world_fake(&w, AGPU_BACKING_WDK);
    w.fake.buffer_bytes = 1024;
    world_start(&w);
    D3D10DDI_HRESOURCE before = make_buffer(&w, 16, DEFAULT, VB, 0);
    static const uint8_t code[4096] = "DXBC";
    const D3D10DDIARG_CREATESHADER args = {code, sizeof code};
    struct agpu_shader shader;
    assert_int_equal(
        w.dev.pfnCreateVertexShader(w.device, &args, (D3D10DDI_HSHADER){&shader}, (D3D10DDI_HRTSHADER){NULL}),
        S_OK);
    D3D10DDI_HRESOURCE after = make_buffer(&w, 16, DEFAULT, VB, 0);
    assert_int_equal(flush(&w), E_OUTOFMEMORY);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    /* Packets in front of it were submitted; packets after it come with the next submission. */
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_CREATE_BUFFER), 1);
    assert_int_equal(recorded_total(&w), 1);
    assert_int_equal(recorded(&w, AEROGPU_CMD_CREATE_BUFFER), 1);
    assert_int_equal(flush(&w), S_OK);
    w.dev.pfnDestroyShader(w.device, (D3D10DDI_HSHADER){&shader});
    free_resource(&w, before);
    free_resource(&w, after);
    world_close(&w);
}

/* The retained packets may be the cause of the failure, so the driver drops them after 16 losses. */
TEST(not_for_ever)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DEFAULT, VB, 0);
    for (int i = 0; i < 16; i++) {
        lose(E_FAIL);
        assert_int_equal(recorded(&w, AEROGPU_CMD_CREATE_BUFFER), 1);
    }
    lose(E_FAIL);
    assert_int_equal(recorded_total(&w), 0);
    D3D10DDI_HRESOURCE later = make_buffer(&w, 16, DEFAULT, VB, 0);
    assert_int_equal(flush(&w), S_OK); /* the count starts again */
    D3D10DDI_HRESOURCE last = make_buffer(&w, 16, DEFAULT, VB, 0);
    for (int i = 0; i < 16; i++) {
        lose(E_FAIL);
        assert_int_equal(recorded(&w, AEROGPU_CMD_CREATE_BUFFER), 1);
    }
    assert_int_equal(flush(&w), S_OK);
    free_resource(&w, last);
    free_resource(&w, later);
    free_resource(&w, buffer);
    world_close(&w);
}

static HRESULT device_state(HANDLE device, D3DDDICB_GETDEVICESTATE *args)
{
    (void)device;
    args->Reason = DXGI_ERROR_DEVICE_RESET;
    return S_OK;
}

static void check_removed(HRESULT reason)
{
    assert_int_equal(w.dev.pfnGetDeviceRemovedReason(w.device), reason);
    assert_int_equal(w.dev.pfnCheckDeviceState(w.device), reason);
}

TEST(gone_with_the_device)
{
    static const HRESULT codes[][2] = {{D3DDDIERR_DEVICEREMOVED, DXGI_ERROR_DEVICE_REMOVED},
                                       {DXGI_ERROR_DEVICE_HUNG, DXGI_ERROR_DEVICE_HUNG},
                                       {DXGI_ERROR_DEVICE_RESET, DXGI_ERROR_DEVICE_RESET}};

    for (int i = 0; i < 3; i++) {
        world_open(&w, AGPU_BACKING_WDK);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DEFAULT, VB, 0);
        lose(E_OUTOFMEMORY);
        check_removed(S_OK);
        lose(codes[i][0]);
        check_removed(codes[i][1]);
        assert_int_equal(recorded_total(&w), 0);
        w.fake.callbacks.pfnGetDeviceStateCb = device_state; /* the state from the kernel has priority */
        check_removed(DXGI_ERROR_DEVICE_RESET);
        free_resource(&w, buffer);
        world_close(&w);
    }
}
