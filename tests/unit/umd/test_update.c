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
    struct agpu_resource_desc desc = texture_desc(28, 4, 4, DEFAULT, SRV, 0);
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
    assert_int_equal(flush(&w), E_OUTOFMEMORY);
    assert_int_equal(w.fake.submission_count, 3);
    update(&w, large, 0, NULL, pattern, 0);
    update(&w, small, 0, NULL, pattern + 3, 0); /* the stream has grown already */
    assert_int_equal(w.fake.submission_count, 3);
    assert_int_equal(recorded(&w, AEROGPU_CMD_UPLOAD_RESOURCE), 2);
    expect_errors(&w, 0, S_OK);
    world_close(&w);
}
