/* test_update.c: UpdateSubresource (required behaviours UPD). */
#include "tests/unit/umd/resources.h"

/* Checks that the only recorded packet of contents covers [offset, +bytes): an upload, whose data is returned, or a
 * range. */
static const uint8_t *expect_range(struct world *w, bool upload, uint64_t offset, uint64_t bytes)
{
    assert_int_equal(recorded(w, AEROGPU_CMD_UPLOAD_RESOURCE), upload);
    assert_int_equal(recorded(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), !upload);
    if (!upload) {
        const struct aerogpu_cmd_resource_dirty_range *dirty =
            recorded_at(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
        assert_int_equal(dirty->offset_bytes, offset);
        assert_int_equal(dirty->size_bytes, bytes);
        return NULL;
    }
    const struct aerogpu_cmd_upload_resource *packet = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(packet->offset_bytes, offset);
    assert_int_equal(packet->size_bytes, bytes);
    return (const uint8_t *)(packet + 1);
}

static void expect_nothing(struct world *w)
{
    assert_int_equal(recorded(w, AEROGPU_CMD_UPLOAD_RESOURCE), 0);
    assert_int_equal(recorded(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), 0);
}

GROUP_FIXTURE(fill_pattern, NULL);

HOST_TEST(UPD_01_host_buffer)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 13, DEFAULT, VB, 0);
    update(w, buffer, 0, NULL, pattern, 0);
    const uint8_t *data = expect_range(w, true, 0, 16);
    assert_memory_equal(data, pattern, 13);
    assert_memory_equal(data + 13, "\0\0\0", 3);
}

GUEST_TEST(UPD_02_guest_buffer)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 13, DEFAULT, VB, 0);
    update(w, buffer, 0, NULL, pattern, 0);
    expect_range(w, false, 0, 13);
    assert_memory_equal(memory_of(w, buffer), pattern, 13);
}

HOST_TEST(UPD_03_host_texture)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 3, 2, DEFAULT, SRV, 0);
    update(w, texture, 0, NULL, pattern, 20);
    const uint8_t *data = expect_range(w, true, 0, 24);
    assert_memory_equal(data, pattern, 12);
    assert_memory_equal(data + 12, pattern + 20, 12);
    flush(w);
    assert_int_equal(w->fake.submissions[0].list_count, 0);
}

GUEST_TEST(UPD_04_guest_texture)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 3, 2, DEFAULT, SRV, 0);
    update(w, texture, 0, NULL, pattern, 0);
    expect_range(w, false, 0, 128);
    static const uint8_t zeros[52];
    for (uint32_t row = 0; row < 2; row++) {
        assert_memory_equal(memory_of(w, texture) + 64 * row, pattern + 12 * row, 12);
        assert_memory_equal(memory_of(w, texture) + 64 * row + 12, zeros, 52);
    }
}

FLAT_MODES_TEST(UPD_05_and_06_mip_of_array)
{
    D3D10DDIARG_CREATERESOURCE desc = texture_desc(28, 4, 4, DEFAULT, SRV, 0);
    desc.MipLevels = 3;
    desc.ArraySize = 2;
    D3D10DDI_HRESOURCE texture = make(w, &desc);
    update(w, texture, 4, NULL, pattern, 0);
    expect_range(w, mode_of(w) == AGPU_BACKING_HOST, mode_of(w) == AGPU_BACKING_HOST ? 84 + 64 : 276 + 256,
                 16);
}

FLAT_MODES_TEST(UPD_07_bc)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 71, 8, 8, DEFAULT, SRV, 0);
    update(w, texture, 0, NULL, pattern, 24);
    const uint8_t *data =
        expect_range(w, mode_of(w) == AGPU_BACKING_HOST, 0, mode_of(w) == AGPU_BACKING_HOST ? 32 : 128);
    if (mode_of(w) == AGPU_BACKING_GUEST) {
        data = memory_of(w, texture);
    }
    assert_memory_equal(data, pattern, 16);
    assert_memory_equal(data + (mode_of(w) == AGPU_BACKING_GUEST ? 64 : 16), pattern + 24, 16);
}

