/* test_alloc_list.c: the allocation list (required behaviours ALC). */
#include "tests/unit/umd/world.h"
#include "umd-port/base/track.h"

static struct fake heap;
static D3DDDI_ALLOCATIONLIST memory[16];

static struct agpu_alloc_list tracker(uint32_t capacity, uint32_t max_slot)
{
    struct agpu_alloc_list list;

    fake_init(&heap, AGPU_BACKING_HOST);
    memset(memory, 0xEE, sizeof memory);
    agpu_alloc_list_init(&list, &heap.env);
    agpu_alloc_list_bind(&list, memory, capacity, max_slot);
    return list;
}

static void done(struct agpu_alloc_list *list)
{
    agpu_alloc_list_release(list);
    assert_int_equal(heap.live_blocks, 0);
    fake_free(&heap);
}

TEST(ALC_01_first_entry)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    uint32_t index = 99;
    assert_int_equal(agpu_alloc_list_track(&list, 1, 0x123456, 0xABC, false, &index), AGPU_TRACK_OK);
    assert_int_equal(index, 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(memory[0].hAllocation, 1);
    assert_int_equal(memory[0].WriteOperation, 0);
    done(&list);
}

TEST(ALC_02_duplicate)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    uint32_t index = 99;
    agpu_alloc_list_track(&list, 1, 0x123456, 0xABC, false, NULL);
    assert_int_equal(agpu_alloc_list_track(&list, 1, 0x123456, 0xABC, false, &index), AGPU_TRACK_OK);
    assert_int_equal(index, 0);
    assert_int_equal(list.count, 1);
    done(&list);
}

TEST(ALC_03_write_upgrades)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    agpu_alloc_list_track(&list, 1, 5, 0, false, NULL);
    agpu_alloc_list_track(&list, 1, 5, 0, true, NULL);
    assert_int_equal(memory[0].WriteOperation, 1);
    assert_int_equal(list.count, 1);
    done(&list);
}

TEST(ALC_04_read_does_not_downgrade)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    agpu_alloc_list_track(&list, 1, 5, 0, true, NULL);
    agpu_alloc_list_track(&list, 1, 5, 0, false, NULL);
    assert_int_equal(memory[0].WriteOperation, 1);
    done(&list);
}

TEST(ALC_05_alias_shares_entry)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    uint32_t index = 99;
    agpu_alloc_list_track(&list, 1, 5, 0xABC, false, NULL);
    assert_int_equal(agpu_alloc_list_track(&list, 2, 5, 0xABC, false, &index), AGPU_TRACK_OK);
    assert_int_equal(index, 0);
    assert_int_equal(list.count, 1);
    done(&list);
}

TEST(ALC_06_other_token_collides)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    agpu_alloc_list_track(&list, 1, 5, 0xABC, false, NULL);
    assert_int_equal(agpu_alloc_list_track(&list, 3, 5, 0xABD, false, NULL), AGPU_TRACK_ID_COLLISION);
    assert_int_equal(list.count, 1);
    done(&list);
}

TEST(ALC_07_no_token_collides)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    agpu_alloc_list_track(&list, 1, 5, 0, false, NULL);
    assert_int_equal(agpu_alloc_list_track(&list, 2, 5, 0, false, NULL), AGPU_TRACK_ID_COLLISION);
    done(&list);
}

TEST(ALC_08_other_id_mismatches)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    agpu_alloc_list_track(&list, 1, 5, 0, false, NULL);
    assert_int_equal(agpu_alloc_list_track(&list, 1, 6, 0, false, NULL), AGPU_TRACK_ID_MISMATCH);
    done(&list);
}

TEST(ALC_09_other_token_mismatches)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    agpu_alloc_list_track(&list, 1, 5, 0xABC, false, NULL);
    assert_int_equal(agpu_alloc_list_track(&list, 1, 5, 0xABD, false, NULL), AGPU_TRACK_ID_MISMATCH);
    done(&list);
}

