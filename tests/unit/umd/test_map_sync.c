/* test_map_sync.c: waits in Map; Unmap (required behaviours MAP, UNM). */
#include "tests/unit/umd/resources.h"
#include "umd-port/base/submit.h"
#include "umd-port/base/track.h"

/* A source with known bytes and a READ staging destination. Everything is submitted and complete; later fences complete
 * by hand. */
struct readback {
    struct world w;
    D3D10DDI_HRESOURCE src, dst;
};

static void open_readback(struct readback *r, enum agpu_backing_mode mode)
{
    world_open(&r->w, mode);
    r->src = make_buffer(&r->w, 16, D3D10_DDI_USAGE_DEFAULT, VB, 0);
    r->dst = make_buffer(&r->w, 16, STAGING, 0, CPU_R);
    update(&r->w, r->src, 0, NULL, "0123456789abcdef", 0);
    flush(&r->w);
    r->w.fake.async = true;
    fake_forget(&r->w.fake);
}

static void close_readback(struct readback *r)
{
    free_resource(&r->w, r->src);
    free_resource(&r->w, r->dst);
    world_close(&r->w);
}

static void copy(struct readback *r)
{
    r->w.ctx.pfnResourceCopy(r->w.device, r->dst, r->src);
}

static uint32_t waits(struct readback *r)
{
    uint32_t count = r->w.fake.calls[FAKE_WAIT];

    r->w.fake.calls[FAKE_WAIT] = 0;
    return count;
}

static HRESULT map_dst(struct readback *r, uint32_t flags)
{
    return map(&r->w, r->dst, 0, READ, flags, &m);
}

TEST(MAP_20_busy_codes)
{
    static const HRESULT busy[] = {DXGI_ERROR_WAS_STILL_DRAWING,
                                   D3DDDIERR_WASSTILLDRAWING,
                                   HRESULT_WIN32_WAIT_TIMEOUT,
                                   HRESULT_WIN32_ERROR_TIMEOUT,
                                   HRESULT_NT_TIMEOUT,
                                   HRESULT_NT_GPU_BUSY,
                                   E_PENDING};
    struct readback r;
    open_readback(&r, AGPU_BACKING_GUEST);
    copy(&r);
    flush(&r.w);
    for (uint32_t i = 0; i < 7; i++) {
        r.w.fake.busy_code = busy[i];
        assert_int_equal(map_dst(&r, POLL), DXGI_ERROR_WAS_STILL_DRAWING);
    }
    r.w.fake.busy_code = D3DDDIERR_DEVICEREMOVED;
    assert_int_equal(map_dst(&r, POLL), D3DDDIERR_DEVICEREMOVED);
    assert_false(res(r.dst)->map.active);
    r.w.fake.wait_result = E_PENDING; /* not a busy code for an infinite wait */
    assert_int_equal(map_dst(&r, 0), E_PENDING);
    close_readback(&r);
}

TEST(MAP_22_blocking_wait)
{
    for (int i = 0; i < 3; i++) {
        struct readback r;

        open_readback(&r, all_modes[i]);
        copy(&r);
        flush(&r.w);
        assert_int_equal(map_dst(&r, 0), S_OK);
        assert_int_equal(waits(&r), 1);
        assert_true(r.w.fake.wait_timeout == AGPU_WAIT_INFINITE);
        assert_int_equal(r.w.fake.wait_fence, r.w.fake.fence);
        unmap(&r.w, r.dst, 0);
        close_readback(&r);
    }
}

TEST(MAP_23_no_gpu_write_no_wait)
{
    for (int i = 0; i < 3; i++) {
        struct readback r;

        open_readback(&r, all_modes[i]);
        assert_int_equal(map_dst(&r, 0), S_OK);
        assert_int_equal(waits(&r), 0);
        unmap(&r.w, r.dst, 0);
        /* Without recorded packets, bound allocations stay listed. */
        const uint64_t epoch = device_of(&r.w)->allocs.epoch;
        assert_int_equal(map_dst(&r, 0), S_OK);
        unmap(&r.w, r.dst, 0);
        assert_int_equal(device_of(&r.w)->allocs.epoch, epoch);
        close_readback(&r);
    }
}

/* A submission without packets drops references, staging writes and the pending error of an operation. */
TEST(nothing_recorded)
{
    struct readback r;
    open_readback(&r, AGPU_BACKING_WDK);
    struct agpu_device *device = device_of(&r.w);
    flush(&r.w);
    agpu_track(device, res(r.dst), false);
    agpu_submit(device, NULL);
    assert_int_equal(device->allocs.count, 0);
    agpu_track_staging_write(device, res(r.dst));
    agpu_submit(device, NULL);
    assert_null(device->pending_staging);
    device->imm.cmd.error = AGPU_CMD_INSUFFICIENT_SPACE;
    agpu_submit(device, NULL);
    assert_int_equal(device->imm.cmd.error, AGPU_CMD_OK);
    close_readback(&r);
}

