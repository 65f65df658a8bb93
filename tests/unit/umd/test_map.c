/* test_map.c: checks, pointers and packets of Map (required behaviours MAP); test_map_sync.c has the waits. */
#include "tests/unit/umd/resources.h"

HOST_TEST(MAP_02_and_03_host_staging_buffer)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_W);
    assert_int_equal(map(w, buffer, 0, WRITE, 0, &m), S_OK);
    assert_non_null(m.pData);
    assert_int_equal(m.RowPitch, 0);
    assert_int_equal(m.DepthPitch, 0);
    memcpy(m.pData, "0123456789abcdef", 16);
    unmap(w, buffer, 0);
    assert_int_equal(recorded(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), 0);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->offset_bytes, 0);
    assert_int_equal(upload->size_bytes, 16);
    assert_memory_equal(upload + 1, "0123456789abcdef", 16);
    flush(w);
    assert_int_equal(w->fake.submissions[0].list_count, 0);
}

HOST_TEST(MAP_04_host_staging_texture)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 5, 3, STAGING, 0, CPU_W);
    assert_int_equal(map(w, texture, 0, WRITE, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 20);
    assert_int_equal(m.DepthPitch, 60);
    memset(m.pData, 0x42, 60);
    unmap(w, texture, 0);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->offset_bytes, 0);
    assert_int_equal(upload->size_bytes, 60);
    assert_int_equal(((const uint8_t *)(upload + 1))[59], 0x42);
}

GUEST_TEST(MAP_05_guest_staging_buffer)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_W);
    assert_int_equal(map(w, buffer, 0, WRITE, 0, &m), S_OK);
    memcpy(m.pData, "0123456789abcdef", 16);
    unmap(w, buffer, 0);
    flush(w);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        captured_at(w, 0, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 0);
    assert_int_equal(dirty->size_bytes, 16);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_UPLOAD_RESOURCE), 0);
    assert_memory_equal(memory_of(w, buffer), "0123456789abcdef", 16);
    assert_int_equal(listed(w, 0, res(buffer)->alloc_handle), 0);
}

GUEST_TEST(MAP_06_guest_staging_texture)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 5, 3, STAGING, 0, CPU_W);
    assert_int_equal(map(w, texture, 0, WRITE, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 64);
    unmap(w, texture, 0);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 0);
    assert_int_equal(dirty->size_bytes, 192);
}

GUEST_TEST(MAP_07_guest_bc)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 71, 9, 9, STAGING, 0, CPU_W);
    assert_int_equal(map(w, texture, 0, WRITE, 0, &m), S_OK);
    assert_true(m.RowPitch >= 24);
    assert_int_equal(m.DepthPitch, m.RowPitch * 3);
    unmap(w, texture, 0);
}

ALL_MODES_TEST(MAP_18_dynamic_unknown_flags)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DYNAMIC, VB, CPU_W);
    refuse_map(w, buffer, 0, DISCARD, 1, E_INVALIDARG);
    refuse_map(w, buffer, 0, NOOVER, 2, E_INVALIDARG);
}

TEST(MAP_30_guest_dynamic_ia)
{
    check_dynamic_entry(AGPU_BACKING_GUEST, VB);
}

TEST(MAP_31_dynamic_constant_buffer)
{
    check_dynamic_entry(AGPU_BACKING_HOST, CB);
    check_dynamic_entry(AGPU_BACKING_GUEST, CB);
    check_dynamic_entry(AGPU_BACKING_WDK, CB);
}

ALL_MODES_TEST(MAP_32_and_33_dynamic_entry_refusals)
{
    D3D10DDI_HRESOURCE plain = make_buffer(w, 16, D3D10_DDI_USAGE_DEFAULT, VB, 0);
    D3D10DDI_HRESOURCE constant = make_buffer(w, 16, DYNAMIC, CB, CPU_W);
    assert_int_equal(w->ctx.pfnDynamicIABufferMapDiscard(w->device, plain, 0, DISCARD, 0, &m), E_INVALIDARG);
    assert_int_equal(w->ctx.pfnDynamicIABufferMapNoOverwrite(w->device, plain, 0, NOOVER, 0, &m),
                     E_INVALIDARG);
    assert_int_equal(w->ctx.pfnDynamicIABufferMapDiscard(w->device, constant, 0, DISCARD, 0, &m),
                     E_INVALIDARG);
    assert_false(res(constant)->map.active);
}