TEST(ALC_10_full_list_needs_flush)
{
    struct agpu_alloc_list list = tracker(2, 0xFFFF);
    agpu_alloc_list_track(&list, 1, 1, 0, false, NULL);
    agpu_alloc_list_track(&list, 2, 2, 0, false, NULL);
    assert_int_equal(agpu_alloc_list_track(&list, 3, 3, 0, true, NULL), AGPU_TRACK_NEED_FLUSH);
    assert_int_equal(list.count, 2);
    assert_int_equal(memory[1].hAllocation, 2);
    assert_int_equal(memory[1].WriteOperation, 0);
    done(&list);
}

TEST(ALC_11_slot_ids_limit_capacity)
{
    struct agpu_alloc_list list = tracker(8, 1);
    assert_int_equal(list.capacity, 2);
    agpu_alloc_list_track(&list, 1, 1, 0, false, NULL);
    agpu_alloc_list_track(&list, 2, 2, 0, false, NULL);
    assert_int_equal(agpu_alloc_list_track(&list, 3, 3, 0, false, NULL), AGPU_TRACK_NEED_FLUSH);
    done(&list);
}

TEST(capacity_and_slots)
{
    static const struct {
        uint32_t capacity, max_slot, slots;
    } rows[] = {{0, 5, 0}, {1, 5, 1}, {5, 5, 5}, {6, 5, 6}, {7, 5, 6}, {8, 5, 6}, {1, 0, 1}, {2, 0, 1}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct agpu_alloc_list list = tracker(rows[i].capacity, rows[i].max_slot);

        assert_int_equal(list.capacity, rows[i].slots);
        done(&list);
    }
}

TEST(ALC_12_invalid_arguments)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    assert_int_equal(agpu_alloc_list_track(&list, 0, 5, 0, false, NULL), AGPU_TRACK_INVALID_ARGUMENT);
    assert_int_equal(agpu_alloc_list_track(&list, 1, 0, 0, false, NULL), AGPU_TRACK_INVALID_ARGUMENT);
    agpu_alloc_list_bind(&list, NULL, 4, 0xFFFF);
    assert_int_equal(agpu_alloc_list_track(&list, 1, 5, 0, false, NULL), AGPU_TRACK_INVALID_ARGUMENT);
    done(&list);
}

TEST(ALC_13_out_of_memory)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    heap.fail[FAKE_HEAP] = E_OUTOFMEMORY;
    assert_int_equal(agpu_alloc_list_track(&list, 1, 5, 0, false, NULL), AGPU_TRACK_OUT_OF_MEMORY);
    assert_int_equal(list.count, 0);
    heap.fail[FAKE_HEAP] = S_OK;
    heap.fail_at = 2; /* the second of the two blocks */
    heap.fail_at_code = E_OUTOFMEMORY;
    assert_int_equal(agpu_alloc_list_track(&list, 1, 5, 0, false, NULL), AGPU_TRACK_OUT_OF_MEMORY);
    assert_int_equal(heap.live_blocks, 0);
    done(&list);
}

TEST(ALC_14_ids_are_not_slots)
{
    struct agpu_alloc_list list = tracker(4, 1);
    assert_int_equal(agpu_alloc_list_track(&list, 1, 0x7FFFFFFF, 0, false, NULL), AGPU_TRACK_OK);
    assert_int_equal(agpu_alloc_list_track(&list, 2, 0x80000001, 0, false, NULL), AGPU_TRACK_OK);
    done(&list);
}

static void track_three(struct agpu_alloc_list *list)
{
    agpu_alloc_list_track(list, 1, 11, 0, false, NULL);
    agpu_alloc_list_track(list, 2, 12, 0xABC, true, NULL);
    agpu_alloc_list_track(list, 3, 13, 0, false, NULL);
    agpu_alloc_list_track(list, 1, 11, 0, true, NULL);
}

