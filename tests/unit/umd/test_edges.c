/* test_edges.c: single arguments at the limit of the allowed range, and side effects that a call must have. */
#include "tests/unit/umd/resources.h"
#include "tests/unit/umd/views.h"
#include "umd-port/base/device.h"
#include "umd-port/base/wait.h"

static struct world w;

/* Each coordinate of a box and each index alone is enough for a refusal. */
TEST(boxes_of_buffers)
{
    static const D3D10_DDI_BOX boxes[] = {
        {0, 0, 1, 4, 1, 2}, {0, 0, 0, 4, 1, 2}, {0, 1, 0, 4, 2, 1}, {0, 0, 0, 4, 2, 1}};
    static const D3D10_DDI_BOX empty[] = {
        {4, 0, 0, 4, 1, 1}, {5, 0, 0, 4, 1, 1}, {0, 1, 0, 4, 1, 1}, {0, 0, 1, 4, 1, 1}};
    static const D3D10_DDI_BOX outside = {-1, 0, 0, 4, 1, 1}, good = {4, 0, 0, 8, 1, 1};

    for (unsigned i = 0; i < 3; i++) {
        const bool wdk = all_modes[i] == AGPU_BACKING_WDK;

        world_open(&w, all_modes[i]);
        D3D10DDI_HRESOURCE src = make_buffer(&w, 16, DEFAULT, VB, 0),
                           dst = make_buffer(&w, 16, DEFAULT, VB, 0);
        for (unsigned k = 0; k < 4; k++) {
            assert_int_equal(copy_region(&w, dst, 0, 0, 0, src, 0, &boxes[k]), E_NOTIMPL);
            assert_int_equal(copy_region(&w, dst, 0, 0, 0, src, 0, &empty[k]), S_OK);
        }
        assert_int_equal(copy_region(&w, dst, 0, 0, 0, src, 0, &outside), wdk ? E_INVALIDARG : E_NOTIMPL);
        assert_int_equal(copy_region(&w, dst, 1, 0, 0, src, 0, NULL), wdk ? E_INVALIDARG : E_NOTIMPL);
        assert_int_equal(copy_region(&w, dst, 0, 0, 0, src, 1, NULL), wdk ? E_INVALIDARG : E_NOTIMPL);
        assert_int_equal(copy_region(&w, dst, 0, 4, 0, src, 0, NULL), wdk ? S_OK : E_NOTIMPL);
        w.fake.error_count = 0;
        const uint32_t before = recorded(&w, AEROGPU_CMD_COPY_BUFFER);
        assert_int_equal(copy_region(&w, dst, 0, 0, 0, src, 0, &good), wdk ? S_OK : E_NOTIMPL);
        assert_int_equal(recorded(&w, AEROGPU_CMD_COPY_BUFFER), before + wdk);
        w.fake.error_count = 0;
        free_resource(&w, src);
        free_resource(&w, dst);
        world_close(&w);
    }
}

/* Up to the last slot; nothing from the slot after it on. */
TEST(vertex_slots)
{
    const uint32_t stride = 4, offset = 0, slots = 32;

    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DEFAULT, VB, 0), both[2] = {buffer, buffer};
    const uint32_t strides[2] = {4, 4}, offsets[2] = {0, 0};
    assert_int_equal(device_of(&w)->vertex_slots, slots);
    w.ctx.pfnIaSetVertexBuffers(w.device, slots, 0, NULL, NULL, NULL);
    w.ctx.pfnIaSetVertexBuffers(w.device, slots - 1, 1, &buffer, &stride, &offset);
    expect_errors(&w, 0, S_OK);
    assert_ptr_equal(device_of(&w)->imm.vertices[slots - 1].buffer, res(buffer));
    w.ctx.pfnIaSetVertexBuffers(w.device, slots - 1, 2, both, strides, offsets);
    expect_errors(&w, 1, E_INVALIDARG);
    w.fake.error_count = 0;
    w.ctx.pfnIaSetVertexBuffers(w.device, slots + 1, 0, NULL, NULL, NULL);
    expect_errors(&w, 1, E_INVALIDARG);
    w.fake.error_count = 0;
    for (unsigned missing = 0; missing < 3; missing++) {
        w.ctx.pfnIaSetVertexBuffers(w.device, 0, 1, missing == 0 ? NULL : &buffer,
                                    missing == 1 ? NULL : &stride, missing == 2 ? NULL : &offset);
        expect_errors(&w, 1, E_INVALIDARG);
        w.fake.error_count = 0;
    }
    free_resource(&w, buffer); /* the slot is freed even without room for the packet */
    assert_null(device_of(&w)->imm.vertices[slots - 1].buffer);
    world_close(&w);
}

