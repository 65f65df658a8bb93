/* test_reasons.c: each reason alone is enough to bind nothing, or to stay in the stream. */
#include "tests/unit/guarded_heap.h"
#include "tests/unit/umd/resources.h"
#include "tests/unit/umd/views.h"
#include "umd-port/base/device.h"
#include "umd-port/state/objects.h"

static struct world w;

GROUP_FIXTURE(fill_pattern, NULL);

/* A resource whose creation failed binds as NULL, in each kind of slot. */
TEST(what_was_not_created)
{
    const uint32_t stride = 4, offset = 0;

    for (unsigned i = 0; i < 3; i++) {
        struct agpu_resource_desc desc = buffer_desc(16, DYNAMIC, VB, 0);

        world_open(&w, all_modes[i]);
        struct agpu_context *context = &device_of(&w)->imm;
        D3D10DDI_HRESOURCE failed = new_resource(&w), good = make_buffer(&w, 16, DEFAULT, VB | CB, 0);
        desc.ResourceDimension = 0xFF;
        assert_true(FAILED(create(&w, failed, &desc)));
        w.fake.error_count = 0;
        assert_int_equal(res(failed)->handle, 0);
        for (unsigned k = 0; k < 2; k++) {
            D3D10DDI_HRESOURCE buffer = k ? failed : good;
            struct agpu_resource *bound = k ? NULL : res(good);

            w.ctx.pfnIaSetVertexBuffers(w.device, 0, 1, &buffer, &stride, &offset);
            assert_ptr_equal(context->vertices[0].buffer, bound);
            w.ctx.pfnIaSetIndexBuffer(w.device, buffer, DXGI_FORMAT_R16_UINT, 0);
            assert_ptr_equal(context->index_buffer, bound);
            w.ctx.pfnVsSetConstantBuffers(w.device, 0, 1, &buffer);
            assert_ptr_equal(context->stages[0].constants[0].buffer, bound);
        }
        expect_errors(&w, 0, S_OK);
        free_resource(&w, good);
        free(failed.pDrvPrivate);
        world_close(&w);
    }
}

/* Updates in whole words of a buffer in use stay in the stream, up to 1 MiB. Each upload has 32 KiB. */
TEST(updates_in_the_stream)
{
    static const struct {
        uint32_t left, right, uploads;
    } rows[] = {{0, 4, 1},     {4, 8, 1},     {4, 12, 1},       {8, 16, 1},      {1, 4, 0},
                {2, 8, 0},     {4, 6, 0},     {4, 7, 0},        {3, 7, 0},       {4, 32772, 1},
                {0, 32772, 2}, {4, 65544, 3}, {0, 1048576, 32}, {0, 1048580, 0}, {1114112, 1179647, 2}};
    static uint8_t bytes[1179647];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const D3D10_DDI_BOX box = box2((int32_t)rows[i].left, 0, (int32_t)rows[i].right, 1);
        const uint32_t uploads = rows[i].uploads;

        world_open(&w, AGPU_BACKING_WDK);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, sizeof bytes, DEFAULT, VB, 0);
        flush(&w);
        fake_forget(&w.fake);
        res(buffer)->device_ahead = true;
        update(&w, buffer, 0, &box, bytes, 0);
        expect_errors(&w, 0, S_OK);
        assert_int_equal(recorded(&w, AEROGPU_CMD_UPLOAD_RESOURCE), uploads);
        if (uploads) {
            const struct aerogpu_cmd_copy_buffer *last =
                recorded_at(&w, AEROGPU_CMD_COPY_BUFFER, uploads - 1);
            const uint32_t offset = rows[i].left + (uploads - 1) * 32768;

            assert_int_equal(w.fake.submission_count, 0);
            assert_int_equal(last->dst_buffer, res(buffer)->handle);
            assert_int_equal(last->dst_offset_bytes, offset);
            assert_int_equal(last->src_offset_bytes, 0);
            assert_int_equal(last->size_bytes, (rows[i].right - offset + 3) & ~3u);
        }
        free_resource(&w, buffer);
        world_close(&w);
    }
}

