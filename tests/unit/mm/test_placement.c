/* test_placement.c: placement of memory (vidmm.md 2): alignment, primaries, BAR1, zeroed pages. */
#include <string.h>

#include "mm/kmd/query.h"
#include "mm/vidmm/create.h"
#include "mm/vidmm/lock.h"
#include "mm/vidmm/vidmm.h"
#include "stack.h"
#include "tests/unit/test.h"

STACK_TEST(new_memory_is_zero)
{
    for (int i = 0; i < 20; i++) {
        struct surface a = stack_allocate(s, 4096u * (unsigned)(1 + i % 5), PLAIN);

        stack_expect(s, &a, 0);
        stack_fill(s, &a, 0xEE);
        stack_free(s, &a);
    }
}

STACK_TEST(alignment_is_honoured)
{
    struct agpu_vidmm *vm = stack_vm(s);

    for (uint32_t alignment = 1; alignment <= 1u << 22; alignment *= 2) {
        struct agpu_create_info info = {.size = 5000, .alignment = alignment};
        struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};

        assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
        stack_submit_with(s, info.handle, false);
        assert_int_equal(fake_entries(fake_last(&s->machine))[0].gpa % alignment, 0);
        fake_complete(&s->machine, stack_kmd(s)->submitted);
        agpu_vidmm_destroy(vm, 1, 0, &info.handle, 1);
    }
    struct agpu_create_info info = {.size = 5000, .alignment = 3};
    struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};
    assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_INVALID_PARAMETER);
    agpu_runtime_poll(s->runtime);
}

STACK_TEST(standard_primary)
{
    struct agpu_vidmm *vm = stack_vm(s);
    struct agpu_create_info info = {.row_pitch = 1024, .rows = 8, .primary = true};
    struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};

    assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
    assert_int_equal(info.size, 8192);
    assert_true(info.alloc_id >= 0x80000000u);
    assert_int_equal(vm->segments[0].committed, 8192); /* its scanout address is fixed from creation on */
    agpu_vidmm_destroy(vm, 1, 0, &info.handle, 1);
    /* A primary that does not fit leaves nothing allocated, and its token is not announced. */
    s->machine.fail_dma = true;
    struct surface primary;
    assert_int_equal(stack_try_allocate(s, 64u << 20, PRIMARY | SHARED, &primary), E_OUTOFMEMORY);
    assert_int_equal(vm->instances.live + vm->allocations.live + vm->resources.live + vm->shares.live, 0);
    assert_int_equal(vm->released_first, 0);
    assert_int_equal(s->machine.posted, 0);
    info.size = 64u << 20;
    assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_INSUFFICIENT_RESOURCES);
    assert_int_equal(info.handle, 0);
    s->machine.fail_dma = false;
}

/* ---- a full segment 2, and ordering of its accesses ---- */

static uint8_t small_vram[2 * 4096] __attribute__((aligned(4096)));
static unsigned orders;

static void count_order(void *ctx)
{
    (void)ctx;
    orders++;
}

/* Creates an allocation that the CPU does not access, for these segments. */
static uint32_t create_hidden(struct stack *s, uint32_t id, uint32_t segments)
{
    struct aerogpu_wddm_alloc_priv_v2 blob = stack_blob(id, 4096, 0);
    blob.flags = 0;
    struct agpu_create_info info = {
        .private_data = &blob, .private_size = sizeof blob, .size = 4096, .segment_set = segments};
    struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};

    assert_int_equal(agpu_vidmm_create(stack_vm(s), &request), STATUS_SUCCESS);
    return info.handle;
}

static uint32_t segment_of(struct stack *s, uint32_t handle)
{
    uint32_t segment = 0;
    uint64_t address;

    agpu_query_placement(stack_vm(s), 1, handle, &segment, &address);
    return segment;
}

static void fill_by_lock(struct stack *s, uint32_t handle, uint8_t value)
{
    struct agpu_lock_request lock = {.process = 1, .handle = handle};

    assert_int_equal(agpu_vidmm_lock(stack_vm(s), &lock), STATUS_SUCCESS);
    memset(lock.data, value, 4096);
    assert_int_equal(agpu_vidmm_unlock(stack_vm(s), 1, handle), STATUS_SUCCESS);
}

static uint8_t byte_by_lock(struct stack *s, uint32_t handle)
{
    struct agpu_lock_request lock = {.process = 1, .handle = handle};

    assert_int_equal(agpu_vidmm_lock(stack_vm(s), &lock), STATUS_SUCCESS);
    uint8_t value = ((uint8_t *)lock.data)[4095];
    assert_int_equal(agpu_vidmm_unlock(stack_vm(s), 1, handle), STATUS_SUCCESS);
    return value;
}

