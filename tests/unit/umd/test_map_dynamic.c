/* test_map_dynamic.c: dynamic host-owned buffers of many sizes, mapped repeatedly while the runtime's lock misbehaves:
 * bytes, pointers, results and packets (umd.md 6.2 to 6.5). */
#include "tests/unit/umd/resources.h"

static const enum agpu_backing_mode modes[] = {AGPU_BACKING_HOST, AGPU_BACKING_WDK};
/* Multiples of 4 and others, which are padded. */
static const uint32_t sizes[] = {1, 4, 13, 64, 65, 256, 4096, 4097};

/* Misbehaviour of the runtime during one mapping. */
enum trouble { NONE, LOCK_FAILS, LOCK_HAS_NO_DATA, MISALIGNED, RENAMED, UNLOCK_FAILS, TROUBLES };

static void make_trouble(struct world *w, enum trouble trouble)
{
    w->fake.fail[FAKE_LOCK] = trouble == LOCK_FAILS ? E_FAIL : S_OK;
    w->fake.fail[FAKE_UNLOCK] = trouble == UNLOCK_FAILS ? E_FAIL : S_OK;
    w->fake.no_data = trouble == LOCK_HAS_NO_DATA;
    w->fake.data_offset = trouble == MISALIGNED ? 8 : 0;
    w->fake.rename_on_discard = trouble == RENAMED;
}

static HRESULT map_dynamic(struct world *w, D3D10DDI_HRESOURCE buffer, uint32_t type,
                           D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    memset(out, 0xEE, sizeof *out);
    return type == DISCARD
               ? w->ctx.pfnDynamicConstantBufferMapDiscard(w->device, buffer, 0, type, 0, out)
               : w->ctx.pfnDynamicConstantBufferMapNoOverwrite(w->device, buffer, 0, type, 0, out);
}

/* Maps, writes and unmaps once. Updates expect to the contents that the buffer then has. */
static void write_once(struct world *w, D3D10DDI_HRESOURCE buffer, uint32_t type, uint8_t *expect,
                       uint8_t value)
{
    const uint32_t width = res(buffer)->byte_width;
    const size_t bytes = (size_t)res(buffer)->bytes;

    assert_int_equal(map_dynamic(w, buffer, type, &m), S_OK);
    assert_int_equal((uintptr_t)m.pData % 16, 0);
    assert_int_equal(m.RowPitch | m.DepthPitch, 0);
    if (type == DISCARD) {
        memset(expect, 0, bytes);
    }
    assert_memory_equal(m.pData, expect, bytes);
    uint32_t at = type == DISCARD ? 0 : width / 2; /* a discard writes all but the last byte */
    memset((uint8_t *)m.pData + at, value, width - 1 - at);
    memset(expect + at, value, width - 1 - at);
    unmap(w, buffer, 0);
    assert_memory_equal(res(buffer)->shadow, expect, bytes);
}

/* All mappings except the first and the last have the trouble. */
static void run(enum agpu_backing_mode mode, uint32_t size, enum trouble trouble)
{
    static const uint32_t types[] = {DISCARD, NOOVER, DISCARD, DISCARD, NOOVER, NOOVER};
    uint8_t expect[4104] = {0};
    struct world w;

    world_open(&w, mode);
    D3D10DDI_HRESOURCE buffer =
        make_buffer(&w, size, D3D10_DDI_USAGE_DYNAMIC, CB, D3D10_DDI_CPU_ACCESS_WRITE);
    for (uint32_t i = 0; i < 6; i++) {
        make_trouble(&w, i ? trouble : NONE);
        write_once(&w, buffer, types[i], expect, (uint8_t)(i + 1));
        assert_int_equal(recorded(&w, AEROGPU_CMD_UPLOAD_RESOURCE), i + 1);
        const struct aerogpu_cmd_upload_resource *packet = recorded_at(&w, AEROGPU_CMD_UPLOAD_RESOURCE, i);
        assert_int_equal(packet->size_bytes, (size + 3) & ~3u);
        assert_memory_equal(packet + 1, expect, (size_t)packet->size_bytes);
    }
    make_trouble(&w, NONE);
    bool locks = mode == AGPU_BACKING_WDK;
    write_once(&w, buffer, DISCARD, expect, 7);
    assert_int_equal(m.pData != res(buffer)->shadow, locks); /* no trouble any more */
    expect_errors(&w, locks && trouble == UNLOCK_FAILS ? 5 : 0, E_FAIL);
    free_resource(&w, buffer);
    world_close(&w);
}

