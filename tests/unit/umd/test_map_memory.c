/* test_map_memory.c: pointer, pitch and contents of a mapping (required behaviours MAP). */
#include "tests/unit/umd/resources.h"
#include "umd-port/format/layout.h"

TEST(MAP_27_discard_zero_fills)
{
    static const uint8_t zeros[16];
    for (int i = 0; i < 3; i++) {
        struct world w;

        world_open(&w, all_modes[i]);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, 13, DYNAMIC, VB, CPU_W);
        for (int round = 0; round < 2; round++) {
            assert_int_equal(map(&w, buffer, 0, DISCARD, 0, &m), S_OK);
            assert_memory_equal(m.pData, zeros, 16);
            memset(m.pData, 0x99, 16);
            unmap(&w, buffer, 0);
        }
        free_resource(&w, buffer);
        world_close(&w);
    }
}

ALL_MODES_TEST(MAP_28_each_no_overwrite_is_announced)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DYNAMIC, VB, CPU_W);
    accept_map(w, buffer, 0, NOOVER);
    accept_map(w, buffer, 0, NOOVER);
    assert_int_equal(recorded(w, mode_of(w) == AGPU_BACKING_GUEST ? AEROGPU_CMD_RESOURCE_DIRTY_RANGE
                                                                  : AEROGPU_CMD_UPLOAD_RESOURCE),
                     2);
}

TEST(MAP_29_host_dynamic_ia)
{
    check_dynamic_entry(AGPU_BACKING_HOST, VB);
    check_dynamic_entry(AGPU_BACKING_WDK, D3D10_DDI_BIND_INDEX_BUFFER);
}

HOST_TEST(MAP_34_host_dynamic_texture)
{
    D3D10DDI_HRESOURCE texture = mip_array(w, 28, 4, 2, DYNAMIC, SRV, CPU_W);
    accept_map(w, texture, 3, DISCARD);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->offset_bytes, 80 + 64);
    assert_int_equal(upload->size_bytes, 16);
}

GUEST_TEST(MAP_35_guest_mip)
{
    D3D10DDI_HRESOURCE texture = mip_array(w, 28, 4, 2, STAGING, 0, CPU_W);
    assert_int_equal(map(w, texture, 1, WRITE, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 8);
    assert_int_equal(m.DepthPitch, 16);
    unmap(w, texture, 1);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 256);
    assert_int_equal(dirty->size_bytes, 16);
}

HOST_TEST(MAP_36_b5)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 85, 5, 3, STAGING, 0, CPU_W);
    assert_int_equal(map(w, texture, 0, WRITE, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 10);
    assert_int_equal(m.DepthPitch, 30);
    unmap(w, texture, 0);
}

HOST_TEST(MAP_37_host_bc)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 77, 9, 9, STAGING, 0, CPU_W);
    assert_int_equal(map(w, texture, 0, WRITE, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 48);
    assert_int_equal(m.DepthPitch, 144);
    unmap(w, texture, 0);
}

/* The copy that a mapping returns is the driver's memory. It is freed with its resource, even after the device. */
TEST(MAP_38_the_device_goes_first)
{
    for (uint32_t deferred = 0; deferred < 2; deferred++) {
        struct world w;

        world_fake(&w, AGPU_BACKING_WDK);
        w.fake.options.deferred_contexts = (uint8_t)deferred;
        world_start(&w);
        D3D10DDI_HRESOURCE texture = mip_array(&w, 28, 5, 3, STAGING, 0, CPU_R);
        assert_int_equal(map(&w, texture, 3, READ, 0, &m), S_OK);
        assert_non_null(res(texture)->map.target);
        w.dev.pfnDestroyDevice(w.device);
        free_resource(&w, texture);
        for (uint32_t i = 0; i < w.fake.allocation_count; i++) {
            w.fake.allocations[i].locks = 0; /* the locks ended with the device */
        }
        world_close(&w); /* no block is still allocated */
    }
}

GUEST_TEST(MAP_39_guest_lock_fails)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_W);
    w->fake.fail[FAKE_LOCK] = E_OUTOFMEMORY;
    refuse_map(w, buffer, 0, WRITE, 0, E_OUTOFMEMORY);
    w->fake.fail[FAKE_LOCK] = S_OK;
    w->fake.no_data = true;
    refuse_map(w, buffer, 0, WRITE, 0, E_FAIL);
    w->fake.allocations[0].locks = 0;
    w->fake.no_data = false;
    accept_map(w, buffer, 0, WRITE);
}

