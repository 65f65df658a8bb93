/* test_content.c: bytes that are written during recording, and out of memory for them (cases.md DEF-09, 13 to 15). */
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/base/device.h"

static D3D10DDI_HRESOURCE dynamic_buffer(struct world *world, uint32_t bytes)
{
    return make_buffer(world, bytes, D3D10_DDI_USAGE_DYNAMIC,
                       D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_CONSTANT_BUFFER,
                       D3D10_DDI_CPU_ACCESS_WRITE);
}

static const uint8_t *upload_bytes(struct world *world, uint32_t nth, uint32_t *handle, uint64_t *bytes)
{
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(world, AEROGPU_CMD_UPLOAD_RESOURCE, nth);

    *handle = upload->resource_handle;
    *bytes = upload->size_bytes;
    return (const uint8_t *)(upload + 1);
}

/* Records a list with many kinds of calls. An allocation may fail at each of them. */
static void record_everything(struct dc *dc, D3D10DDI_HRESOURCE buffer, D3D10DDI_HRESOURCE texture)
{
    static const uint8_t bytes[64 * 64 * 4] = {1};
    const uint32_t stride = 8, offset = 0;
    D3D10DDI_MAPPED_SUBRESOURCE out;

    dc->fn.pfnIaSetVertexBuffers(dc->handle, 0, 1, &buffer, &stride, &offset);
    for (uint32_t i = 0; i < 40; i++) {
        if (SUCCEEDED(dc->fn.pfnResourceMap(dc->handle, buffer, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &out))) {
            memset(out.pData, (int)i, 64);
            dc->fn.pfnResourceUnmap(dc->handle, buffer, 0);
        }
        dc->fn.pfnResourceUpdateSubresourceUP(dc->handle, texture, 0, NULL, bytes, 0, 0);
        dc->fn.pfnDraw(dc->handle, 3, 0);
        dc->fn.pfnIaSetTopology(dc->handle, i % 5 + 1);
    }
}

/* Each allocation of a recording fails once: the context reports one error, Finish fails, the immediate context is not
 * affected, and the context can record again. */
RIG_TEST(DEF_09_out_of_memory_costs_the_list_only, AGPU_BACKING_WDK)
{
    struct dc dc;

    D3D10DDI_HRESOURCE buffer = dynamic_buffer(world, 64);
    D3D10DDI_HRESOURCE texture =
        make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 64, 64, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    start_clean(world);
    uint32_t lost = 0;
    for (uint64_t n = 1;; n++) {
        dc_open(&dc, world);
        D3D10DDI_HRESOURCE local_buffer = dc_resource(&dc, buffer);
        D3D10DDI_HRESOURCE local_texture = dc_resource(&dc, texture);
        size_t used = agpu_cmd_used(&device_of(world)->imm.cmd);
        world->fake.fail_at = n;
        world->fake.fail_at_code = E_OUTOFMEMORY;
        record_everything(&dc, local_buffer, local_texture);
        bool failed = !world->fake.fail_at;
        assert_true(dc.error_count <= 1);
        if (failed) {
            dc_expect_errors(&dc, 1, E_OUTOFMEMORY);
            record_everything(&dc, local_buffer, local_texture); /* ignored */
            dc_expect_errors(&dc, 0, S_OK);
        }
        HRESULT hr;
        D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, &hr);
        bool finish_failed = !failed && !world->fake.fail_at;
        assert_int_equal(hr, failed || finish_failed ? E_OUTOFMEMORY : S_OK);
        lost += hr != S_OK;
        world->fake.fail_at = 0;
        dc.error_count = 0;
        free_list(world, list);
        assert_int_equal(agpu_cmd_used(&device_of(world)->imm.cmd), used);
        expect_errors(world, 0, S_OK);
        /* The context can record again with the same handles. */
        record_everything(&dc, local_buffer, local_texture);
        list = dc_finish(&dc, NULL);
        dc_expect_errors(&dc, 0, S_OK);
        execute(world, list);
        expect_errors(world, 0, S_OK);
        assert_int_equal(recorded(world, AEROGPU_CMD_DRAW), 40);
        free_list(world, list);
        start_clean(world);
        dc_free_resource(&dc, local_texture);
        dc_free_resource(&dc, local_buffer);
        dc_close(&dc);
        if (!failed && !finish_failed) {
            break;
        }
    }
    assert_true(lost > 10);
}