TEST(unbound_without_room)
{
    const uint32_t stride = 4, offset = 0;

    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DEFAULT, VB | D3D10_DDI_BIND_INDEX_BUFFER, 0);
    w.ctx.pfnIaSetVertexBuffers(w.device, 0, 1, &buffer, &stride, &offset);
    w.ctx.pfnIaSetIndexBuffer(w.device, buffer, DXGI_FORMAT_R16_UINT, 0);
    world_bound_stream(&w, 4);
    drop_resource(&w, buffer);
    assert_null(device_of(&w)->imm.vertices[0].buffer);
    assert_null(device_of(&w)->imm.index_buffer);
    w.fake.error_count = 0;
    free(buffer.pDrvPrivate);
    world_close(&w);
}

/* A missing array unbinds nothing in Direct3D 10 and 10.1; in Direct3D 11 it unbinds. */
TEST(missing_arrays)
{
    static const int cookies[] = {AGPU_COOKIE_D3D10, AGPU_COOKIE_D3D10_1, AGPU_COOKIE_D3D11};

    world_open(&w, AGPU_BACKING_HOST);
    struct agpu_context *context = &device_of(&w)->imm;
    const uint32_t cookie = context->cookie;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t before = recorded_total(&w);

        context->cookie = (uint32_t)cookies[i];
        w.ctx.pfnVsSetConstantBuffers(w.device, 0, 2, NULL);
        w.ctx.pfnVsSetSamplers(w.device, 0, 2, NULL);
        w.ctx.pfnVsSetShaderResources(w.device, 0, 2, NULL);
        expect_errors(&w, i < 2 ? 3 : 0, E_INVALIDARG);
        w.fake.error_count = 0;
        assert_int_equal(recorded_total(&w) > before, i == 2);
        w.ctx.pfnVsSetConstantBuffers(w.device, 0, 0, NULL);
        w.ctx.pfnVsSetSamplers(w.device, 0, 0, NULL);
        w.ctx.pfnVsSetShaderResources(w.device, 0, 0, NULL);
        expect_errors(&w, 0, S_OK);
    }
    context->cookie = cookie;
    world_close(&w);
}

/* Flags of what the next draw must list accumulate. */
TEST(pending_adds_up)
{
    world_open(&w, AGPU_BACKING_WDK);
    struct agpu_context *context = &device_of(&w)->imm;
    D3D10DDI_HRESOURCE dynamic = make_buffer(&w, 64, DYNAMIC, VB, CPU_W);
    D3D10DDI_HRESOURCE storage = make_buffer(&w, 64, DEFAULT, D3D11_DDI_BIND_UNORDERED_ACCESS, 0);
    const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW desc = {.hDrvResource = storage};
    D3D11DDI_HUNORDEREDACCESSVIEW view = {object(sizeof(struct agpu_view))};
    assert_int_equal(
        w.dev.pfnCreateUnorderedAccessView(w.device, &desc, view, (D3D11DDI_HRTUNORDEREDACCESSVIEW){NULL}),
        S_OK);
    context->pending = AGPU_PENDING_VERTEX;
    w.ctx.pfnCsSetUnorderedAccessViews(w.device, 0, 1, &view, NULL);
    assert_int_equal(context->pending, AGPU_PENDING_VERTEX | AGPU_PENDING_UAVS);
    flush(&w);
    w.fake.rename_on_discard = true;
    context->pending = AGPU_PENDING_FLUSH;
    assert_int_equal(map(&w, dynamic, 0, DISCARD, 0, &m), S_OK);
    assert_int_equal(context->pending, AGPU_PENDING_FLUSH | AGPU_PENDING_STATE);
    unmap(&w, dynamic, 0);
    w.dev.pfnDestroyUnorderedAccessView(w.device, view);
    free(view.pDrvPrivate);
    world_close(&w);
}