static void expect_three(const struct agpu_alloc_entry *entries)
{
    static const uint32_t handles[] = {1, 2, 3}, writes[] = {1, 1, 0};

    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(entries[i].handle, handles[i]);
        assert_int_equal(entries[i].alloc_id, 11 + i);
        assert_int_equal(entries[i].write, writes[i]);
    }
    assert_int_equal(entries[1].share_token, 0xABC);
}

TEST(ALC_15_snapshot_keeps_order)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    struct agpu_alloc_entry snapshot[4];
    track_three(&list);
    assert_int_equal(agpu_alloc_list_snapshot(&list, snapshot, 4), 3);
    expect_three(snapshot);
    done(&list);
}

TEST(ALC_16_snapshot_is_independent_of_list_memory)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    struct agpu_alloc_entry snapshot[4];
    track_three(&list);
    memset(memory, 0, sizeof memory);
    assert_int_equal(agpu_alloc_list_snapshot(&list, snapshot, 4), 3);
    expect_three(snapshot);
    done(&list);
}

TEST(ALC_17_replay_into_bigger_list)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    struct agpu_alloc_entry snapshot[4];
    track_three(&list);
    agpu_alloc_list_snapshot(&list, snapshot, 4);
    D3DDDI_ALLOCATIONLIST bigger[8];
    agpu_alloc_list_bind(&list, bigger, 8, 0xFFFF);
    assert_true(agpu_alloc_list_replay(&list, snapshot, 3));
    assert_int_equal(list.count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(bigger[i].hAllocation, snapshot[i].handle);
        assert_int_equal(bigger[i].WriteOperation, snapshot[i].write);
    }
    done(&list);
}

TEST(ALC_18_replay_into_smaller_list_fails)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    struct agpu_alloc_entry snapshot[4];
    track_three(&list);
    agpu_alloc_list_snapshot(&list, snapshot, 4);
    agpu_alloc_list_bind(&list, memory, 2, 0xFFFF);
    assert_false(agpu_alloc_list_replay(&list, snapshot, 3));
    done(&list);
}

TEST(ALC_19_rebind_empties)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    track_three(&list);
    agpu_alloc_list_bind(&list, memory, 4, 0xFFFF);
    assert_int_equal(list.count, 0);
    assert_int_equal(agpu_alloc_list_track(&list, 9, 11, 0, false, NULL), AGPU_TRACK_OK);
    done(&list);
}

/* After 2^32 lists the marks of the first ones must not count as current. */
TEST(lists_without_end)
{
    struct agpu_alloc_list list = tracker(4, 0xFFFF);
    track_three(&list);
    for (uint32_t i = 0; i < list.storage * 2; i++) { /* left by an early list */
        list.by_handle[i].tag = 1;
    }
    list.tag = UINT32_MAX;
    agpu_alloc_list_bind(&list, memory, 4, 0xFFFF);
    assert_int_not_equal(list.tag, 0);
    assert_int_equal(list.count, 0);
    track_three(&list);
    assert_int_equal(list.count, 3);
    const uint32_t tag = list.tag;
    agpu_alloc_list_bind(&list, memory, 4, 0xFFFF);
    assert_int_not_equal(list.tag, tag);
    done(&list);
}

/* Not in the list of required behaviours: many entries keep their indices through growth and truncation. */
TEST(grows_and_truncates)
{
    struct agpu_alloc_list list = tracker(0, 0xFFFF);
    agpu_alloc_list_restart(&list, 1u << 20);
    for (uint32_t i = 1; i <= 5000; i++) {
        uint32_t index;

        assert_int_equal(agpu_alloc_list_track(&list, i * 4, 0x1000 + i, 0, i % 3 == 0, &index),
                         AGPU_TRACK_OK);
        assert_int_equal(index, i - 1);
    }
    agpu_alloc_list_truncate(&list, 2500);
    assert_int_equal(list.count, 2500);
    for (uint32_t i = 1; i <= 2600; i++) {
        uint32_t index;

        assert_int_equal(agpu_alloc_list_track(&list, i * 4, 0x1000 + i, 0, false, &index), AGPU_TRACK_OK);
        assert_int_equal(index, i - 1);
    }
    assert_int_equal(list.count, 2600);
    assert_int_equal(list.entries[2].write, 1);
    done(&list);
}

