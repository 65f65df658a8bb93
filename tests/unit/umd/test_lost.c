/* test_lost.c: results that the application gets after the device is removed (umd.md 3.1). */
#include "tests/unit/umd/resources.h"

static struct world w;

/* Submits the recorded packets, which fails with this code and reports it; on Windows in both ways. */
static void lose(HRESULT hr)
{
    w.fake.fail[FAKE_RENDER] = hr;
    assert_int_equal(flush(&w), hr);
    expect_errors(&w, agpu_mode(device_of(&w)) == AGPU_BACKING_WDK, hr);
    w.fake.fail[FAKE_RENDER] = S_OK;
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