/* Guest memory has the device's bytes again only after a write of the whole buffer, and never while shaders may write
 * it. */
TEST(behind_whole_updates)
{
    static const struct {
        int32_t left, right;
        uint32_t more_binds;
        bool ahead;
    } rows[] = {{0, 2048, 0, false},
                {0, 2044, 0, true},
                {4, 2048, 0, true},
                {4, 8, 0, true},
                {0, 2048, D3D11_DDI_BIND_UNORDERED_ACCESS, true}};
    static uint8_t bytes[2048];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const D3D10_DDI_BOX box = box2(rows[i].left, 0, rows[i].right, 1);

        world_open(&w, AGPU_BACKING_GUEST);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, 2048, DEFAULT, VB | rows[i].more_binds, 0);
        res(buffer)->device_ahead = true;
        update(&w, buffer, 0, &box, bytes, 0);
        expect_errors(&w, 0, S_OK);
        assert_int_equal(res(buffer)->device_ahead, rows[i].ahead);
        free_resource(&w, buffer);
        world_close(&w);
    }
}

/* Without a token, as in the reference, a shared texture is an ordinary one. */
TEST(shared_without_a_token)
{
    for (unsigned i = 0; i < 2; i++) {
        world_open(&w, flat_modes[i]);
        struct agpu_resource_desc desc = texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, DEFAULT, RT, 0);
        desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
        D3D10DDI_HRESOURCE texture = make(&w, &desc);
        assert_int_equal(res(texture)->share_token, 0);
        assert_int_equal(recorded(&w, AEROGPU_CMD_EXPORT_SHARED_SURFACE), 0);
        assert_int_equal(recorded(&w, AEROGPU_CMD_CREATE_TEXTURE2D), 1);
        assert_int_equal(w.fake.submission_count, 0);
        free_resource(&w, texture);
        world_close(&w);
    }
}

/* An update of part of a word first reads the word back from the device. */
TEST(updates_of_parts_of_words)
{
    static const struct {
        int32_t left, right;
        bool split;
    } rows[] = {{4, 2097148, false}, {1, 2097148, true}, {2, 2097148, true},
                {4, 2097147, true},  {8, 2097146, true}, {3, 2097151, true}};
    static uint8_t bytes[2097152]; /* too large for the stream */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const D3D10_DDI_BOX box = box2(rows[i].left, 0, rows[i].right, 1);
        uint32_t copies = 0;

        world_open(&w, AGPU_BACKING_WDK);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, sizeof bytes, DEFAULT, VB, 0);
        flush(&w);
        fake_forget(&w.fake);
        res(buffer)->device_ahead = true;
        update(&w, buffer, 0, &box, bytes, 0);
        expect_errors(&w, 0, S_OK);
        flush(&w);
        for (uint32_t k = 0; k < w.fake.submission_count; k++) {
            copies += captured(&w, k, AEROGPU_CMD_COPY_BUFFER);
        }
        assert_int_equal(copies != 0, rows[i].split);
        free_resource(&w, buffer);
        world_close(&w);
    }
}