RIG_TEST(DEF_13_only_discard_then_no_overwrite, AGPU_BACKING_WDK)
{
    struct dc dc;
    D3D10DDI_MAPPED_SUBRESOURCE out;

    D3D10DDI_HRESOURCE buffer = dynamic_buffer(world, 32);
    dc_open(&dc, world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer);
    for (uint32_t type = 0; type <= 6; type++) {
        if (type != D3D10_DDI_MAP_WRITE_DISCARD) {
            assert_int_equal(dc.fn.pfnResourceMap(dc.handle, local, 0, type, 0, &out), E_INVALIDARG);
        }
    }
    assert_int_equal(dc.fn.pfnResourceMap(dc.handle, local, 0, D3D10_DDI_MAP_WRITE_DISCARD, 1, &out),
                     E_INVALIDARG);
    assert_int_equal(dc.fn.pfnResourceMap(dc.handle, local, 0, D3D10_DDI_MAP_WRITE_DISCARD,
                                          D3D10_DDI_MAP_FLAG_DONOTWAIT, &out),
                     S_OK);
    assert_int_equal((uintptr_t)out.pData % 16, 0);
    assert_int_equal(dc.fn.pfnResourceMap(dc.handle, local, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &out), E_FAIL);
    memset(out.pData, 1, 16);
    dc.fn.pfnResourceUnmap(dc.handle, local, 0);
    assert_int_equal(dc.fn.pfnResourceMap(dc.handle, local, 0, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0, &out),
                     S_OK);
    assert_int_equal(((uint8_t *)out.pData)[15], 1); /* the old contents are unchanged */
    memset((uint8_t *)out.pData + 16, 2, 16);
    dc.fn.pfnResourceUnmap(dc.handle, local, 0);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    /* The next list starts without a discard. */
    assert_int_equal(dc.fn.pfnResourceMap(dc.handle, local, 0, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0, &out),
                     E_INVALIDARG);
    assert_int_equal(dc.fn.pfnDynamicIABufferMapDiscard(dc.handle, local, 0, 0, 0, &out), S_OK);
    dc.fn.pfnDynamicIABufferUnmap(dc.handle, local, 0);
    assert_int_equal(dc.fn.pfnDynamicConstantBufferMapNoOverwrite(dc.handle, local, 0, 0, 0, &out), S_OK);
    world->dev.pfnAbandonCommandList(dc.handle); /* the open mapping ends with the list */
    assert_int_equal(dc.fn.pfnDynamicConstantBufferMapDiscard(dc.handle, local, 0, 0, 0, &out), S_OK);
    dc.fn.pfnDynamicConstantBufferUnmap(dc.handle, local, 0);
    start_clean(world);
    execute(world, list);
    uint32_t handle;
    uint64_t bytes;
    assert_int_equal(recorded(world, AEROGPU_CMD_UPLOAD_RESOURCE), 2);
    const uint8_t *data = upload_bytes(world, 0, &handle, &bytes);
    assert_int_equal(handle, res(buffer)->handle);
    assert_int_equal(bytes, 32);
    assert_int_equal(data[0] + data[31], 1);
    data = upload_bytes(world, 1, &handle, &bytes);
    assert_int_equal(data[0] + data[31], 3);
    assert_int_equal(res(buffer)->shadow[31], 2);
    free_list(world, list);
    dc_free_resource(&dc, local);
    dc_close(&dc);
}

