/* test_trace.c: umd.md 18: trace lines when switched on, nothing when off, the same packets either way. */
#include "tests/unit/umd/world.h"

/* A few calls of every trace class; bytes of the stream they record. */
static uint32_t run(struct world *w, uint8_t *stream, uint32_t room)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    update(w, buffer, 0, NULL, "0123456789abcdef", 0);
    w->ctx.pfnDraw(w->device, 3, 0);
    uint32_t bytes = (uint32_t)agpu_cmd_used(&device_of(w)->imm.cmd);
    assert_true(bytes <= room);
    memcpy(stream, device_of(w)->imm.cmd.base, bytes);
    flush(w);
    free_resource(w, buffer);
    return bytes;
}

static void off_writes_nothing_and_on_changes_nothing(void **state)
{
    (void)state;
    static uint8_t streams[3][1024];
    uint32_t bytes[3], lines[3];
    for (uint8_t level = 0; level < 3; level++) {
        struct world w;
        world_fake(&w, AGPU_BACKING_HOST);
        w.fake.options.trace_level = level;
        w.fake.options.trace_resources = w.fake.options.trace_caps = level == 2;
        world_start(&w);
        bytes[level] = run(&w, streams[level], sizeof(streams[level]));
        lines[level] = w.fake.log_lines;
        world_close(&w);
    }
    assert_int_equal(lines[0], 0);
    assert_true(lines[1] > 0);
    assert_true(lines[2] > lines[1]);
    for (int level = 1; level < 3; level++) {
        assert_int_equal(bytes[0], bytes[level]);
        assert_memory_equal(streams[0], streams[level], bytes[0]);
    }
}

static void one_line_per_call(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    w.fake.options.trace_level = AGPU_TRACE_STATE; /* may be switched while the device lives */
    w.fake.log_lines = 0;
    w.ctx.pfnDrawIndexed(w.device, 3, 7, -2);
    assert_int_equal(w.fake.log_lines, 1);
    assert_string_equal(w.fake.log, "AEROGPU_D3D11DDI: DrawIndexed count=3 first=7 base=-2");
    flush(&w);
    assert_int_equal(w.fake.log_lines, 2);
    assert_string_equal(w.fake.log, "AEROGPU_D3D11DDI: Flush -> hr=0x00000000");
    w.fake.options.trace_level = AGPU_TRACE_OFF;
    flush(&w);
    assert_int_equal(w.fake.log_lines, 2);
    w.fake.options.trace_level = AGPU_TRACE_CALLS;
    w.fake.env.log = NULL; /* nowhere to write: no line, no fault */
    flush(&w);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(off_writes_nothing_and_on_changes_nothing),
        cmocka_unit_test(one_line_per_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
