/* test_copy.c: copies (required behaviours CPY). */
#include "tests/unit/umd/resources.h"

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