/* In each mode: guest-backed buffers also get their bytes in stream order, through a temporary. */
static void discards_between_draws(enum agpu_backing_mode mode)
{
    struct world world;
    struct dc dc;

    rig_open(&world, mode);
    D3D10DDI_HRESOURCE buffer = dynamic_buffer(&world, 16);
    dc_open(&dc, &world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer);
    start_clean(&world);
    const uint32_t stride = 4, offset = 0;
    dc.fn.pfnIaSetVertexBuffers(dc.handle, 0, 1, &local, &stride, &offset);
    for (int i = 0; i < 2; i++) {
        D3D10DDI_MAPPED_SUBRESOURCE out;

        assert_int_equal(dc.fn.pfnResourceMap(dc.handle, local, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &out),
                         S_OK);
        memset(out.pData, 0x10 + i, 16);
        dc.fn.pfnResourceUnmap(dc.handle, local, 0);
        dc.fn.pfnDraw(dc.handle, 3 + (uint32_t)i, 0);
    }
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    execute(&world, list);
    bool copies = agpu_is_guest_backed(res(buffer));
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t handle;
        uint64_t bytes;
        const uint8_t *data = upload_bytes(&world, i, &handle, &bytes);

        assert_int_equal(bytes, 16);
        assert_int_equal(data[7], 0x10 + i);
        uint32_t at = recorded_index(&world, AEROGPU_CMD_UPLOAD_RESOURCE, i);
        if (copies) {
            const struct aerogpu_cmd_copy_buffer *copy = recorded_at(&world, AEROGPU_CMD_COPY_BUFFER, i);

            assert_int_equal(copy->src_buffer, handle);
            assert_int_equal(copy->dst_buffer, res(buffer)->handle);
            assert_int_equal(copy->flags, AEROGPU_COPY_FLAG_WRITEBACK_DST);
            assert_true(recorded_index(&world, AEROGPU_CMD_COPY_BUFFER, i) > at);
            at = recorded_index(&world, AEROGPU_CMD_COPY_BUFFER, i);
        } else {
            assert_int_equal(handle, res(buffer)->handle);
        }
        assert_true(recorded_index(&world, AEROGPU_CMD_DRAW, i) > at);
        if (i) {
            assert_true(recorded_index(&world, AEROGPU_CMD_DRAW, 0) <
                        recorded_index(&world, AEROGPU_CMD_UPLOAD_RESOURCE, 1));
        }
    }
    assert_int_equal(recorded(&world, AEROGPU_CMD_DESTROY_RESOURCE), copies ? 2 : 0);
    D3DKMT_HANDLE allocation = res(buffer)->alloc_handle;
    assert_int_equal(flush(&world), S_OK);
    assert_int_equal(listed(&world, 0, allocation), copies ? 1 : -1);
    free_list(&world, list);
    dc_free_resource(&dc, local);
    dc_close(&dc);
    free_resource(&world, buffer);
    world_close(&world);
}

TEST(DEF_14_each_draw_sees_its_discard)
{
    discards_between_draws(AGPU_BACKING_HOST);
    discards_between_draws(AGPU_BACKING_GUEST);
    discards_between_draws(AGPU_BACKING_WDK);
}