WDK_TEST(MAP_40_lock_pitch_differs)
{
    D3D10DDI_HRESOURCE staging = make_texture(w, 28, 4, 2, STAGING, 0, CPU_W);
    w->fake.lock_pitch = 512;
    assert_int_equal(map(w, staging, 0, WRITE, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 256);
    unmap(w, staging, 0);
    D3D10DDI_HRESOURCE dynamic = make_texture(w, 28, 4, 2, DYNAMIC, SRV, CPU_W);
    assert_int_equal(map(w, dynamic, 0, DISCARD, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 512);
    memset(m.pData, 0x77, 16);
    memset((uint8_t *)m.pData + 512, 0x78, 16);
    unmap(w, dynamic, 0);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->size_bytes, 512);
    assert_int_equal(((const uint8_t *)(upload + 1))[15], 0x77);
    assert_int_equal(((const uint8_t *)(upload + 1))[256], 0x78);
    D3D10DDI_HRESOURCE mips = mip_array(w, 28, 4, 2, DYNAMIC, SRV, CPU_W);
    assert_int_equal(map(w, mips, 1, DISCARD, 0, &m), S_OK); /* a lock returns the pitch of mip 0 */
    assert_int_equal(m.RowPitch, 8);
    assert_ptr_equal(m.pData, memory_of(w, mips) + 1024);
    unmap(w, mips, 1);
}

WDK_TEST(MAP_41_lock_pitch_too_small)
{
    D3D10DDI_HRESOURCE staging = make_texture(w, 28, 4, 2, STAGING, 0, CPU_W);
    D3D10DDI_HRESOURCE dynamic = make_texture(w, 28, 4, 2, DYNAMIC, SRV, CPU_W);
    flush(w);
    w->fake.lock_pitch = 15;
    refuse_map(w, staging, 0, WRITE, 0, E_INVALIDARG);
    refuse_map(w, dynamic, 0, DISCARD, 0, E_INVALIDARG);
    assert_int_equal(w->fake.calls[FAKE_LOCK], w->fake.calls[FAKE_UNLOCK]);
}

WDK_TEST(MAP_42_host_owned_falls_back_to_shadow)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DYNAMIC, VB, CPU_W);
    static const HRESULT codes[] = {D3DDDIERR_WASSTILLDRAWING, E_OUTOFMEMORY, E_FAIL};
    for (uint32_t i = 0; i < 4; i++) {
        HRESULT (*lock_callback)(HANDLE, D3DDDICB_LOCK *) = w->fake.callbacks.pfnLockCb;
        if (i < 3) {
            w->fake.fail[FAKE_LOCK] = codes[i];
        } else {
            w->fake.callbacks.pfnLockCb = NULL;
        }
        assert_int_equal(map(w, buffer, 0, DISCARD, 0, &m), S_OK);
        assert_ptr_equal(m.pData, res(buffer)->shadow);
        memcpy(m.pData, "0123456789abcdef", 16);
        unmap(w, buffer, 0);
        const struct aerogpu_cmd_upload_resource *upload = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, i);
        assert_memory_equal(upload + 1, "0123456789abcdef", 16);
        w->fake.fail[FAKE_LOCK] = S_OK;
        w->fake.callbacks.pfnLockCb = lock_callback;
    }
    expect_errors(w, 0, S_OK);
}

WDK_TEST(MAP_43_guest_backed_lock_errors)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_W);
    flush(w);
    w->fake.fail[FAKE_LOCK] = D3DDDIERR_DEVICEREMOVED;
    refuse_map(w, buffer, 0, WRITE, 0, D3DDDIERR_DEVICEREMOVED);
    w->fake.fail[FAKE_LOCK] = D3DDDIERR_WASSTILLDRAWING;
    assert_int_equal(map(w, buffer, 0, WRITE, 0, &m), DXGI_ERROR_WAS_STILL_DRAWING);
    expect_errors(w, 0, S_OK);
    assert_int_equal(map(w, buffer, 0, WRITE, D3D10_DDI_MAP_FLAG_DONOTWAIT, &m),
                     DXGI_ERROR_WAS_STILL_DRAWING);
    w->fake.fail[FAKE_LOCK] = HRESULT_NT_TIMEOUT;
    assert_int_equal(map(w, buffer, 0, WRITE, D3D10_DDI_MAP_FLAG_DONOTWAIT, &m),
                     DXGI_ERROR_WAS_STILL_DRAWING);
    expect_errors(w, 0, S_OK);
    w->fake.fail[FAKE_LOCK] = S_OK;
}