TEST(MAP_24_poll_after_completion)
{
    struct readback r;
    open_readback(&r, AGPU_BACKING_GUEST);
    copy(&r);
    flush(&r.w);
    assert_int_equal(map_dst(&r, POLL), DXGI_ERROR_WAS_STILL_DRAWING);
    waits(&r);
    fake_complete(&r.w.fake, r.w.fake.fence);
    assert_int_equal(map_dst(&r, POLL), S_OK);
    assert_int_equal(waits(&r), 1);
    assert_int_equal(r.w.fake.wait_timeout, 0);
    assert_memory_equal(m.pData, "0123456789abcdef", 16);
    unmap(&r.w, r.dst, 0);
    close_readback(&r);
}

TEST(MAP_48_positive_timeout_is_no_success)
{
    struct readback r;
    open_readback(&r, AGPU_BACKING_GUEST);
    copy(&r);
    r.w.fake.wait_result = HRESULT_NT_TIMEOUT;
    assert_int_equal(map_dst(&r, 0), DXGI_ERROR_DEVICE_HUNG);
    assert_false(res(r.dst)->map.active);
    close_readback(&r);
}

GUEST_TEST(MAP_51_TBL_12_query_instead_of_wait)
{
    w->fake.callbacks.pfnWaitForSynchronizationObjectCb = NULL; /* TBL-12: after CreateDevice */
    fake_add_query(&w->fake);
    D3D10DDI_HRESOURCE src = make_texture(w, 28, 3, 2, D3D10_DDI_USAGE_DEFAULT, 0, 0);
    D3D10DDI_HRESOURCE dst = make_texture(w, 28, 3, 2, STAGING, 0, CPU_R);
    uint8_t bytes[24];
    for (uint8_t i = 0; i < 24; i++) {
        bytes[i] = i;
    }
    update(w, src, 0, NULL, bytes, 12);
    flush(w);
    w->fake.async = true;
    w->ctx.pfnResourceCopy(w->device, dst, src);
    assert_int_equal(map(w, dst, 0, READ, POLL, &m), DXGI_ERROR_WAS_STILL_DRAWING);
    assert_int_equal(w->fake.calls[FAKE_WAIT], 0);
    fake_complete(&w->fake, w->fake.fence);
    assert_int_equal(map(w, dst, 0, READ, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 64);
    assert_memory_equal(m.pData, bytes, 12);
    assert_memory_equal((uint8_t *)m.pData + 64, bytes + 12, 12);
    unmap(w, dst, 0);
}

TEST(MAP_52_query_saves_the_wait)
{
    struct readback r;
    open_readback(&r, AGPU_BACKING_GUEST);
    fake_add_query(&r.w.fake);
    copy(&r);
    flush(&r.w);
    fake_complete(&r.w.fake, r.w.fake.fence);
    assert_int_equal(map_dst(&r, 0), S_OK);
    assert_int_equal(waits(&r), 0);
    unmap(&r.w, r.dst, 0);
    close_readback(&r);
}

TEST(MAP_59_submission_fails)
{
    for (int i = 0; i < 3; i++) {
        struct readback r;

        open_readback(&r, all_modes[i]);
        copy(&r);
        r.w.fake.fail[FAKE_RENDER] = E_OUTOFMEMORY;
        assert_int_equal(map_dst(&r, 0), E_OUTOFMEMORY);
        assert_false(res(r.dst)->map.active);
        r.w.fake.fail[FAKE_RENDER] = S_OK;
        waits(&r);
        assert_int_equal(map_dst(&r, 0), S_OK);
        assert_int_equal(waits(&r), 0);
        unmap(&r.w, r.dst, 0);
        close_readback(&r);
    }
}

TEST(MAP_60_staging_write_does_not_wait)
{
    struct readback r;
    open_readback(&r, AGPU_BACKING_GUEST);
    free_resource(&r.w, r.dst);
    r.dst = make_buffer(&r.w, 16, STAGING, 0, CPU_R | CPU_W);
    flush(&r.w);
    fake_forget(&r.w.fake);
    copy(&r);
    assert_int_equal(map(&r.w, r.dst, 0, WRITE, 0, &m), S_OK);
    assert_int_equal(r.w.fake.submission_count, 0);
    assert_int_equal(waits(&r), 0);
    unmap(&r.w, r.dst, 0);
    close_readback(&r);
}

/* Not in the list: the copy must be submitted before the Windows kernel is asked to wait for the allocation. */
TEST(wdk_staging_write_submits_first)
{
    struct readback r;
    open_readback(&r, AGPU_BACKING_WDK);
    free_resource(&r.w, r.dst);
    r.dst = make_buffer(&r.w, 16, STAGING, 0, CPU_R | CPU_W);
    flush(&r.w);
    fake_forget(&r.w.fake);
    copy(&r);
    assert_int_equal(map(&r.w, r.dst, 0, WRITE, 0, &m), S_OK);
    assert_int_equal(r.w.fake.submission_count, 1);
    unmap(&r.w, r.dst, 0);
    close_readback(&r);
}

/* Not in the list: guest-backed dynamic buffers use the instance that a discarding lock returns. */
TEST(wdk_discard_renames)
{
    struct world w;
    world_fake(&w, AGPU_BACKING_WDK);
    w.fake.options.dynamic_guest_backed = 1;
    w.fake.rename_on_discard = true;
    world_start(&w);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DYNAMIC, VB, CPU_W);
    D3DKMT_HANDLE first = res(buffer)->alloc_handle;
    assert_int_equal(map(&w, buffer, 0, DISCARD, 0, &m), S_OK);
    assert_int_equal(w.fake.submission_count, 1); /* packets with the first instance go first */
    assert_int_not_equal(res(buffer)->alloc_handle, first);
    unmap(&w, buffer, 0);
    flush(&w);
    assert_int_equal(listed(&w, 0, first), 0);
    assert_int_equal(listed(&w, 1, first), -1);
    assert_int_equal(listed(&w, 1, res(buffer)->alloc_handle), 0);
    world_close(&w);
}