HOST_TEST(UPD_08_and_09_host_buffer_box)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DEFAULT, VB, 0);
    D3D10_DDI_BOX box = box2(4, 0, 8, 1);
    update(w, buffer, 0, &box, "abcd", 0);
    assert_memory_equal(expect_range(w, true, 4, 4), "abcd", 4);
    flush(w);
    box = box2(1, 0, 6, 1);
    update(w, buffer, 0, &box, "vwxyz", 0);
    assert_memory_equal(expect_range(w, true, 0, 8), "\0vwxyzcd", 8);
}

GUEST_TEST(UPD_10_guest_buffer_box)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DEFAULT, VB, 0);
    update(w, buffer, 0, NULL, "0123456789abcdef", 0);
    flush(w);
    const D3D10_DDI_BOX box = box2(5, 0, 9, 1);
    update(w, buffer, 0, &box, "WXYZ", 0);
    expect_range(w, false, 0, 16);
    assert_memory_equal(memory_of(w, buffer), "01234WXYZ9abcdef", 16);
}

HOST_TEST(UPD_11_and_23_host_texture_box)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 3, 2, STAGING, 0, D3D10_DDI_CPU_ACCESS_READ);
    update(w, texture, 0, NULL, pattern, 0);
    flush(w);
    const D3D10_DDI_BOX box = box2(0, 1, 3, 2);
    update(w, texture, 0, &box, pattern + 100, 0);
    assert_memory_equal(expect_range(w, true, 12, 12), pattern + 100, 12);
    assert_int_equal(map(w, texture, 0, D3D10_DDI_MAP_READ, 0, &m), S_OK);
    assert_memory_equal(m.pData, pattern, 12);
    assert_memory_equal((uint8_t *)m.pData + m.RowPitch, pattern + 100, 12);
    unmap(w, texture, 0);
}

GUEST_TEST(UPD_12_guest_texture_box)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 3, 2, DEFAULT, SRV, 0);
    update(w, texture, 0, NULL, pattern, 0);
    flush(w);
    memset(memory_of(w, texture) + 12, 0xEE, 52); /* padding is unchanged */
    const D3D10_DDI_BOX box = box2(1, 0, 2, 1);
    update(w, texture, 0, &box, "WXYZ", 0);
    expect_range(w, false, 0, 64);
    const uint8_t *memory = memory_of(w, texture);
    assert_memory_equal(memory, pattern, 4);
    assert_memory_equal(memory + 4, "WXYZ", 4);
    assert_memory_equal(memory + 8, pattern + 8, 4);
    assert_int_equal(memory[12], 0xEE);
    assert_memory_equal(memory + 64, pattern + 12, 12);
}

FLAT_MODES_TEST(UPD_13_and_14_bc_box)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 71, 8, 8, DEFAULT, SRV, 0);
    flush(w);
    const D3D10_DDI_BOX box = box2(0, 4, 8, 8);
    update(w, texture, 0, &box, pattern, 0);
    uint32_t pitch = mode_of(w) == AGPU_BACKING_GUEST ? 64 : 16;
    expect_range(w, mode_of(w) == AGPU_BACKING_HOST, pitch, pitch);
}

ALL_MODES_TEST(UPD_15_and_25_misaligned_bc_box)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 71, 5, 5, DEFAULT, SRV, 0);
    static const int32_t bad[][4] = {{1, 0, 5, 4}, {0, 2, 4, 5}, {0, 0, 3, 4}, {0, 0, 4, 3}};
    for (uint32_t k = 0; k < 4; k++) {
        const D3D10_DDI_BOX box = box2(bad[k][0], bad[k][1], bad[k][2], bad[k][3]);

        update(w, texture, 0, &box, pattern, 0);
    }
    expect_nothing(w);
    assert_int_equal(recorded_total(w), 1); /* the CREATE */
}

FLAT_MODES_TEST(UPD_16_and_24_bc_edge_box)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 71, 5, 5, DEFAULT, SRV, 0);
    update(w, texture, 0, NULL, pattern, 0);
    flush(w);
    const D3D10_DDI_BOX box = box2(4, 4, 5, 5);
    update(w, texture, 0, &box, pattern + 200, 0);
    uint32_t pitch = mode_of(w) == AGPU_BACKING_GUEST ? 64 : 16;
    const uint8_t *row = expect_range(w, mode_of(w) == AGPU_BACKING_HOST, pitch, pitch);
    if (mode_of(w) == AGPU_BACKING_GUEST) {
        row = memory_of(w, texture) + 64;
    }
    assert_memory_equal(row, pattern + 16, 8);
    assert_memory_equal(row + 8, pattern + 200, 8);
}

