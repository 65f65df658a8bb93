/* test_table.c: allocation lists and tables (vidmm.md 6.1, 6.2): cases ATB-01 .. ATB-13 and the KMD cases of the same
 * rules. */
#include <stdlib.h>
#include <string.h>

#include "mm/kmd/stream_scan.h"
#include "pci/protocol/aerogpu_pci.h"
#include "stack.h"
#include "tests/unit/test.h"

static int setup(void **state)
{
    static struct stack s;

    stack_open(&s, NULL);
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    ((struct stack *)*state)->machine.on_relax = fake_complete_next;
    stack_close(*state);
    return 0;
}

FIXTURE(setup, teardown);

TEST(ATB_01_order_and_readonly)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 5000, PLAIN), b = stack_allocate(s, 300, PLAIN);

    stack_use(s, a.handle, false);
    stack_use(s, b.handle, true);
    stack_render(s);
    const struct aerogpu_alloc_entry *e = fake_entries(fake_last(&s->machine));
    assert_int_equal(fake_table(fake_last(&s->machine))->entry_count, 2);
    assert_int_equal(e[0].alloc_id, a.id);
    assert_int_equal(e[0].flags, AEROGPU_ALLOC_FLAG_READONLY);
    assert_int_equal(e[0].size_bytes, 5000);
    assert_int_equal(e[1].alloc_id, b.id);
    assert_int_equal(e[1].flags, 0);
    /* KMD-01, KMD-02: the counters agree. */
    assert_int_equal(stack_kmd(s)->counters.table_entries, 2);
    assert_int_equal(stack_kmd(s)->counters.table_readonly, 1);
    stack_free(s, &a);
    stack_free(s, &b);
}

TEST(ATB_02_writer_through_an_alias)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, SHARED);
    D3DKMT_HANDLE alias[2];

    for (int i = 0; i < 2; i++) {
        assert_int_equal(agpu_runtime_open_shared(s->device, a.token, &alias[i], NULL, NULL), S_OK);
    }
    assert_int_not_equal(alias[0], alias[1]);
    stack_use(s, a.handle, false);
    stack_use(s, alias[0], true);
    stack_use(s, alias[1], false);
    stack_render(s);
    assert_int_equal(fake_table(fake_last(&s->machine))->entry_count, 1); /* also SHR-17 */
    assert_int_equal(fake_entries(fake_last(&s->machine))[0].flags, 0);
    assert_int_equal(stack_kmd(s)->counters.table_readonly, 0);
    D3DDDICB_DEALLOCATE close = {.NumAllocations = 2, .HandleList = alias};
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &close), S_OK);
    stack_free(s, &a);
}

TEST(ATB_03_KMD_31_duplicates)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, PLAIN);

    stack_use(s, a.handle, false);
    stack_use(s, a.handle, false);
    stack_render(s);
    assert_int_equal(fake_table(fake_last(&s->machine))->entry_count, 1);
    assert_int_equal(fake_entries(fake_last(&s->machine))[0].flags, AEROGPU_ALLOC_FLAG_READONLY);
    for (int order = 0; order < 2; order++) {
        stack_use(s, a.handle, order == 0);
        stack_use(s, a.handle, order == 1);
        stack_render(s);
        assert_int_equal(fake_table(fake_last(&s->machine))->entry_count, 1);
        assert_int_equal(fake_entries(fake_last(&s->machine))[0].flags, 0);
    }
    stack_free(s, &a);
}

TEST(ATB_04_null_entries)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, PLAIN);
    struct agpu_vidmm *vm = stack_vm(s);
    uint64_t memory[64];
    D3DDDI_ALLOCATIONLIST list[3] = {{.hAllocation = 0}, {.hAllocation = a.handle}, {.hAllocation = 0}};
    struct agpu_table_build build = {
        .process = 1, .list = list, .count = 3, .memory = memory, .memory_size = sizeof memory};

    assert_int_equal(agpu_table_build(vm, &build), STATUS_SUCCESS);
    assert_int_equal(build.entries, 1);
    list[1].hAllocation = 0;
    assert_int_equal(agpu_table_build(vm, &build), STATUS_SUCCESS);
    assert_int_equal(build.entries, 0);
    assert_int_equal(build.table_size, 0);
    build.count = 0;
    build.entries = build.table_size = 99;
    build.wait_fence = 99;
    assert_int_equal(agpu_table_build(vm, &build), STATUS_SUCCESS);
    assert_int_equal(build.entries, 0);
    assert_int_equal(build.table_size, 0);
    assert_int_equal(build.wait_fence, 0);
    stack_render(s); /* without a list the descriptor has 0/0 */
    assert_null(fake_table(fake_last(&s->machine)));
    stack_free(s, &a);
}