TEST(full_vram_spills)
{
    struct stack s;
    uint32_t handles[4];

    memset(&s, 0, sizeof s);
    struct agpu_runtime_config config = fake_runtime_config(&s.machine);
    config.vidmm.vram = (struct agpu_segment_window){
        .device_address = 0xE0000000u, .size = sizeof small_vram, .cpu = small_vram, .write_combined = true};
    stack_open(&s, &config);
    s.machine.platform.bar_order = count_order;
    /* Two fit. For the third the least recently used one moves, with its contents. */
    for (uint32_t i = 0; i < 3; i++) {
        handles[i] = create_hidden(&s, 50 + i, 3);
        fill_by_lock(&s, handles[i], (uint8_t)(0x10 + i));
    }
    assert_int_equal(segment_of(&s, handles[0]), AGPU_SEGMENT_SYSTEM);
    assert_int_equal(segment_of(&s, handles[1]), AGPU_SEGMENT_VRAM);
    assert_int_equal(segment_of(&s, handles[2]), AGPU_SEGMENT_VRAM);
    assert_int_equal(stack_vm(&s)->counters.spills, 1);
    assert_int_equal(stack_vm(&s)->counters.evictions, 1);
    assert_int_equal(stack_vm(&s)->counters.bytes_evicted, 4096);
    /* One that accepts only segment 2 displaces another. */
    handles[3] = create_hidden(&s, 53, 2);
    fill_by_lock(&s, handles[3], 0x13);
    assert_int_equal(segment_of(&s, handles[3]), AGPU_SEGMENT_VRAM);
    assert_int_equal(stack_vm(&s)->counters.spills, 2);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(byte_by_lock(&s, handles[i]), 0x10 + i);
    }
    /* CPU accesses are ordered at a lock, at an unlock and before a submission, but not for memory of segment 1. */
    orders = 0;
    fill_by_lock(&s, handles[3], 0x23);
    assert_int_equal(orders, 2);
    fill_by_lock(&s, handles[0], 0x20);
    assert_int_equal(orders, 2);
    stack_submit_with(&s, handles[3], false);
    assert_int_equal(orders, 4); /* the paging submission, and this one */
    fake_complete(&s.machine, stack_kmd(&s)->submitted);
    /* While the device uses all of segment 2, new memory is placed in segment 1 at once. */
    stack_submit_with(&s, handles[1 + (segment_of(&s, handles[1]) != AGPU_SEGMENT_VRAM)], false);
    stack_submit_with(&s, handles[3], false);
    uint32_t late = create_hidden(&s, 54, 3);
    fill_by_lock(&s, late, 0x14);
    assert_int_equal(segment_of(&s, late), AGPU_SEGMENT_SYSTEM);
    fake_complete(&s.machine, stack_kmd(&s)->submitted);
    agpu_vidmm_destroy(stack_vm(&s), 1, 0, handles, 4);
    agpu_vidmm_destroy(stack_vm(&s), 1, 0, &late, 1);
    agpu_runtime_poll(s.runtime);
    assert_int_equal(stack_vm(&s)->segments[0].committed + stack_vm(&s)->segments[1].committed, 0);
    stack_close(&s);
}

TEST(vram_segment)
{
    static struct stack s;
    static uint8_t vram[64 * 4096] __attribute__((aligned(4096)));
    for (int mapped = 0; mapped < 2; mapped++) {
        struct agpu_runtime_config config = fake_runtime_config(&s.machine);

        config.vidmm.vram = (struct agpu_segment_window){
            .device_address = 0xE0000000u, .size = sizeof vram, .cpu = mapped ? vram : NULL};
        stack_open(&s, &config);
        assert_int_equal(stack_vm(&s)->segment_count, 2);
        assert_int_equal(stack_vm(&s)->segments[1].held, sizeof vram);
        assert_int_equal(agpu_query_memory(stack_vm(&s)).local_bytes, sizeof vram);
        struct surface primary = stack_allocate(&s, 8192, PRIMARY), plain = stack_allocate(&s, 4096, PLAIN);
        stack_use(&s, primary.handle, true);
        stack_use(&s, plain.handle, true);
        stack_render(&s);
        uint64_t gpa = fake_entries(fake_last(&s.machine))[0].gpa;
        assert_true(gpa >= 0xE0000000u && gpa < 0xE0000000u + sizeof vram);
        assert_true(fake_entries(fake_last(&s.machine))[1].gpa > 0xFFFFFFFFu); /* system memory */
        fake_complete(&s.machine, 1);
        void *data = NULL;
        assert_int_equal(stack_try_lock(&s, &primary, 0, &data), mapped ? S_OK : E_FAIL);
        if (mapped) {
            assert_ptr_equal(data, vram + (gpa - 0xE0000000u));
            stack_unlock(&s, primary.handle);
        }
        /* An allocation that accepts only segment 2 is placed there, until it is full. */
        struct agpu_create_info info = {.size = 62 * 4096, .segment_set = 2};
        struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};
        assert_int_equal(agpu_vidmm_create(stack_vm(&s), &request), STATUS_SUCCESS);
        stack_submit_with(&s, info.handle, false);
        fake_complete(&s.machine, 2);
        agpu_runtime_poll(s.runtime);
        struct agpu_create_info more = {.size = 4096, .segment_set = 2, .primary = true};
        request.infos = &more;
        assert_int_equal(agpu_vidmm_create(stack_vm(&s), &request), STATUS_SUCCESS); /* evicts the other */
        more.size = 65 * 4096;
        assert_int_equal(agpu_vidmm_create(stack_vm(&s), &request), STATUS_INSUFFICIENT_RESOURCES);
        assert_int_equal(agpu_vidmm_close_process(stack_vm(&s), 1), 6); /* 4 allocations, 2 resources */
        stack_close(&s);
    }
    struct agpu_runtime_config bad = fake_runtime_config(&s.machine);
    fake_machine_init(&s.machine);
    bad.vidmm.vram = (struct agpu_segment_window){.device_address = 0xE0000800u, .size = 4096};
    bad.platform = &s.machine.platform;
    assert_null(agpu_runtime_open(&bad));
    fake_machine_check_empty(&s.machine);
}
