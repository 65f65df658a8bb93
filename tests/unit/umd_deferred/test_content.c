/* test_content.c: bytes that are written during recording (cases.md DEF-13). */
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