TEST(ATB_05_KMD_28_30_collision)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, PLAIN);
    D3DKMT_HANDLE h0 = a.handle;

    stack_submit_with(s, h0, false);
    stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
    stack_unlock(s, a.handle);
    uint64_t posted = s->machine.posted, submitted = stack_kmd(s)->submitted;
    stack_use(s, h0, false);
    stack_use(s, a.handle, true);
    assert_int_equal(stack_try_render(s, NULL, 0), E_INVALIDARG);
    assert_int_equal(s->machine.posted, posted);
    assert_int_equal(stack_kmd(s)->submitted, submitted);
    assert_int_equal(stack_kmd(s)->meta_records, 1); /* of the first submission */
    /* Each one alone is valid, also one after the other. */
    memset(s->context.pAllocationList, 0, 2 * sizeof *s->context.pAllocationList);
    stack_submit_with(s, h0, false);
    stack_submit_with(s, a.handle, false);
    stack_free(s, &a);
}

TEST(ATB_06_same_id_different_size)
{
    struct stack *s = *state;

    /* All instances and aliases take their size from the allocation, so one alloc_id has one size, which is the maximum
     * that the rule requires. Each name gives this size. */
    struct surface a = stack_allocate(s, 12345, SHARED);
    D3DKMT_HANDLE alias;
    assert_int_equal(agpu_runtime_open_shared(s->device, a.token, &alias, NULL, NULL), S_OK);
    stack_submit_with(s, alias, false);
    assert_int_equal(fake_entries(fake_last(&s->machine))[0].size_bytes, 12345);
    stack_use(s, a.handle, false);
    stack_use(s, alias, false);
    stack_render(s);
    assert_int_equal(fake_entries(fake_last(&s->machine))[0].size_bytes, 12345);
    D3DDDICB_DEALLOCATE close = {.NumAllocations = 1, .HandleList = &alias};
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &close), S_OK);
    stack_free(s, &a);
}

TEST(ATB_07_08_KMD_32_create_needs_table)
{
    struct stack *s = *state;
    struct aerogpu_cmd_create_buffer buffer = {.hdr = {AEROGPU_CMD_CREATE_BUFFER, sizeof buffer},
                                               .buffer_handle = 1,
                                               .size_bytes = 64,
                                               .backing_alloc_id = 5};
    struct aerogpu_cmd_create_texture2d texture = {
        .hdr = {AEROGPU_CMD_CREATE_TEXTURE2D, sizeof texture}, .texture_handle = 2, .backing_alloc_id = 5};

    assert_int_equal(stack_try_render(s, &buffer, sizeof buffer), E_INVALIDARG);
    assert_int_equal(stack_try_render(s, &texture, sizeof texture), E_INVALIDARG);
    assert_int_equal(s->machine.posted, 0);
    buffer.backing_alloc_id = texture.backing_alloc_id = 0;
    assert_int_equal(stack_try_render(s, &buffer, sizeof buffer), S_OK);
    assert_int_equal(stack_try_render(s, &texture, sizeof texture), S_OK);
}

TEST(ATB_09_writeback_needs_table)
{
    struct stack *s = *state;
    struct aerogpu_cmd_copy_buffer buffer = {.hdr = {AEROGPU_CMD_COPY_BUFFER, sizeof buffer},
                                             .flags = AEROGPU_COPY_FLAG_WRITEBACK_DST};
    struct aerogpu_cmd_copy_texture2d texture = {.hdr = {AEROGPU_CMD_COPY_TEXTURE2D, sizeof texture},
                                                 .flags = AEROGPU_COPY_FLAG_WRITEBACK_DST};

    assert_int_equal(stack_try_render(s, &buffer, sizeof buffer), E_INVALIDARG);
    assert_int_equal(stack_try_render(s, &texture, sizeof texture), E_INVALIDARG);
    buffer.flags = texture.flags = 0;
    assert_int_equal(stack_try_render(s, &buffer, sizeof buffer), S_OK);
    assert_int_equal(stack_try_render(s, &texture, sizeof texture), S_OK);
}

TEST(ATB_10_dirty_range_needs_table)
{
    struct stack *s = *state;
    struct aerogpu_cmd_resource_dirty_range dirty = {.hdr = {AEROGPU_CMD_RESOURCE_DIRTY_RANGE, sizeof dirty}};

    assert_int_equal(stack_try_render(s, &dirty, sizeof dirty), E_INVALIDARG);
    struct surface a = stack_allocate(s, 4096, PLAIN);
    stack_use(s, a.handle, false);
    assert_int_equal(stack_try_render(s, &dirty, sizeof dirty), S_OK);
    stack_free(s, &a);
}

TEST(ATB_11_too_many_ids)
{
    struct stack *s = *state;
    struct agpu_vidmm *vm = stack_vm(s);

    enum { COUNT = 65536 };
    D3DDDI_ALLOCATIONLIST *list = calloc(COUNT, sizeof *list);
    uint8_t *memory = malloc(agpu_table_bytes(COUNT));
    for (uint32_t i = 0; i < COUNT; i++) {
        struct agpu_create_info info = {.size = 256};
        struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};

        assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
        list[i].hAllocation = info.handle;
    }
    struct agpu_table_build build = {
        .process = 1, .list = list, .count = COUNT, .memory = memory, .memory_size = agpu_table_bytes(COUNT)};
    assert_int_equal(agpu_table_build(vm, &build), STATUS_INVALID_PARAMETER);
    list[5].hAllocation = list[6].hAllocation; /* 65535 ids, one of them twice */
    assert_int_equal(agpu_table_build(vm, &build), STATUS_SUCCESS);
    assert_int_equal(build.entries, 65535);
    assert_int_equal(agpu_vidmm_close_process(vm, 1), COUNT);
    free(list);
    free(memory);
}

