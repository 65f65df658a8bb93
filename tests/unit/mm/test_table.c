/* test_table.c: allocation lists and tables (vidmm.md 6.1, 6.2): cases ATB-06, ATB-11. */
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