/* Packets that are sent again after a lost submission keep their references. The driver finds them by the resource's
 * handle or by the allocation's number, which the kernel may have changed. */
TEST(lost_work_keeps_its_references)
{
    world_open(&w, AGPU_BACKING_WDK);
    w.fake.force_alloc_id = 0x777;
    D3D10DDI_HRESOURCE streamed = make_buffer(&w, 16, DEFAULT, VB, 0);
    w.fake.force_alloc_id = 0x778;
    D3D10DDI_HRESOURCE written = make_buffer(&w, 16, STAGING, 0, CPU_W);
    flush(&w);
    res(streamed)->device_ahead = true;
    update(&w, streamed, 0, NULL, pattern, 0);
    accept_map(&w, written, 0, WRITE);
    w.fake.force_alloc_id = 0x779;
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DEFAULT, VB, 0);
    w.fake.force_alloc_id = 0x77A;
    D3D10DDI_HRESOURCE texture = make_texture(&w, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, DEFAULT, SRV, 0);
    assert_int_equal(res(texture)->alloc_id, 0x77A);
    w.fake.fail[FAKE_RENDER] = E_OUTOFMEMORY;
    assert_int_equal(flush(&w), E_OUTOFMEMORY);
    w.fake.fail[FAKE_RENDER] = S_OK;
    w.fake.error_count = 0;
    fake_forget(&w.fake);
    assert_int_equal(flush(&w), S_OK);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_UPLOAD_RESOURCE), 1);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_COPY_BUFFER), 1);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), 1);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_CREATE_BUFFER),
                     2); /* including the driver's upload buffer */
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_CREATE_TEXTURE2D), 1);
    assert_true(listed(&w, 0, res(streamed)->alloc_handle) >= 0);
    assert_true(listed(&w, 0, res(written)->alloc_handle) >= 0);
    assert_true(listed(&w, 0, res(buffer)->alloc_handle) >= 0);
    assert_true(listed(&w, 0, res(texture)->alloc_handle) >= 0);
    world_close(&w);
}

/* A lock without memory is unlocked by Windows' rules, and nothing stays mapped (umd.md 6.4). */
TEST(locks_without_memory)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, STAGING, 0, CPU_W);
    flush(&w);
    const uint32_t unlocks = w.fake.calls[FAKE_UNLOCK];
    w.fake.no_data = true;
    assert_int_equal(map(&w, buffer, 0, WRITE, 0, &m), E_FAIL);
    assert_int_equal(w.fake.calls[FAKE_UNLOCK], unlocks + 1);
    assert_false(res(buffer)->map.active);
    w.fake.no_data = false;
    w.fake.error_count = 0;
    device_of(&w)->imm.pending = 0;
    accept_map(&w, buffer, 0, WRITE);
    assert_int_equal(device_of(&w)->imm.pending, 0); /* nothing was renamed, so nothing is listed again */
    w.fake.fail[FAKE_LOCK] = D3DDDIERR_DEVICEREMOVED;
    assert_true(FAILED(map(&w, buffer, 0, WRITE, 0, &m)));
    assert_int_not_equal(device_of(&w)->removed, S_OK); /* the application gets the error from then on */
    w.fake.fail[FAKE_LOCK] = S_OK;
    w.fake.error_count = 0;
    world_close(&w);
}

static HRESULT (*lock_before)(HANDLE device, D3DDDICB_LOCK *args);

static HRESULT lock_without_a_name(HANDLE device, D3DDDICB_LOCK *args)
{
    const HRESULT hr = lock_before(device, args);

    args->hAllocation = 0;
    return hr;
}

