/* test_copy.c: copies (required behaviours CPY). */
#include "tests/unit/umd/resources.h"

/* Compares the mapped rows with these tight rows. */
static void expect_rows(const uint8_t *bytes, uint32_t row_bytes, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++) {
        assert_memory_equal((uint8_t *)m.pData + row * m.RowPitch, bytes + row * row_bytes, row_bytes);
    }
}

GROUP_FIXTURE(fill_pattern, NULL);

HOST_TEST(CPY_01_host_buffer)
{
    D3D10DDI_HRESOURCE src = filled_buffer(w, 16), dst = make_buffer(w, 16, STAGING, 0, CPU_R);
    copy_all(w, dst, src);
    const struct aerogpu_cmd_copy_buffer *packet = recorded_at(w, AEROGPU_CMD_COPY_BUFFER, 0);
    assert_int_equal(packet->dst_buffer, res(dst)->handle);
    assert_int_equal(packet->src_buffer, res(src)->handle);
    assert_int_equal(map(w, dst, 0, READ, 0, &m), S_OK);
    assert_memory_equal(m.pData, pattern, 16);
    unmap(w, dst, 0);
}

/* Between buffers of different sizes the smaller size is copied. */
HOST_TEST(buffers_of_two_sizes)
{
    D3D10DDI_HRESOURCE small = filled_buffer(w, 16), large = make_buffer(w, 64, STAGING, 0, CPU_R);
    D3D10DDI_HRESOURCE other = filled_buffer(w, 64), little = make_buffer(w, 32, STAGING, 0, CPU_R);
    copy_all(w, large, small);
    copy_all(w, little, other);
    const struct aerogpu_cmd_copy_buffer *packet = recorded_at(w, AEROGPU_CMD_COPY_BUFFER, 0);
    assert_int_equal(packet->size_bytes, 16);
    packet = recorded_at(w, AEROGPU_CMD_COPY_BUFFER, 1);
    assert_int_equal(packet->size_bytes, 32);
}

HOST_TEST(CPY_02_host_odd_size)
{
    D3D10DDI_HRESOURCE src = filled_buffer(w, 13), dst = make_buffer(w, 13, STAGING, 0, CPU_R);
    copy_all(w, dst, src);
    const struct aerogpu_cmd_copy_buffer *packet = recorded_at(w, AEROGPU_CMD_COPY_BUFFER, 0);
    assert_int_equal(packet->size_bytes, 16);
    assert_int_equal(packet->flags, 0);
}

