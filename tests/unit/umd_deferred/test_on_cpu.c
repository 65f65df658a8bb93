/* test_on_cpu.c: the CPU's part in executing a list: bytes that are not aligned for the device's copies, and memory
 * that Discard renames (umd.md 7.1, 7.3, 15). */
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/base/device.h"

/* Checks a copy of the device's bytes of a buffer back to guest memory, through a temporary. */
static void expect_refresh(struct world *world, uint32_t submission, uint32_t nth, D3D10DDI_HRESOURCE buffer,
                           uint64_t offset, uint64_t bytes)
{
    const struct aerogpu_cmd_copy_buffer *out =
        captured_at(world, submission, AEROGPU_CMD_COPY_BUFFER, 2 * nth);
    const struct aerogpu_cmd_copy_buffer *back =
        captured_at(world, submission, AEROGPU_CMD_COPY_BUFFER, 2 * nth + 1);
    assert_int_equal(out->src_buffer, res(buffer)->handle);
    assert_int_equal(out->src_offset_bytes, offset);
    assert_int_equal(out->size_bytes, bytes);
    assert_int_equal(back->src_buffer, out->dst_buffer);
    assert_int_equal(back->dst_buffer, res(buffer)->handle);
    assert_int_equal(back->dst_offset_bytes, offset);
    assert_int_equal(back->flags, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    assert_int_equal(listed(world, submission, res(buffer)->alloc_handle), 1);
}

/* After a list, guest memory lacks what the device wrote, except resources that the CPU may read: these are written
 * back. */
RIG_TEST(lists_leave_the_device_ahead, AGPU_BACKING_WDK)
{
    struct dc dc;

    D3D10DDI_HRESOURCE from = make_buffer(world, 32, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    D3D10DDI_HRESOURCE to = make_buffer(world, 32, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    D3D10DDI_HRESOURCE read = make_buffer(world, 32, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE image =
        make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    D3D10DDI_HRESOURCE read_image = make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4,
                                                 D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ);
    const D3D10DDI_HRESOURCE all[] = {from, to, read, image, read_image};
    D3D10DDI_HRESOURCE local[5];
    dc_open(&dc, world);
    for (unsigned i = 0; i < 5; i++) {
        local[i] = dc_resource(&dc, all[i]);
    }
    start_clean(world);
    for (unsigned before = 0; before < 2; before++) {
        dc.fn.pfnResourceCopy(dc.handle, local[1], local[0]);
        dc.fn.pfnResourceCopy(dc.handle, local[2], local[0]);
        dc.fn.pfnResourceCopy(dc.handle, local[4], local[3]);
        D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
        res(from)->device_ahead = before != 0;
        res(to)->device_ahead = false;
        execute(world, list);
        expect_errors(world, 0, S_OK);
        assert_int_equal(res(from)->device_ahead, before != 0);
        assert_true(res(to)->device_ahead);
        assert_int_equal(recorded(world, AEROGPU_CMD_COPY_BUFFER), 2);
        const struct aerogpu_cmd_copy_buffer *copy = recorded_at(world, AEROGPU_CMD_COPY_BUFFER, 0);
        assert_int_equal(copy->flags, AEROGPU_COPY_FLAG_NONE);
        copy = recorded_at(world, AEROGPU_CMD_COPY_BUFFER, 1);
        assert_int_equal(copy->flags, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        const struct aerogpu_cmd_copy_texture2d *back = recorded_at(world, AEROGPU_CMD_COPY_TEXTURE2D, 0);
        assert_int_equal(back->flags, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        assert_non_null(res(read)->pending_link);
        assert_non_null(res(read_image)->pending_link);
        assert_null(res(to)->pending_link);
        free_list(world, list);
        start_clean(world);
    }
    for (unsigned i = 0; i < 5; i++) {
        dc_free_resource(&dc, local[i]);
    }
    dc_close(&dc);
    for (unsigned i = 0; i < 5; i++) {
        free_resource(world, all[i]);
    }
}

RIG_TEST(bytes_off_the_grid_are_copied_by_the_cpu, AGPU_BACKING_WDK)
{
    struct dc dc;

    D3D10DDI_HRESOURCE from = make_buffer(world, 32, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    D3D10DDI_HRESOURCE to = make_buffer(world, 32, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    dc_open(&dc, world);
    D3D10DDI_HRESOURCE local_from = dc_resource(&dc, from), local_to = dc_resource(&dc, to);
    start_clean(world);
    const D3D10_DDI_BOX odd = {3, 0, 0, 8, 1, 1};
    assert_int_equal(dc.fn.pfnResourceCopyRegion(dc.handle, local_to, 0, 17, 0, 0, local_from, 0, &odd),
                     S_OK);
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    memset(fake_find(&world->fake, res(from)->alloc_handle)->memory, 0x11, 32);
    uint8_t *memory = fake_find(&world->fake, res(to)->alloc_handle)->memory;
    memset(memory, 0x22, 32);
    execute(world, list);
    expect_errors(world, 0, S_OK);
    expect_refresh(world, 0, 0, from, 0, 8);
    expect_refresh(world, 0, 1, to, 16, 8);
    for (uint32_t i = 0; i < 32; i++) {
        assert_int_equal(memory[i], i >= 17 && i < 22 ? 0x11 : 0x22);
    }
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(world, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->resource_handle, res(to)->handle);
    assert_int_equal(dirty->offset_bytes, 16);
    assert_int_equal(dirty->size_bytes, 8);
    free_list(world, list);
    dc_free_resource(&dc, local_to);
    dc_free_resource(&dc, local_from);
    dc_close(&dc);
}