static void updates(enum agpu_backing_mode mode)
{
    struct world world;
    struct dc dc;

    rig_open(&world, mode);
    D3D10DDI_HRESOURCE buffer = make_buffer(&world, 32, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    D3D10DDI_HRESOURCE texture =
        make_texture(&world, DXGI_FORMAT_B8G8R8A8_UNORM, 8, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    dc_open(&dc, &world);
    D3D10DDI_HRESOURCE local_buffer = dc_resource(&dc, buffer), local_texture = dc_resource(&dc, texture);
    start_clean(&world);
    uint8_t *source = malloc(128);
    memset(source, 0xAB, 128);
    const D3D10_DDI_BOX span = {8, 0, 0, 16, 1, 1}; /* left top front right bottom back */
    dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, local_buffer, 0, &span, source, 0, 0);
    const D3D10_DDI_BOX corner = {2, 1, 0, 6, 3, 1};
    dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, local_texture, 0, &corner, source, 32, 0);
    memset(source, 0, 128);
    free(source);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    execute(&world, list);
    dc_expect_errors(&dc, 0, S_OK);
    expect_errors(&world, 0, S_OK);
    uint32_t handle;
    uint64_t bytes;
    const uint8_t *data = upload_bytes(&world, 0, &handle, &bytes);
    assert_int_equal(bytes, 8);
    assert_int_equal(data[0], 0xAB);
    assert_int_equal(data[7], 0xAB);
    data = upload_bytes(&world, 1, &handle, &bytes);
    if (agpu_is_guest_backed(res(texture))) {
        const struct aerogpu_cmd_copy_texture2d *copy = recorded_at(&world, AEROGPU_CMD_COPY_TEXTURE2D, 0);

        assert_int_equal(copy->src_texture, handle);
        assert_int_equal(copy->dst_texture, res(texture)->handle);
        assert_int_equal(copy->dst_x, 2);
        assert_int_equal(copy->dst_y, 1);
        assert_int_equal(copy->width, 4);
        assert_int_equal(copy->height, 2);
        assert_int_equal(copy->flags, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        assert_int_equal(bytes, 2 * 4 * 4);
        assert_int_equal(data[31], 0xAB);
        const struct aerogpu_cmd_copy_buffer *span_copy = recorded_at(&world, AEROGPU_CMD_COPY_BUFFER, 0);
        assert_int_equal(span_copy->dst_offset_bytes, 8);
        assert_int_equal(span_copy->size_bytes, 8);
    } else {
        assert_int_equal(handle, res(texture)->handle);
        assert_int_equal(bytes, 2 * 8 * 4); /* the rows of the box only */
        assert_int_equal(data[0], 0);
        assert_int_equal(data[8], 0xAB);
        assert_int_equal(data[23], 0xAB);
        assert_int_equal(data[24], 0);
        assert_int_equal(res(texture)->shadow[32 + 8], 0xAB);
    }
    if (mode == AGPU_BACKING_GUEST) { /* the fake has no device: the CPU has copied instead */
        const struct fake_allocation *memory = fake_find(&world.fake, res(buffer)->alloc_handle);
        assert_int_equal(memory->memory[7], 0xA5);
        assert_int_equal(memory->memory[8], 0xAB);
        assert_int_equal(memory->memory[15], 0xAB);
    }
    free_list(&world, list);
    dc_free_resource(&dc, local_texture);
    dc_free_resource(&dc, local_buffer);
    dc_close(&dc);
    free_resource(&world, texture);
    free_resource(&world, buffer);
    world_close(&world);
}

TEST(DEF_15_update_copies_its_source)
{
    updates(AGPU_BACKING_HOST);
    updates(AGPU_BACKING_GUEST);
    updates(AGPU_BACKING_WDK);
}

RIG_TEST(invalid_updates_record_nothing, AGPU_BACKING_WDK)
{
    struct dc dc;

    D3D10DDI_HRESOURCE buffer = make_buffer(world, 32, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    dc_open(&dc, world);
    D3D10DDI_HRESOURCE local = dc_resource(&dc, buffer);
    const uint8_t source[32] = {0};
    const D3D10_DDI_BOX outside = {0, 0, 0, 33, 1, 1}, empty = {4, 0, 0, 4, 1, 1};
    dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, local, 0, NULL, NULL, 0, 0);
    dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, local, 1, NULL, source, 0, 0);
    dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, local, 0, &outside, source, 0, 0);
    dc_expect_errors(&dc, 3, E_INVALIDARG);
    dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, local, 0, &empty, source, 0, 0);
    dc.fn.pfnResourceUpdateSubresourceUP(dc.handle, (D3D10DDI_HRESOURCE){NULL}, 0, NULL, source, 0, 0);
    dc_expect_errors(&dc, 0, S_OK);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    const struct agpu_command_list *finished = list.pDrvPrivate;
    assert_int_equal(finished->body->stream_bytes, 0);
    free_list(world, list);
    dc_free_resource(&dc, local);
    dc_close(&dc);
}