ALL_MODES_TEST(UPD_17_to_19_and_27_invalid)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DEFAULT, VB, 0);
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 5, 4, DEFAULT, SRV, 0);
    D3D10_DDI_BOX box = box2(0, 0, 17, 1);
    update(w, buffer, 0, &box, pattern, 0);
    box = box2(0, 0, 6, 1);
    update(w, texture, 0, &box, pattern, 0);
    box = box2(0, 3, 5, 5);
    update(w, texture, 0, &box, pattern, 0);
    box = box2(0, 0, 4, 1);
    box.front = 1;
    box.back = 2;
    update(w, buffer, 0, &box, pattern, 0);
    update(w, texture, 0, &box, pattern, 0);
    box.front = 0;
    update(w, texture, 0, &box, pattern, 0); /* back is 2 */
    update(w, buffer, 0, NULL, NULL, 0);     /* UPD-19 */
    update(w, texture, 0, NULL, NULL, 0);
    update(w, texture, 0, NULL, pattern, 16); /* UPD-27 */
    update(w, texture, 1, NULL, pattern, 0);
    update(w, buffer, 1, NULL, pattern, 0);
    expect_nothing(w);
    expect_errors(w, 11, E_INVALIDARG);
    for (int32_t left = 4; left <= 8; left += 4) { /* empty ranges: not an error */
        box = box2(left, 0, 4, 1);
        update(w, buffer, 0, &box, pattern, 0);
    }
    expect_nothing(w);
    expect_errors(w, 0, S_OK);
}

/* The pitch of a single row is not read. */
ALL_MODES_TEST(single_rows)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 5, 4, DEFAULT, SRV, 0);
    const D3D10_DDI_BOX box = box2(0, 1, 5, 2);
    flush(w);
    update(w, texture, 0, &box, pattern, 4);
    expect_errors(w, 0, S_OK);
    assert_int_equal(recorded(w, AEROGPU_CMD_UPLOAD_RESOURCE) + recorded(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE),
                     1);
}

WDK_TEST(UPD_20_mapped)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE);
    assert_int_equal(map(w, buffer, 0, D3D10_DDI_MAP_WRITE, 0, &m), S_OK);
    update(w, buffer, 0, NULL, pattern, 0);
    expect_nothing(w);
    expect_errors(w, 1, E_FAIL);
    unmap(w, buffer, 0);
}

WDK_TEST(UPD_21_referenced_by_recorded_work)
{
    D3D10DDI_HRESOURCE src = make_buffer(w, 16, DEFAULT, VB, 0);
    D3D10DDI_HRESOURCE dst = make_buffer(w, 16, DEFAULT, VB, 0);
    flush(w);
    update(w, src, 0, NULL, pattern, 0);
    flush(w);
    fake_forget(&w->fake);
    w->ctx.pfnResourceCopy(w->device, dst, src);
    update(w, src, 0, NULL, pattern + 50, 0);
    /* A small update of a buffer is sent in the stream. */
    assert_int_equal(w->fake.submission_count, 0);
    assert_int_equal(recorded(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), 0);
    const struct aerogpu_cmd_create_buffer *upload_buffer = recorded_at(w, AEROGPU_CMD_CREATE_BUFFER, 0);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    const struct aerogpu_cmd_copy_buffer *copy = recorded_at(w, AEROGPU_CMD_COPY_BUFFER, 1);
    assert_int_equal(upload->resource_handle, upload_buffer->buffer_handle);
    assert_int_equal(upload->size_bytes, 16);
    assert_memory_equal(upload + 1, pattern + 50, 16);
    assert_int_equal(copy->src_buffer, upload_buffer->buffer_handle);
    assert_int_equal(copy->dst_buffer, res(src)->handle);
    assert_int_equal(copy->size_bytes, 16);
    assert_memory_equal(memory_of(w, src), pattern, 16);
    /* An update of parts of words needs the device's words: they are written back first. */
    const D3D10_DDI_BOX odd = box2(5, 0, 7, 1);
    update(w, src, 0, &odd, pattern + 80, 0);
    assert_int_equal(w->fake.submission_count, 1);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_COPY_BUFFER), 4);
    const struct aerogpu_cmd_copy_buffer *back = captured_at(w, 0, AEROGPU_CMD_COPY_BUFFER, 3);
    assert_int_equal(back->dst_buffer, res(src)->handle);
    assert_int_equal(back->dst_offset_bytes, 4);
    assert_int_equal(back->size_bytes, 4);
    assert_int_equal(back->flags, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 5); /* exactly the written bytes */
    assert_int_equal(dirty->size_bytes, 2);
    assert_int_equal(w->fake.lock_flags.Value, 2); /* WriteOnly: the kernel waits for the copies */
    uint32_t render_at = 0, lock_at = 0;
    for (uint32_t e = 0; e < w->fake.event_count; e++) {
        if (w->fake.events[e] == FAKE_RENDER) {
            render_at = e;
        }
        if (w->fake.events[e] == FAKE_LOCK) {
            lock_at = e;
        }
    }
    assert_true(render_at < lock_at);
}

