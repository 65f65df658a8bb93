/* test_copy_wdk.c: ranges, readback, missing room, and copies that differ on Windows (required behaviours CPY). */
#include "tests/unit/umd/views.h"
#include "tests/unit/umd/resources.h"
#include "umd-port/format/layout.h"

GROUP_FIXTURE(fill_pattern, NULL);

TEST(CPY_13_buffer_region)
{
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE src = filled_buffer(&w, 16), dst = make_buffer(&w, 16, DEFAULT, VB, 0);
    const D3D10_DDI_BOX box = box2(0, 0, 8, 1);
    assert_int_equal(copy_region(&w, dst, 0, 4, 0, src, 0, NULL), E_NOTIMPL);
    assert_int_equal(copy_region(&w, dst, 0, 0, 0, src, 0, &box), E_NOTIMPL);
    assert_int_equal(copy_region(&w, dst, 0, 0, 0, src, 0, NULL), S_OK);
    assert_int_equal(recorded(&w, AEROGPU_CMD_COPY_BUFFER), 1);
    free_resource(&w, src);
    free_resource(&w, dst);
    world_close(&w);
    /* Windows copies ranges: the device copies aligned ones, the CPU copies others. */
    world_open(&w, AGPU_BACKING_WDK);
    src = filled_buffer(&w, 16);
    dst = make_buffer(&w, 16, DEFAULT, VB, 0);
    flush(&w);
    assert_int_equal(copy_region(&w, dst, 0, 4, 0, src, 0, &box), S_OK);
    const struct aerogpu_cmd_copy_buffer *packet = recorded_at(&w, AEROGPU_CMD_COPY_BUFFER, 0);
    assert_int_equal(packet->dst_offset_bytes, 4);
    assert_int_equal(packet->src_offset_bytes, 0);
    assert_int_equal(packet->size_bytes, 8);
    const D3D10_DDI_BOX odd = box2(1, 0, 4, 1), two_rows = box2(0, 0, 4, 2);
    assert_int_equal(copy_region(&w, dst, 0, 2, 0, src, 0, &odd), S_OK);
    assert_int_equal(recorded(&w, AEROGPU_CMD_COPY_BUFFER),
                     0); /* submitted before the CPU accesses the memory */
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 0);
    assert_int_equal(dirty->size_bytes, 8);
    assert_memory_equal(fake_find(&w.fake, res(dst)->alloc_handle)->memory + 2, pattern + 1, 3);
    assert_int_equal(copy_region(&w, dst, 0, 0, 0, src, 0, &two_rows), E_NOTIMPL);
    free_resource(&w, src);
    free_resource(&w, dst);
    world_close(&w);
}

/* Not in the list: the device refuses to copy a resource onto itself, so a region copy uses a temporary. */
WDK_TEST(wdk_region_within_one_resource)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 8, 8, DEFAULT, SRV, 0);
    const D3D10_DDI_BOX box = box2(0, 0, 4, 4);
    flush(w);
    assert_int_equal(copy_region(w, texture, 0, 2, 2, texture, 0, &box), S_OK);
    assert_int_equal(recorded(w, AEROGPU_CMD_COPY_TEXTURE2D), 2);
    const struct aerogpu_cmd_create_texture2d *temporary = recorded_at(w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    const struct aerogpu_cmd_copy_texture2d *out = recorded_at(w, AEROGPU_CMD_COPY_TEXTURE2D, 0);
    const struct aerogpu_cmd_copy_texture2d *back = recorded_at(w, AEROGPU_CMD_COPY_TEXTURE2D, 1);
    const struct aerogpu_cmd_destroy_resource *destroy = recorded_at(w, AEROGPU_CMD_DESTROY_RESOURCE, 0);
    assert_int_equal(out->dst_texture, temporary->texture_handle);
    assert_int_equal(back->src_texture, temporary->texture_handle);
    assert_int_equal(destroy->resource_handle, temporary->texture_handle);
    assert_int_equal(out->src_texture, res(texture)->handle);
    assert_int_equal(back->dst_texture, res(texture)->handle);
    assert_int_equal(back->dst_x, 2);
}

HOST_TEST(CPY_22_host_readback)
{
    D3D10DDI_HRESOURCE src = filled_buffer(w, 16), dst = make_buffer(w, 16, STAGING, 0, CPU_R);
    copy_all(w, dst, src);
    assert_int_equal(w->fake.submission_count, 0);
    assert_int_equal(map(w, dst, 0, READ, 0, &m), S_OK);
    assert_int_equal(w->fake.submission_count, 1);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_COPY_BUFFER), 1);
    const struct aerogpu_cmd_copy_buffer *packet = captured_at(w, 0, AEROGPU_CMD_COPY_BUFFER, 0);
    assert_int_equal(packet->flags, 0);
    unmap(w, dst, 0);
}