/* 0 is not an allocation: a lock that returns it has renamed nothing. */
TEST(locks_that_name_nothing)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, STAGING, 0, CPU_W);
    flush(&w);
    const D3DKMT_HANDLE allocation = res(buffer)->alloc_handle;
    lock_before = w.fake.callbacks.pfnLockCb;
    w.fake.callbacks.pfnLockCb = lock_without_a_name;
    accept_map(&w, buffer, 0, WRITE);
    assert_int_equal(res(buffer)->alloc_handle, allocation);
    assert_int_equal(fake_find(&w.fake, allocation)->locks, 0);
    w.fake.callbacks.pfnLockCb = lock_before;
    flush(&w);
    assert_true(listed(&w, w.fake.submission_count - 1, allocation) >= 0);
    world_close(&w);
}

/* Destruction of a texture frees its slots in each stage, even without room for the packets. */
TEST(views_without_room)
{
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE texture = make_texture(&w, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, DEFAULT, SRV, 0);
    D3D10DDI_HSHADERRESOURCEVIEW view = make_srv(&w, texture), views[5] = {view, {NULL}, view, {NULL}, view};
    const struct agpu_context *context = &device_of(&w)->imm;
    uint32_t bound = 0;
    w.ctx.pfnVsSetShaderResources(w.device, 0, 5, views);
    w.ctx.pfnPsSetShaderResources(w.device, 3, 5, views);
    w.ctx.pfnGsSetShaderResources(w.device, 100, 3, views);
    w.ctx.pfnCsSetShaderResources(w.device, 0, 1, views);
    world_bound_stream(&w, 4);
    drop_resource(&w, texture);
    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        for (uint32_t slot = 0; slot < AGPU_DDI_SHADER_RESOURCE_SLOTS; slot++) {
            bound += context->stages[stage].views[slot].resource != NULL;
        }
    }
    assert_int_equal(bound, 0);
    w.fake.error_count = 0;
    free_srv(&w, view);
    free(texture.pDrvPrivate);
    world_close(&w);
}

/* Up to 32 buffers rotate, as many as a swapchain may have. Pending writes stay with their memory, whether the rotation
 * succeeds or fails. */
TEST(rotations)
{
    D3D10DDI_HRESOURCE back[33];
    uint32_t before[33];

    world_open(&w, AGPU_BACKING_HOST);
    for (unsigned i = 0; i < 33; i++) {
        back[i] = make_texture(&w, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, STAGING, RT, CPU_R);
        before[i] = res(back[i])->handle;
    }
    DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args = {.pResources = NULL, .Resources = 3};
    assert_int_equal(w.dev.pfnRotateResourceIdentities(w.device, &args), S_OK);
    args = (DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES){.pResources = back, .Resources = 33};
    assert_int_equal(w.dev.pfnRotateResourceIdentities(w.device, &args), S_OK);
    assert_int_equal(res(back[0])->handle, before[0]);
    args.Resources = 32;
    assert_int_equal(w.dev.pfnRotateResourceIdentities(w.device, &args), S_OK);
    for (unsigned i = 0; i < 33; i++) {
        assert_int_equal(res(back[i])->handle, before[i == 32 ? 32 : (i + 1) % 32]);
    }
    D3D10DDI_HRENDERTARGETVIEW view = make_rtv(&w, back[0]);
    set_targets(&w, 1, &view, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    args.Resources = 4;
    for (unsigned room = 0; room < 2; room++) {
        flush(&w);
        world_bound_stream(&w, 4096);
        for (unsigned i = 0; i < 4; i++) {
            res(back[i])->last_gpu_write_fence = 0;
        }
        copy_all(&w, back[0], back[32]);
        if (!room) {
            world_bound_stream(&w, 4);
        }
        assert_int_equal(w.dev.pfnRotateResourceIdentities(w.device, &args), room ? S_OK : E_OUTOFMEMORY);
        if (!room) {
            world_bound_stream(&w, 4096);
            copy_all(&w, back[5], back[32]);
        }
        assert_int_equal(flush(&w), S_OK);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(res(back[i])->last_gpu_write_fence != 0, i == (room ? 3 : 0));
        }
        w.fake.error_count = 0;
    }
    free_rtv(&w, view);
    for (unsigned i = 0; i < 33; i++) {
        free_resource(&w, back[i]);
    }
    world_close(&w);
}

