/* test_on_cpu.c: memory of the CPU that lacks the device's writes after a list (umd.md 7.1, 15). */
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/base/device.h"

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