static D3D10DDI_HRESOURCE guest_buffer(struct world *world)
{
    return make_buffer(world, 16, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
}

HOST_TEST(ALC_20_no_backing_is_ignored)
{
    D3D10DDI_HRESOURCE buffer = guest_buffer(w);
    assert_true(agpu_track(device_of(w), res(buffer), true));
    assert_int_equal(device_of(w)->allocs.count, 0);
}

GUEST_TEST(ALC_21_no_alloc_handle_is_ignored)
{
    D3D10DDI_HRESOURCE buffer = guest_buffer(w);
    flush(w);
    D3DKMT_HANDLE handle = res(buffer)->alloc_handle;
    res(buffer)->alloc_handle = 0;
    assert_true(agpu_track(device_of(w), res(buffer), true));
    assert_int_equal(device_of(w)->allocs.count, 0);
    res(buffer)->alloc_handle = handle;
}

GUEST_TEST(ALC_22_to_24_helper_merges)
{
    D3D10DDI_HRESOURCE buffer = guest_buffer(w);
    flush(w);
    struct agpu_alloc_list *list = &device_of(w)->allocs;
    assert_true(agpu_track(device_of(w), res(buffer), false));
    assert_int_equal(list->count, 1);
    assert_int_equal(list->entries[0].handle, res(buffer)->alloc_handle);
    assert_int_equal(list->entries[0].write, 0);
    assert_true(agpu_track(device_of(w), res(buffer), true));
    assert_int_equal(list->count, 1);
    assert_int_equal(list->entries[0].write, 1);
    assert_true(agpu_track(device_of(w), res(buffer), false));
    assert_int_equal(list->entries[0].write, 1);
}

/* Two guest buffers. The list's storage is released, so that the next reference must allocate. */
static void open_with_failing_list(struct world *w, D3D10DDI_HRESOURCE buffers[2])
{
    world_open(w, AGPU_BACKING_GUEST);
    buffers[0] = guest_buffer(w);
    buffers[1] = guest_buffer(w);
    flush(w);
    agpu_alloc_list_release(&device_of(w)->allocs);
    agpu_alloc_list_restart(&device_of(w)->allocs, 64);
    res(buffers[0])->track_epoch = res(buffers[1])->track_epoch = 0;
    w->fake.fail[FAKE_HEAP] = E_OUTOFMEMORY;
}

TEST(ALC_25_list_out_of_memory_drops_the_submission)
{
    struct world w;
    D3D10DDI_HRESOURCE buffers[2];
    open_with_failing_list(&w, buffers);
    fake_forget(&w.fake);
    assert_false(agpu_track(device_of(&w), res(buffers[0]), false));
    assert_true(device_of(&w)->list_oom);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    w.fake.fail[FAKE_HEAP] = S_OK;
    assert_int_equal(flush(&w), E_OUTOFMEMORY);
    assert_int_equal(w.fake.submission_count, 0);
    assert_false(device_of(&w)->list_oom);
    assert_int_equal(recorded_total(&w), 0);
    assert_int_equal(flush(&w), S_OK);
    assert_int_equal(w.fake.submission_count, 1);
    free_resource(&w, buffers[0]);
    free_resource(&w, buffers[1]);
    world_close(&w);
}

TEST(ALC_26_nothing_is_tracked_after_that)
{
    struct world w;
    D3D10DDI_HRESOURCE buffers[2];
    open_with_failing_list(&w, buffers);
    assert_false(agpu_track(device_of(&w), res(buffers[0]), false));
    w.fake.fail[FAKE_HEAP] = S_OK;
    assert_false(agpu_track(device_of(&w), res(buffers[1]), false));
    assert_int_equal(device_of(&w)->allocs.count, 0);
    flush(&w);
    free_resource(&w, buffers[0]);
    free_resource(&w, buffers[1]);
    world_close(&w);
}
