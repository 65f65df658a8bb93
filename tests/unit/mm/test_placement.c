/* test_placement.c: placement of memory (vidmm.md 2): primaries, BAR1. */
#include <string.h>

#include "mm/kmd/query.h"
#include "mm/vidmm/create.h"
#include "mm/vidmm/lock.h"
#include "mm/vidmm/vidmm.h"
#include "stack.h"
#include "tests/unit/test.h"

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

/* ---- segment 2, and ordering of its accesses ---- */

static unsigned orders;

static void count_order(void *ctx)
{
    (void)ctx;
    orders++;
}

static void fill_by_lock(struct stack *s, uint32_t handle)
{
    struct agpu_lock_request lock = {.process = 1, .handle = handle};

    assert_int_equal(agpu_vidmm_lock(stack_vm(s), &lock), STATUS_SUCCESS);
    memset(lock.data, 0x23, 4096);
    assert_int_equal(agpu_vidmm_unlock(stack_vm(s), 1, handle), STATUS_SUCCESS);
}

/* Accesses of the CPU to write-combined memory are ordered at a lock, an unlock and before a submission, but not for
 * memory of segment 1. No device in one process has such memory, so no case can count. */
TEST(write_combined_vram_is_ordered)
{
    static struct stack s;
    static uint8_t vram[4096] __attribute__((aligned(4096)));
    struct agpu_runtime_config config = fake_runtime_config(&s.machine);
    uint32_t handles[2];

    config.vidmm.vram = (struct agpu_segment_window){
        .device_address = 0xE0000000u, .size = sizeof vram, .cpu = vram, .write_combined = true};
    stack_open(&s, &config);
    s.machine.platform.bar_order = count_order;
    for (uint32_t segment = 1; segment <= 2; segment++) {
        struct aerogpu_wddm_alloc_priv_v2 blob = stack_blob(50 + segment, 4096, 0);
        struct agpu_create_info info = {
            .private_data = &blob, .private_size = sizeof blob, .size = 4096, .segment_set = segment};
        struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};

        assert_int_equal(agpu_vidmm_create(stack_vm(&s), &request), STATUS_SUCCESS);
        handles[segment - 1] = info.handle;
    }
    fill_by_lock(&s, handles[1]);
    orders = 0;
    fill_by_lock(&s, handles[1]);
    assert_int_equal(orders, 2);
    fill_by_lock(&s, handles[0]);
    assert_int_equal(orders, 2);
    stack_submit_with(&s, handles[1], false);
    assert_int_equal(orders, 3);
    fake_complete(&s.machine, stack_kmd(&s)->submitted);
    agpu_vidmm_destroy(stack_vm(&s), 1, 0, handles, 2);
    agpu_runtime_poll(s.runtime);
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