TEST(CPY_03_and_04_writeback)
{
    for (int i = 1; i < 3; i++) {
        struct world w;

        world_open(&w, all_modes[i]);
        D3D10DDI_HRESOURCE src = filled_buffer(&w, 16);
        D3D10DDI_HRESOURCE readable = make_buffer(&w, 16, STAGING, 0, CPU_R);
        D3D10DDI_HRESOURCE writable = make_buffer(&w, 16, STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE);
        D3D10DDI_HRESOURCE plain = make_buffer(&w, 16, DEFAULT, VB, 0);
        flush(&w);
        w.fake.async = true;
        copy_all(&w, readable, src);
        copy_all(&w, writable, src);
        copy_all(&w, plain, src);
        const struct aerogpu_cmd_copy_buffer *packet = recorded_at(&w, AEROGPU_CMD_COPY_BUFFER, 0);
        assert_int_equal(packet->flags, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        for (uint32_t k = 1; k < 3; k++) {
            packet = recorded_at(&w, AEROGPU_CMD_COPY_BUFFER, k);
            assert_int_equal(packet->flags, 0);
        }
        assert_int_equal(map(&w, readable, 0, READ, 0, &m), S_OK);
        assert_int_equal(w.fake.calls[FAKE_WAIT], 1);
        if (i == 1) {
            assert_memory_equal(m.pData, pattern, 16);
        }
        unmap(&w, readable, 0);
        free_resource(&w, src);
        free_resource(&w, readable);
        free_resource(&w, writable);
        free_resource(&w, plain);
        world_close(&w);
    }
}

FLAT_MODES_TEST(CPY_05_textures)
{
    D3D10DDI_HRESOURCE src = make_texture(w, 28, 5, 3, DEFAULT, SRV, 0);
    w->fake.pitch_multiple =
        mode_of(w) == AGPU_BACKING_GUEST ? 128 : 0; /* source and destination have different pitches */
    D3D10DDI_HRESOURCE dst = make_texture(w, 28, 5, 3, STAGING, 0, CPU_R);
    update(w, src, 0, NULL, pattern, 0);
    copy_all(w, dst, src);
    const struct aerogpu_cmd_copy_texture2d *packet = recorded_at(w, AEROGPU_CMD_COPY_TEXTURE2D, 0);
    assert_int_equal(packet->width, 5);
    assert_int_equal(packet->height, 3);
    assert_int_equal(packet->dst_texture, res(dst)->handle);
    assert_int_equal(packet->src_texture, res(src)->handle);
    assert_int_equal(packet->flags, mode_of(w) == AGPU_BACKING_GUEST ? AEROGPU_COPY_FLAG_WRITEBACK_DST : 0);
    assert_int_equal(map(w, dst, 0, READ, 0, &m), S_OK);
    expect_rows(pattern, 20, 3);
    unmap(w, dst, 0);
}

FLAT_MODES_TEST(CPY_06_and_07_bc)
{
    D3D10DDI_HRESOURCE src = make_texture(w, 71, 9, 9, DEFAULT, SRV, 0);
    D3D10DDI_HRESOURCE dst = make_texture(w, 71, 9, 9, STAGING, 0, CPU_R);
    update(w, src, 0, NULL, pattern, 0);
    copy_all(w, dst, src);
    assert_int_equal(recorded(w, AEROGPU_CMD_COPY_TEXTURE2D), 1);
    const struct aerogpu_cmd_copy_texture2d *packet = recorded_at(w, AEROGPU_CMD_COPY_TEXTURE2D, 0);
    assert_int_equal(packet->width, 9);
    assert_int_equal(packet->height, 9);
    flush(w);
    update(w, src, 0, NULL, pattern + 300, 0);
    const D3D10_DDI_BOX box = box2(4, 0, 8, 4);
    assert_int_equal(copy_region(w, dst, 0, 0, 4, src, 0, &box), S_OK); /* block (1,0) to block (0,1) */
    assert_int_equal(recorded(w, AEROGPU_CMD_COPY_TEXTURE2D), 1);
    packet = recorded_at(w, AEROGPU_CMD_COPY_TEXTURE2D, 0);
    assert_int_equal(packet->src_x, 4);
    assert_int_equal(packet->src_y, 0);
    assert_int_equal(packet->dst_x, 0);
    assert_int_equal(packet->dst_y, 4);
    assert_int_equal(packet->width, 4);
    assert_int_equal(packet->height, 4);
    assert_int_equal(packet->flags, mode_of(w) == AGPU_BACKING_GUEST ? AEROGPU_COPY_FLAG_WRITEBACK_DST : 0);
    assert_int_equal(map(w, dst, 0, READ, 0, &m), S_OK);
    uint8_t expected[72];
    memcpy(expected, pattern, 72);
    memcpy(expected + 24, pattern + 300 + 8, 8);
    expect_rows(expected, 24, 3);
    unmap(w, dst, 0);
}

GUEST_TEST(CPY_08_mips_and_layers)
{
    D3D10DDI_HRESOURCE src = mip_array(w, 28, 4, 3, DEFAULT, SRV, 0),
                       dst = mip_array(w, 28, 4, 3, STAGING, 0, CPU_R);
    static const uint32_t size[] = {4, 2, 1};
    for (uint32_t sub = 0; sub < 6; sub++) {
        update(w, src, sub, NULL, pattern + sub * 64, 0);
    }
    copy_all(w, dst, src);
    assert_int_equal(recorded(w, AEROGPU_CMD_COPY_TEXTURE2D), 6);
    for (uint32_t sub = 0; sub < 6; sub++) {
        const struct aerogpu_cmd_copy_texture2d *packet = recorded_at(w, AEROGPU_CMD_COPY_TEXTURE2D, sub);

        assert_int_equal(packet->dst_array_layer, sub / 3);
        assert_int_equal(packet->src_array_layer, sub / 3);
        assert_int_equal(packet->dst_mip_level, sub % 3);
        assert_int_equal(packet->width, size[sub % 3]);
        assert_int_equal(packet->flags, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    for (uint32_t sub = 0; sub < 6; sub++) {
        assert_int_equal(map(w, dst, sub, READ, 0, &m), S_OK);
        expect_rows(pattern + sub * 64, size[sub % 3] * 4, size[sub % 3]);
        unmap(w, dst, sub);
    }
}

GUEST_TEST(CPY_09_and_21_region_of_mips)
{
    D3D10DDI_HRESOURCE src = mip_array(w, 28, 4, 3, DEFAULT, SRV, 0),
                       dst = mip_array(w, 28, 4, 3, STAGING, 0, CPU_R);
    update(w, src, 1, NULL, pattern, 0);
    assert_int_equal(copy_region(w, dst, 4, 0, 0, src, 1, NULL), S_OK);
    const struct aerogpu_cmd_copy_texture2d *packet = recorded_at(w, AEROGPU_CMD_COPY_TEXTURE2D, 0);
    assert_int_equal(packet->dst_mip_level, 1);
    assert_int_equal(packet->dst_array_layer, 1);
    assert_int_equal(packet->src_mip_level, 1);
    assert_int_equal(packet->src_array_layer, 0);
    assert_int_equal(packet->width, 2);
    assert_int_equal(packet->height, 2);
    assert_int_equal(packet->flags, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    assert_int_equal(map(w, dst, 4, READ, 0, &m), S_OK);
    assert_int_equal(m.RowPitch, 8);
    assert_int_equal(m.DepthPitch, 16);
    assert_memory_equal(m.pData, pattern, 16);
    unmap(w, dst, 4);
}

ALL_MODES_TEST(CPY_10_and_19_kinds_differ)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 64, DEFAULT, VB, 0);
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 4, 4, DEFAULT, SRV, 0);
    const D3D10DDI_HRESOURCE null = {NULL};
    uint32_t before = recorded_total(w);
    copy_all(w, texture, buffer);
    copy_all(w, buffer, texture);
    copy_all(w, null, buffer);
    copy_all(w, buffer, null);
    assert_int_equal(copy_region(w, texture, 0, 0, 0, buffer, 0, NULL), E_INVALIDARG);
    assert_int_equal(copy_region(w, null, 0, 0, 0, buffer, 0, NULL), E_INVALIDARG);
    assert_int_equal(copy_region(w, buffer, 0, 0, 0, null, 0, NULL), E_INVALIDARG);
    assert_int_equal(recorded_total(w), before);
    expect_errors(w, 0, S_OK);
}

ALL_MODES_TEST(CPY_11_formats_differ)
{
    D3D10DDI_HRESOURCE a = make_texture(w, 28, 4, 4, DEFAULT, SRV, 0);
    D3D10DDI_HRESOURCE b = make_texture(w, 87, 4, 4, DEFAULT, SRV, 0);
    assert_int_equal(copy_region(w, a, 0, 0, 0, b, 0, NULL), E_INVALIDARG);
    copy_all(w, a, b);
    expect_errors(w, 1, E_INVALIDARG);
    assert_int_equal(recorded(w, AEROGPU_CMD_COPY_TEXTURE2D), 0);
}

/* Copies between formats of one family, in all modes: typeless and UNORM in one packet, sRGB through a texture of the
 * destination's format with the source's memory, else its bytes. */
TEST(one_family)
{
    static const uint8_t other[] = {27, 29};

    for (int i = 0; i < 6; i++) {
        struct world w;
        const bool host = all_modes[i / 2] == AGPU_BACKING_HOST, across = other[i % 2] == 29;

        world_open(&w, all_modes[i / 2]);
        D3D10DDI_HRESOURCE src = make_texture(&w, 28, 5, 3, DEFAULT, SRV, 0);
        D3D10DDI_HRESOURCE dst = make_texture(&w, other[i % 2], 5, 3, STAGING, 0, CPU_R);
        update(&w, src, 0, NULL, pattern, 0);
        flush(&w);
        copy_all(&w, dst, src);
        expect_errors(&w, 0, S_OK);
        assert_int_equal(recorded(&w, AEROGPU_CMD_COPY_TEXTURE2D), 1);
        assert_int_equal(recorded(&w, AEROGPU_CMD_CREATE_TEXTURE2D), across);
        assert_int_equal(recorded(&w, AEROGPU_CMD_DESTROY_RESOURCE), across);
        assert_int_equal(recorded(&w, AEROGPU_CMD_UPLOAD_RESOURCE), across && host);
        assert_int_equal(recorded(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), across && !host);
        if (host) {
            assert_memory_equal(res(dst)->shadow, pattern, 5 * 4 * 3);
        }
        free_resource(&w, src);
        free_resource(&w, dst);
        world_close(&w);
    }
}

ALL_MODES_TEST(CPY_12_and_20_does_not_fit)
{
    D3D10DDI_HRESOURCE large = make_texture(w, 28, 8, 8, DEFAULT, SRV, 0);
    D3D10DDI_HRESOURCE small = make_texture(w, 28, 4, 4, DEFAULT, SRV, 0);
    const D3D10_DDI_BOX box = box2(0, 0, 4, 4);
    assert_int_equal(copy_region(w, small, 0, 0, 0, large, 0, NULL), E_INVALIDARG);
    assert_int_equal(copy_region(w, small, 0, 1, 0, large, 0, &box), E_INVALIDARG);
    assert_int_equal(copy_region(w, small, 0, 0, 5, large, 0, &box), E_INVALIDARG);
    assert_int_equal(copy_region(w, small, 1, 0, 0, large, 0, &box), E_INVALIDARG);
    assert_int_equal(copy_region(w, small, 0, 0, 0, large, 1, &box), E_INVALIDARG);
    assert_int_equal(w->ctx.pfnResourceCopyRegion(w->device, small, 0, 0, 0, 1, large, 0, &box),
                     E_INVALIDARG);
    assert_int_equal(recorded(w, AEROGPU_CMD_COPY_TEXTURE2D), 0);
}

GUEST_TEST(CPY_14_and_15_tracking)
{
    D3D10DDI_HRESOURCE src = filled_buffer(w, 16), dst = make_buffer(w, 16, STAGING, 0, CPU_R);
    D3D10DDI_HRESOURCE other = make_buffer(w, 16, STAGING, 0, CPU_R);
    flush(w);
    fake_forget(&w->fake);
    copy_all(w, dst, src);
    flush(w);
    assert_int_equal(listed(w, 0, res(dst)->alloc_handle), 1);
    assert_int_equal(listed(w, 0, res(src)->alloc_handle), 0);
    assert_int_equal(res(dst)->last_gpu_write_fence, w->fake.fence);
    assert_int_equal(res(other)->last_gpu_write_fence, 0);
}

GUEST_TEST(CPY_16_failed_submission)
{
    D3D10DDI_HRESOURCE src = filled_buffer(w, 16), dst = make_buffer(w, 16, STAGING, 0, CPU_R);
    flush(w);
    copy_all(w, dst, src);
    w->fake.fail[FAKE_RENDER] = E_FAIL;
    assert_int_equal(flush(w), E_FAIL);
    w->fake.fail[FAKE_RENDER] = S_OK;
    assert_int_equal(res(dst)->last_gpu_write_fence, 0);
    assert_int_equal(map(w, dst, 0, READ, 0, &m), S_OK);
    assert_int_equal(w->fake.calls[FAKE_WAIT], 0);
    unmap(w, dst, 0);
}