HOST_TEST(MAP_49_dynamic_entry_checks)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DYNAMIC, VB, CPU_W);
    D3D10DDI_HRESOURCE read_only = make_buffer(w, 16, DYNAMIC, VB, 0);
    assert_int_equal(w->ctx.pfnDynamicIABufferMapDiscard(w->device, buffer, 0, DISCARD, 0, NULL),
                     E_INVALIDARG);
    assert_int_equal(w->ctx.pfnDynamicIABufferMapDiscard(w->device, read_only, 0, DISCARD, 0, &m),
                     E_INVALIDARG);
    assert_int_equal(w->ctx.pfnDynamicIABufferMapDiscard(w->device, buffer, 0, DISCARD, 0, &m), S_OK);
    assert_int_equal(w->ctx.pfnDynamicIABufferMapDiscard(w->device, buffer, 0, DISCARD, 0, &m), E_FAIL);
    unmap(w, buffer, 0);
}

ALL_MODES_TEST(MAP_50_invalid_map_changes_nothing)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, CPU_R);
    refuse_map(w, buffer, 0, 0, 0, E_INVALIDARG);
    refuse_map(w, buffer, 0, 6, 0, E_INVALIDARG);
    refuse_map(w, buffer, 0, READ, 8, E_INVALIDARG);
    refuse_map(w, buffer, 0, WRITE, 0, E_INVALIDARG);
}

HOST_TEST(MAP_55_flags_before_mapping)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 4, 4, STAGING, 0, CPU_W);
    assert_int_equal(map(w, texture, 0, WRITE, 0, &m), S_OK);
    assert_int_equal(map(w, texture, 0, WRITE, 1, &m), E_INVALIDARG);
    assert_int_equal(w->ctx.pfnStagingResourceMap(w->device, texture, 0, WRITE, 1, &m), E_FAIL);
    unmap(w, texture, 0);
}

ALL_MODES_TEST(MAP_57_discard_subresource_before_mapping)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DYNAMIC, VB, CPU_W);
    assert_int_equal(map(w, buffer, 1, DISCARD, 0, &m), E_INVALIDARG);
    assert_int_equal(map(w, buffer, 0, DISCARD, 0, &m), S_OK);
    assert_int_equal(map(w, buffer, 1, DISCARD, 0, &m), E_INVALIDARG);
    w->fake.error_count = 0;
    unmap(w, buffer, 0);
}

/* The checks of function and map type precede the check for an existing mapping (umd.md 6.1, 6.2). */
WDK_TEST(calls_for_other_resources)
{
    D3D10DDI_HRESOURCE vertices = make_buffer(w, 16, DYNAMIC, VB, CPU_W);
    D3D10DDI_HRESOURCE staging = make_buffer(w, 16, STAGING, 0, CPU_W);
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 4, 4, DYNAMIC, VB | SRV, CPU_W);
    for (uint32_t mapped = 0; mapped < 2; mapped++) {
        assert_int_equal(map(w, vertices, 1, NOOVER, 0, &m), E_INVALIDARG);
        assert_int_equal(map(w, texture, 0, DISCARD, 0, &m), E_INVALIDARG);
        expect_errors(w, 2, E_INVALIDARG);
        if (!mapped) {
            assert_int_equal(w->ctx.pfnStagingResourceMap(w->device, staging, 0, WRITE, 0, &m), S_OK);
            assert_int_equal(map(w, vertices, 0, NOOVER, 0, &m), S_OK);
        }
    }
    unmap(w, staging, 0);
    unmap(w, vertices, 0);
}