ALL_MODES_TEST(CPY_23_no_room)
{
    D3D10DDI_HRESOURCE src = filled_buffer(w, 16), dst = make_buffer(w, 16, STAGING, 0, CPU_R);
    D3D10DDI_HRESOURCE a = mip_array(w, 28, 4, 3, DEFAULT, SRV, 0),
                       b = mip_array(w, 28, 4, 3, STAGING, 0, CPU_R);
    flush(w);
    world_bound_stream(w, 64 * 5);
    copy_all(w, b, a); /* needs six packets */
    expect_errors(w, 1, E_OUTOFMEMORY);
    assert_int_equal(recorded_total(w), 0);
    world_bound_stream(w, 40);
    copy_all(w, dst, src);
    expect_errors(w, 1, E_OUTOFMEMORY);
    assert_int_equal(copy_region(w, dst, 0, 0, 0, src, 0, NULL), E_OUTOFMEMORY);
    expect_errors(w, mode_of(w) == AGPU_BACKING_WDK, E_OUTOFMEMORY);
    assert_int_equal(map(w, dst, 0, READ, 0, &m), S_OK);
    assert_int_equal(w->fake.calls[FAKE_WAIT], 0);
    assert_memory_not_equal(m.pData, pattern, 16);
    unmap(w, dst, 0);
    world_bound_stream(w, 4096);
}

/* Not in the list: without the TRANSFER feature the device gets no COPY packet. */
WDK_TEST(wdk_without_transfer)
{
    D3D10DDI_HRESOURCE src = filled_buffer(w, 16), dst = make_buffer(w, 16, STAGING, 0, CPU_R);
    flush(w);
    adapter_of(w)->info.device_features = 0;
    copy_all(w, dst, src);
    assert_int_equal(recorded(w, AEROGPU_CMD_COPY_BUFFER), 0);
    assert_int_equal(recorded(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), 1);
    assert_memory_equal(fake_find(&w->fake, res(dst)->alloc_handle)->memory, pattern, 16);
}

/* Without transfer, the CPU copies the rectangle between mips and layers of any pitch, and announces the written
 * range. */
TEST(wdk_textures_without_transfer)
{
    static const struct {
        uint32_t dst_sub, src_sub, x, y;
        D3D10_DDI_BOX box;
    } rows[] = {{0, 0, 0, 0, {0, 0, 0, 8, 8, 1}},
                {0, 0, 3, 2, {1, 4, 0, 5, 7, 1}},
                {3, 1, 1, 0, {2, 1, 0, 4, 4, 1}},
                {4, 3, 0, 3, {0, 0, 0, 1, 1, 1}}};

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct world w;
        struct agpu_subresource to, from;

        world_open(&w, AGPU_BACKING_WDK);
        D3D10DDI_HRESOURCE src = mip_array(&w, 28, 8, 3, DEFAULT, SRV, 0),
                           dst = mip_array(&w, 28, 8, 3, STAGING, 0, CPU_R);
        uint8_t *in = memory_of(&w, src), *out = memory_of(&w, dst);
        for (uint64_t at = 0; at < res(src)->bytes; at++) {
            in[at] = (uint8_t)(at * 7 + at / 256);
        }
        memset(out, 0xEE, (size_t)res(dst)->bytes);
        flush(&w);
        adapter_of(&w)->info.device_features = 0;
        assert_int_equal(
            copy_region(&w, dst, rows[i].dst_sub, rows[i].x, rows[i].y, src, rows[i].src_sub, &rows[i].box),
            S_OK);
        assert_int_equal(recorded(&w, AEROGPU_CMD_COPY_TEXTURE2D), 0);
        assert_true(agpu_layout_subresource(&res(dst)->layout, rows[i].dst_sub, &to));
        assert_true(agpu_layout_subresource(&res(src)->layout, rows[i].src_sub, &from));
        const struct aerogpu_cmd_resource_dirty_range *dirty =
            recorded_at(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
        assert_int_equal(dirty->resource_handle, res(dst)->handle);
        assert_int_equal(dirty->offset_bytes, to.offset);
        assert_int_equal(dirty->size_bytes, to.bytes);
        uint64_t written = 0;
        for (int32_t y = rows[i].box.top; y < rows[i].box.bottom; y++) {
            uint64_t at =
                to.offset + (rows[i].y + (uint32_t)(y - rows[i].box.top)) * to.pitch + rows[i].x * 4;
            uint32_t bytes = (uint32_t)(rows[i].box.right - rows[i].box.left) * 4;

            assert_memory_equal(out + at, in + from.offset + (uint32_t)y * from.pitch + rows[i].box.left * 4,
                                bytes);
            memset(out + at, 0xEE, bytes);
            written += bytes;
        }
        assert_true(written != 0);
        for (uint64_t at = 0; at < res(dst)->bytes; at++) {
            assert_int_equal(out[at], 0xEE); /* all else is unchanged */
        }
        flush(&w);
        assert_true(listed(&w, w.fake.submission_count - 1, res(dst)->alloc_handle) >= 0);
        free_resource(&w, src);
        free_resource(&w, dst);
        world_close(&w);
    }
}