HOST_TEST(UNM_03_staging_entry)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 4, 4, STAGING, 0, CPU_W);
    w->ctx.pfnStagingResourceUnmap(w->device, texture, 0);
    expect_errors(w, 1, E_INVALIDARG);
    assert_int_equal(w->ctx.pfnStagingResourceMap(w->device, texture, 0, WRITE, 0, &m), S_OK);
    w->ctx.pfnStagingResourceUnmap(w->device, texture, 1);
    expect_errors(w, 1, E_INVALIDARG);
    w->ctx.pfnStagingResourceUnmap(w->device, texture, 0);
    expect_errors(w, 0, S_OK);
}

ALL_MODES_TEST(UNM_04_read_records_nothing)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_R);
    assert_int_equal(map(w, buffer, 0, READ, 0, &m), S_OK);
    unmap(w, buffer, 0);
    assert_int_equal(recorded_total(w), 0);
}

HOST_TEST(UNM_05_upload_is_padded)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 13, STAGING, 0, CPU_W);
    assert_int_equal(map(w, buffer, 0, WRITE, 0, &m), S_OK);
    unmap(w, buffer, 0);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->offset_bytes, 0);
    assert_int_equal(upload->size_bytes, 16);
}

ALL_MODES_TEST(UNM_06_no_room)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_W);
    flush(w);
    assert_int_equal(map(w, buffer, 0, WRITE, 0, &m), S_OK);
    world_bound_stream(w, 28);
    unmap(w, buffer, 0);
    expect_errors(w, 1, E_OUTOFMEMORY);
    assert_false(res(buffer)->map.active);
    assert_int_equal(recorded_total(w), 0);
    world_bound_stream(w, 4096);
}

WDK_TEST(UNM_08_guest_bytes_restored)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_W);
    flush(w);
    uint8_t *memory = w->fake.allocations[0].memory;
    memcpy(memory, "old bytes of it.", 16);
    assert_int_equal(map(w, buffer, 0, WRITE, 0, &m), S_OK);
    memcpy(m.pData, "0123456789abcdef", 16);
    world_bound_stream(w, 0);
    unmap(w, buffer, 0);
    expect_errors(w, 1, E_OUTOFMEMORY);
    assert_memory_equal(memory, "old bytes of it.", 16);
    world_bound_stream(w, 4096);
}

WDK_TEST(UNM_09_unlock_fails)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_W);
    assert_int_equal(map(w, buffer, 0, WRITE, 0, &m), S_OK);
    w->fake.fail[FAKE_UNLOCK] = E_FAIL;
    unmap(w, buffer, 0);
    expect_errors(w, 1, E_FAIL);
    assert_false(res(buffer)->map.active);
    w->fake.fail[FAKE_UNLOCK] = S_OK;
}

HOST_TEST(UNM_10_dynamic_entries_without_map)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DYNAMIC, VB, CPU_W);
    D3D10DDI_HRESOURCE constant = make_buffer(w, 16, DYNAMIC, D3D10_DDI_BIND_CONSTANT_BUFFER, CPU_W);
    w->ctx.pfnDynamicIABufferUnmap(w->device, buffer, 0);
    expect_errors(w, 1, E_INVALIDARG);
    w->ctx.pfnDynamicConstantBufferUnmap(w->device, constant, 0);
    expect_errors(w, 1, E_INVALIDARG);
}