WDK_TEST(MAP_45_lock_flags)
{
    D3D10DDI_HRESOURCE staging = make_buffer(w, 16, STAGING, 0, CPU_W | CPU_R);
    D3D10DDI_HRESOURCE dynamic = make_buffer(w, 16, DYNAMIC, VB, CPU_W);
    static const struct {
        uint32_t type, flags;
    } rows[] = {{READ, 0x1}, {WRITE, 0x2}, {RW, 0}, {DISCARD, 0x82}, {NOOVER, 0xA}};
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t poll = 0; poll < 2; poll++) {
            D3D10DDI_HRESOURCE resource = rows[i].type >= DISCARD ? dynamic : staging;

            assert_int_equal(map(w, resource, 0, rows[i].type, poll ? D3D10_DDI_MAP_FLAG_DONOTWAIT : 0, &m),
                             S_OK);
            assert_int_equal(w->fake.lock_flags.Value, rows[i].flags | (poll ? 0x4 : 0));
            unmap(w, resource, 0);
        }
    }
}

WDK_TEST(MAP_47_invalid_subresource_submits_nothing)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_R);
    refuse_map(w, buffer, 1, READ, 0, E_INVALIDARG); /* CREATE_BUFFER is pending */
}

GUEST_TEST(MAP_53_guest_deep_subresource)
{
    D3D10DDI_HRESOURCE texture = mip_array(w, 87, 4, 3, STAGING, 0, CPU_W);
    assert_int_equal(map(w, texture, 4, WRITE, 0, &m), S_OK);
    assert_ptr_equal(m.pData, memory_of(w, texture) + 532);
    assert_int_equal(m.RowPitch, 8);
    assert_int_equal(m.DepthPitch, 16);
    unmap(w, texture, 4);
    assert_int_equal(recorded(w, AEROGPU_CMD_UPLOAD_RESOURCE), 0);
    assert_int_equal(recorded(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), 1);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 532);
    assert_int_equal(dirty->size_bytes, 16);
}

HOST_TEST(MAP_54_host_deep_subresource)
{
    D3D10DDI_HRESOURCE texture = mip_array(w, 87, 4, 3, DYNAMIC, SRV, CPU_W);
    assert_int_equal(map(w, texture, 4, DISCARD, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 8);
    assert_int_equal(m.DepthPitch, 16);
    unmap(w, texture, 4);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->offset_bytes, 84 + 64);
    assert_int_equal(upload->size_bytes, 16);
}

HOST_TEST(MAP_58_discard_keeps_other_subresources)
{
    D3D10DDI_HRESOURCE texture = mip_array(w, 28, 4, 2, DYNAMIC, SRV, CPU_W);
    assert_int_equal(map(w, texture, 0, DISCARD, 0, &m), S_OK);
    memset(m.pData, 0x31, 64);
    unmap(w, texture, 0);
    accept_map(w, texture, 3, DISCARD);
    assert_int_equal(map(w, texture, 0, NOOVER, 0, &m), S_OK);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(((uint8_t *)m.pData)[i], 0x31);
    }
    unmap(w, texture, 0);
}

TEST(MAP_61_dynamic_odd_size)
{
    for (int i = 0; i < 2; i++) {
        struct world w;

        world_open(&w, all_modes[i]);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, 13, DYNAMIC, VB, CPU_W);
        assert_int_equal(map(&w, buffer, 0, DISCARD, 0, &m), S_OK);
        memset(m.pData, 0x66, 13);
        unmap(&w, buffer, 0);
        if (i == 0) {
            const struct aerogpu_cmd_upload_resource *upload =
                recorded_at(&w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
            assert_int_equal(upload->size_bytes, 16);
            assert_memory_equal((const uint8_t *)(upload + 1) + 12, "\x66\0\0\0", 4);
        } else {
            const struct aerogpu_cmd_resource_dirty_range *dirty =
                recorded_at(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
            assert_int_equal(dirty->offset_bytes, 0);
            assert_int_equal(dirty->size_bytes, 13);
        }
        free_resource(&w, buffer);
        world_close(&w);
    }
}