TEST(ATB_12_lists_are_per_submission)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, PLAIN);

    for (int i = 0; i < 3; i++) {
        stack_submit_with(s, a.handle, false);
        assert_int_equal(fake_table(fake_last(&s->machine))->entry_count, 1);
    }
    stack_render(s); /* lists are not carried over: the driver lists an allocation again (umd.md 12.2) */
    assert_null(fake_table(fake_last(&s->machine)));
    stack_free(s, &a);
}

TEST(ATB_13_write_intent_decides)
{
    struct stack *s = *state;
    struct surface sampled = stack_allocate(s, 4096, PLAIN), target = stack_allocate(s, 4096, PLAIN),
                   copy_dst = stack_allocate(s, 4096, STAGING), copy_src = stack_allocate(s, 4096, PLAIN);

    stack_use(s, sampled.handle, false);
    stack_use(s, target.handle, true);
    stack_use(s, copy_dst.handle, true);
    stack_use(s, copy_src.handle, false);
    stack_render(s);
    const struct aerogpu_alloc_entry *e = fake_entries(fake_last(&s->machine));
    assert_int_equal(e[0].flags, AEROGPU_ALLOC_FLAG_READONLY);
    assert_int_equal(e[1].flags, 0);
    assert_int_equal(e[2].flags, 0);
    assert_int_equal(e[3].flags, AEROGPU_ALLOC_FLAG_READONLY);
    stack_free(s, &sampled);
    stack_free(s, &target);
    stack_free(s, &copy_dst);
    stack_free(s, &copy_src);
}

TEST(unknown_handles_fail_the_submission)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, PLAIN);
    D3DKMT_HANDLE resource = a.resource, gone = a.handle;

    stack_use(s, resource, false);
    assert_int_equal(stack_try_render(s, NULL, 0), E_INVALIDARG);
    s->context.pAllocationList[0].hAllocation = gone;
    stack_free(s, &a);
    assert_int_equal(stack_try_render(s, NULL, 0), E_INVALIDARG);
    s->context.pAllocationList[0].hAllocation = 0;
    stack_render(s);
    struct surface busy = stack_allocate(s, 4096, PLAIN);
    stack_submit_with(s, busy.handle, true);
    stack_free(s, &busy); /* its memory lives until the fence, its handle does not */
    s->context.pAllocationList[0].hAllocation = busy.handle;
    assert_int_equal(stack_try_render(s, NULL, 0), E_INVALIDARG);
    s->context.pAllocationList[0].hAllocation = 0;
}

TEST(tables_stay_as_they_were_built)
{
    struct stack *s = *state;
    struct surface a = stack_allocate(s, 4096, PLAIN);

    stack_submit_with(s, a.handle, false);
    const struct agpu_submission first = *fake_last(&s->machine);
    uint64_t gpa = fake_entries(&first)[0].gpa;
    for (int i = 0; i < 3; i++) {
        stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD);
        stack_unlock(s, a.handle);
        stack_submit_with(s, a.handle, false);
        assert_true(fake_entries(fake_last(&s->machine))[0].gpa != gpa);
    }
    assert_int_equal(fake_entries(&first)[0].gpa, gpa);
    stack_free(s, &a);
}

FIXTURE(NULL, NULL);

TEST(stream_scan_is_bounded)
{
    struct {
        struct aerogpu_cmd_stream_header header;
        struct aerogpu_cmd_hdr packet[2];
    } stream = {.header = {.size_bytes = 40},
                .packet = {{AEROGPU_CMD_NOP, 8}, {AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 8}}};
    assert_int_equal(agpu_stream_size(&stream, 40), 40);
    assert_int_equal(agpu_stream_size(&stream, 100), 40); /* reduced to the size in the header */
    assert_int_equal(agpu_stream_size(&stream, 39), 0);
    assert_int_equal(agpu_stream_size(&stream, 23), 0);
    assert_int_equal(agpu_stream_size(NULL, 100), 0);
    assert_true(agpu_stream_needs_table(&stream, 40));
    assert_false(agpu_stream_needs_table(&stream, 32));
    const uint32_t impossible[] = {0, 4, 7, 10, 12, 20, 0xFFFFFFF8u};
    for (unsigned i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
        stream.packet[0].size_bytes = impossible[i];
        assert_false(agpu_stream_needs_table(&stream, 40));
    }
    uint8_t *exact = calloc(1, 28); /* four bytes after the header are no packet header */
    assert_false(agpu_stream_needs_table(exact, 28));
    free(exact);
    stream.packet[0] = (struct aerogpu_cmd_hdr){AEROGPU_CMD_CREATE_BUFFER, 8}; /* too short for the member */
    stream.packet[1].opcode = AEROGPU_CMD_COPY_BUFFER;
    assert_false(agpu_stream_needs_table(&stream, 40));
}