HOST_TEST(UPD_22_constant_buffer_box)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 32, DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    const D3D10_DDI_BOX box = box2(16, 0, 32, 1);
    w->ctx.pfnDefaultConstantBufferUpdateSubresourceUP(w->device, buffer, 0, &box, pattern, 0, 0);
    assert_memory_equal(expect_range(w, true, 16, 16), pattern, 16);
}

FLAT_MODES_TEST(UPD_26_whole_box)
{
    D3D10DDI_HRESOURCE texture = make_texture(w, 28, 3, 2, DEFAULT, SRV, 0);
    const D3D10_DDI_BOX box = box2(0, 0, 3, 2);
    update(w, texture, 0, &box, pattern, 0);
    expect_range(w, mode_of(w) == AGPU_BACKING_HOST, 0, mode_of(w) == AGPU_BACKING_HOST ? 24 : 128);
}

/* Not in the list: without room there is no packet, the bytes are unchanged, and there is one error. */
ALL_MODES_TEST(no_room)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DEFAULT, VB, 0);
    flush(w);
    update(w, buffer, 0, NULL, pattern, 0);
    flush(w);
    world_bound_stream(w, 0);
    update(w, buffer, 0, NULL, pattern + 100, 0);
    expect_errors(w, 1, E_OUTOFMEMORY);
    assert_memory_equal(mode_of(w) == AGPU_BACKING_HOST ? res(buffer)->shadow : memory_of(w, buffer), pattern,
                        16);
    world_bound_stream(w, 4096);
}

/* A host-owned update that does not fit after the recorded packets submits these first. One that is larger than the
 * command buffer makes the stream grow. */
TEST(past_the_command_buffer)
{
    struct world w;
    world_fake(&w, AGPU_BACKING_HOST);
    w.fake.buffer_bytes = 512; /* one update with its CREATE_BUFFER */
    world_start(&w);
    D3D10DDI_HRESOURCE small = make_buffer(&w, 256, DEFAULT, VB, 0);
    D3D10DDI_HRESOURCE large = make_buffer(&w, 1024, DEFAULT, VB, 0);
    update(&w, small, 0, NULL, pattern, 0);
    assert_int_equal(w.fake.submission_count, 0);
    update(&w, small, 0, NULL, pattern + 1, 0);
    assert_int_equal(w.fake.submission_count, 1);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_UPLOAD_RESOURCE), 1);
    expect_range(&w, true, 0, 256);
    w.fake.fail[FAKE_RENDER] = E_FAIL;
    update(&w, small, 0, NULL, pattern + 2, 0); /* fails without effect */
    expect_errors(&w, 1, E_FAIL);
    assert_memory_equal(res(small)->shadow, pattern + 1, 256);
    w.fake.fail[FAKE_RENDER] = S_OK;
    flush(&w);
    struct agpu_cmd_writer *cmd = &device_of(&w)->imm.cmd;
    update(&w, small, 0, NULL, pattern, 0);
    cmd->error = AGPU_CMD_INSUFFICIENT_SPACE; /* stays until the next submission */
    cmd->limit = cmd->cursor;
    update(&w, small, 0, NULL, pattern, 0);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    flush(&w);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    assert_int_equal(w.fake.submission_count, 3);
    update(&w, large, 0, NULL, pattern, 0);
    update(&w, small, 0, NULL, pattern + 3, 0); /* the stream has grown already */
    assert_int_equal(w.fake.submission_count, 3);
    assert_int_equal(recorded(&w, AEROGPU_CMD_UPLOAD_RESOURCE), 2);
    expect_errors(&w, 0, S_OK);
    world_close(&w);
}