TEST(every_size_meets_every_trouble)
{
    for (uint32_t mode = 0; mode < 2; mode++) {
        for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (enum trouble trouble = NONE; trouble < TROUBLES; trouble++) {
                run(modes[mode], sizes[i], trouble);
            }
        }
    }
}

/* Without room for the upload Unmap reports one error, and the next submission makes room again. */
TEST(no_room_for_the_upload)
{
    for (uint32_t mode = 0; mode < 2; mode++) {
        struct world w;

        world_open(&w, modes[mode]);
        D3D10DDI_HRESOURCE buffer =
            make_buffer(&w, 256, D3D10_DDI_USAGE_DYNAMIC, CB, D3D10_DDI_CPU_ACCESS_WRITE);
        flush(&w);
        world_bound_stream(&w, 300); /* room for one upload, not for two */
        uint8_t expect[256] = {0};
        write_once(&w, buffer, DISCARD, expect, 7);
        assert_int_equal(map_dynamic(&w, buffer, DISCARD, &m), S_OK);
        unmap(&w, buffer, 0);
        expect_errors(&w, 1, E_OUTOFMEMORY);
        assert_int_equal(recorded(&w, AEROGPU_CMD_UPLOAD_RESOURCE), 1);
        assert_false(res(buffer)->map.active);
        assert_int_equal(flush(&w), E_OUTOFMEMORY); /* no room for the FLUSH packet; recorded packets go */
        expect_errors(&w, modes[mode] == AGPU_BACKING_WDK, E_OUTOFMEMORY);
        write_once(&w, buffer, DISCARD, expect, 9);
        flush(&w);
        free_resource(&w, buffer);
        world_close(&w);
    }
}

/* Calls that do not match the mapping leave it unchanged. */
TEST(calls_that_do_not_fit)
{
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 256, D3D10_DDI_USAGE_DYNAMIC, CB, D3D10_DDI_CPU_ACCESS_WRITE);
    D3D10DDI_MAPPED_SUBRESOURCE again;
    unmap(&w, buffer, 0); /* not mapped */
    expect_errors(&w, 1, E_INVALIDARG);
    assert_int_equal(map_dynamic(&w, buffer, DISCARD, &m), S_OK);
    assert_int_equal(map_dynamic(&w, buffer, DISCARD, &again), E_FAIL);
    expect_errors(&w, 1, E_FAIL);
    memset(m.pData, 0x5A, 256);
    unmap(&w, buffer, 1); /* another subresource: still mapped */
    expect_errors(&w, 1, E_INVALIDARG);
    w.fake.options.trace_level = AGPU_TRACE_CALLS; /* enabled during the mapping */
    unmap(&w, buffer, 0);
    w.fake.options.trace_level = AGPU_TRACE_OFF;
    expect_errors(&w, 0, S_OK);
    const struct aerogpu_cmd_upload_resource *packet = recorded_at(&w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(packet->size_bytes, 256);
    assert_int_equal(((const uint8_t *)(packet + 1))[255], 0x5A);
    unmap(&w, buffer, 0); /* a second time */
    expect_errors(&w, 1, E_INVALIDARG);
    assert_int_equal(map_dynamic(&w, buffer, NOOVER, &m), S_OK);
    free_resource(&w, buffer); /* destroyed while mapped: unlocked, as world_close() checks */
    expect_errors(&w, 0, S_OK);
    world_close(&w);
}