/* ClearState reports an error if any of its packets has no room. */
TEST(clear_state_without_room)
{
    uint32_t whole = 0;

    for (uint32_t room = 65536; room == 65536 || room < whole; room = room == 65536 ? 8 : room + 8) {
        world_open(&w, AGPU_BACKING_HOST);
        world_bound_stream(&w, room);
        w.ctx.pfnClearState(w.device);
        if (room == 65536) {
            whole = (uint32_t)agpu_cmd_used(&device_of(&w)->imm.cmd) - AGPU_CMD_STREAM_HEADER_BYTES;
        }
        expect_errors(&w, room != 65536, E_OUTOFMEMORY);
        world_close(&w);
    }
    assert_true(whole > 100);
}

/* A copy between a resource of the device and one with CPU memory only is not repeated by the CPU. */
TEST(mirrors_need_two_shadows)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE dynamic = make_buffer(&w, 16, DYNAMIC, VB, CPU_W);
    D3D10DDI_HRESOURCE staging = make_buffer(&w, 16, STAGING, 0, CPU_R);
    assert_int_equal(map(&w, dynamic, 0, DISCARD, 0, &m), S_OK);
    memset(m.pData, 0x33, 16);
    unmap(&w, dynamic, 0);
    flush(&w);
    memset(memory_of(&w, staging), 0x44, 16);
    const uint32_t locks = w.fake.calls[FAKE_LOCK];
    copy_all(&w, staging, dynamic);
    assert_int_equal(recorded(&w, AEROGPU_CMD_COPY_BUFFER), 1);
    copy_all(&w, dynamic, staging);
    assert_int_equal(recorded(&w, AEROGPU_CMD_COPY_BUFFER), 2);
    expect_errors(&w, 0, S_OK);
    assert_int_equal(w.fake.calls[FAKE_LOCK], locks);
    assert_int_equal(memory_of(&w, staging)[0], 0x44); /* until the device's write-back */
    world_close(&w);
}

/* A blend factor has exactly four numbers. A refused query is not a query. */
TEST(factors_and_queries)
{
    float *factor = guarded_alloc(4 * sizeof *factor, 0);
    uint32_t done = 0;

    world_open(&w, AGPU_BACKING_HOST);
    factor[3] = 2;
    w.ctx.pfnSetBlendState(w.device, (D3D10DDI_HBLENDSTATE){NULL}, factor, 7);
    const struct aerogpu_cmd_set_blend_state *packet = recorded_at(&w, AEROGPU_CMD_SET_BLEND_STATE, 0);
    assert_memory_equal(packet->state.blend_constant_rgba_f32, factor, 4 * sizeof *factor);
    assert_int_equal(packet->state.sample_mask, 7);
    guarded_free(factor);
    const D3D10DDI_HQUERY handle = {object(w.dev.pfnCalcPrivateQuerySize(w.device, NULL))};
    assert_int_equal(w.dev.pfnCreateQuery(w.device, NULL, handle, (D3D10DDI_HRTQUERY){NULL}), E_INVALIDARG);
    w.ctx.pfnQueryEnd(w.device, handle);
    expect_errors(&w, 1, E_INVALIDARG);
    assert_int_equal(w.ctx.pfnQueryGetData(w.device, handle, &done, sizeof done, 0), E_INVALIDARG);
    w.fake.error_count = 0;
    w.dev.pfnDestroyQuery(w.device, handle);
    free(handle.pDrvPrivate);
    world_close(&w);
}