/* A discard of one kind of buffer through the function for another kind. */
TEST(entries_of_other_buffers)
{
    for (unsigned i = 0; i < 3; i++) {
        world_open(&w, all_modes[i]);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DYNAMIC, VB, CPU_W);
        for (unsigned mapped = 0; mapped < 2; mapped++) { /* the same before and during a mapping */
            assert_int_equal(w.ctx.pfnDynamicConstantBufferMapDiscard(w.device, buffer, 0, DISCARD, 0, &m),
                             E_INVALIDARG);
            assert_int_equal(w.ctx.pfnDynamicIABufferMapDiscard(w.device, buffer, 1, DISCARD, 0, &m),
                             E_INVALIDARG);
            assert_int_equal(w.ctx.pfnDynamicIABufferMapDiscard(w.device, buffer, 0, DISCARD, 1, &m),
                             E_INVALIDARG);
            assert_int_equal(w.ctx.pfnDynamicIABufferMapDiscard(w.device, buffer, 0, DISCARD, 0, NULL),
                             E_INVALIDARG);
            assert_int_equal(w.ctx.pfnDynamicIABufferMapDiscard(w.device, buffer, 0, DISCARD, 0, &m),
                             mapped ? E_FAIL : S_OK);
        }
        w.ctx.pfnDynamicIABufferUnmap(w.device, buffer, 0);
        w.fake.error_count = 0;
        free_resource(&w, buffer);
        world_close(&w);
    }
}

static uint64_t clock_ms, clock_step;

static uint64_t edges_now_ms(void *ctx)
{
    (void)ctx;
    return clock_ms;
}

static HRESULT always_busy(HANDLE device, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *args)
{
    (void)device;
    (void)args;
    clock_ms += clock_step;
    w.fake.calls[FAKE_WAIT]++;
    return HRESULT_NT_TIMEOUT;
}

/* A blocking wait ends after four seconds, or without a clock after 4000 polls. */
TEST(blocking_waits_end)
{
    for (unsigned clocked = 0; clocked < 2; clocked++) {
        world_open(&w, AGPU_BACKING_WDK);
        w.fake.env.now_ms = clocked ? edges_now_ms : NULL;
        w.fake.callbacks.pfnWaitForSynchronizationObjectCb = always_busy;
        clock_ms = 1000000;
        clock_step = 500;
        w.fake.calls[FAKE_WAIT] = 0;
        assert_int_equal(agpu_wait_fence(device_of(&w), 1000, false), DXGI_ERROR_DEVICE_HUNG);
        assert_int_equal(w.fake.calls[FAKE_WAIT], clocked ? 9 : 4001);
        assert_int_equal(device_of(&w)->removed, DXGI_ERROR_DEVICE_HUNG);
        w.fake.env.now_ms = NULL;
        world_close(&w);
    }
}

TEST(lent_memory)
{
    static _Alignas(16) uint8_t memory[64];
    struct agpu_cmd_writer *cmd;
    uint8_t *lent;
    size_t bytes;

    world_open(&w, AGPU_BACKING_WDK);
    cmd = &device_of(&w)->imm.cmd;
    lent = cmd->lent;
    bytes = cmd->lent_bytes;
    agpu_cmd_lend(cmd, memory, sizeof memory);
    assert_ptr_equal(cmd->base, memory);
    agpu_cmd_lend(cmd, memory + 4, AGPU_CMD_STREAM_HEADER_BYTES + 4);
    assert_ptr_equal(cmd->lent, memory + 4);
    assert_int_equal(cmd->lent_bytes, AGPU_CMD_STREAM_HEADER_BYTES + 4);
    agpu_cmd_lend(cmd, memory, AGPU_CMD_STREAM_HEADER_BYTES);
    assert_null(cmd->lent);
    agpu_cmd_lend(cmd, NULL, sizeof memory);
    assert_null(cmd->lent);
    agpu_cmd_lend(cmd, lent, bytes);
    world_close(&w);
}

/* A lock may return no pitch: then it does not count. A pitch that is too short is an error. */
TEST(pitch_of_a_lock)
{
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE texture =
        make_texture(&w, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, STAGING, 0, CPU_W | CPU_R);
    flush(&w);
    w.fake.keep_pitch = true;
    accept_map(&w, texture, 0, WRITE);
    w.fake.keep_pitch = false;
    w.fake.lock_pitch = 31;
    assert_int_equal(map(&w, texture, 0, WRITE, 0, &m), E_INVALIDARG);
    assert_false(res(texture)->map.active);
    assert_int_equal(fake_find(&w.fake, res(texture)->alloc_handle)->locks, 0);
    w.fake.error_count = 0;
    w.fake.lock_pitch = 32;
    accept_map(&w, texture, 0, WRITE);
    world_close(&w);
}
