/* test_ctl_monitor.c: answers of the image to a client (tests/handbook/control.md 4), on the device model in this
 * process: each command, its bounds, and that none leaves anything allocated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "efi/control/monitor.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/catalogue.h"
#include "tests/cases/harness/runner.h"
#include "tests/cases/harness/selection.h"
#include "tests/cases/rig/prepare.h"
#include "tests/host/ctl/rows.h"
#include "tests/host_platform/host_platform.h"
#include "tests/unit/test.h"

static struct agpu_host *host;
static struct agpu_monitor monitor;
static unsigned opened, closed;
static bool hostile_client; /* sends requests while cases run */

static void machine_open(void *ctx, struct agpu_platform *out)
{
    (void)ctx;
    opened++;
    *out = *agpu_host_platform(host);
}

static void machine_close(void *ctx)
{
    (void)ctx;
    closed++;
}

static uint64_t now_ns(void *ctx)
{
    (void)ctx;
    return agpu_host_platform(host)->now_ns(agpu_host_platform(host)->ctx);
}

static enum agpu_monitor_answer ask_in(enum agpu_monitor_place place, const char *text)
{
    const enum agpu_monitor_answer answer = agpu_monitor_ask(&monitor, place, text, strlen(text), NULL, 0);

    if (answer != AGPU_MONITOR_LATER) {
        assert_true(monitor.text.length <= AGPU_CTL_TEXT_MAX);
    }
    return answer;
}

static void case_comes(void *ctx, const struct agpu_case *item)
{
    (void)ctx, (void)item;
    if (hostile_client) {
        assert_int_equal(ask_in(AGPU_MONITOR_DURING, "reg read 0"), AGPU_MONITOR_LATER);
        assert_int_equal(ask_in(AGPU_MONITOR_DURING, "status"), AGPU_MONITOR_GOOD);
        assert_int_equal(ask_in(AGPU_MONITOR_BETWEEN, "reg write 0 1"), AGPU_MONITOR_BAD);
        assert_int_equal(ask_in(AGPU_MONITOR_BETWEEN, "run *"), AGPU_MONITOR_BAD);
    }
}

static void discard(void *ctx, const char *packet, size_t length)
{
    (void)ctx, (void)packet, (void)length;
}

static void run(void *ctx, const char *globs, struct agpu_summary *out)
{
    struct agpu_stream stream;
    struct agpu_runner_config config = {.platform = agpu_host_platform(host),
                                        .stream = &stream,
                                        .fixture = &agpu_device_fixture,
                                        .filter = globs,
                                        .fixture_config.model = true,
                                        .cases_max = 1000000,
                                        .case_comes = case_comes};

    (void)ctx;
    config.tables = agpu_catalogue(&config.table_count);
    agpu_stream_init(&stream, now_ns, NULL, 0);
    agpu_stream_add_sink(&stream, &(struct agpu_sink){.name = "test", .packet = discard});
    agpu_run(&config, out);
}

static int begin(void **state)
{
    const struct agpu_host_config config = {.clock = AGPU_HOST_CLOCK_MANUAL};
    struct agpu_monitor_config monitor_config = {.fixture = &agpu_device_fixture,
                                                 .fixture_config = {.model = true},
                                                 .build = "b",
                                                 .boot = "0123456789abcdef",
                                                 .machine_open = machine_open,
                                                 .machine_close = machine_close,
                                                 .run = run,
                                                 .now_ns = now_ns};

    (void)state;
    host = agpu_host_create(&config, NULL, 0);
    assert_non_null(host);
    monitor_config.tables = agpu_catalogue(&monitor_config.table_count);
    opened = closed = 0;
    hostile_client = false;
    agpu_monitor_init(&monitor, &monitor_config);
    return 0;
}

/* Checks that nothing is left allocated. */
static int end(void **state)
{
    (void)state;
    agpu_monitor_close(&monitor);
    assert_int_equal(opened, closed);
    assert_int_equal(agpu_host_counts(host)->dma_live, 0);
    assert_int_equal(agpu_host_counts(host)->heap_live, 0);
    agpu_host_destroy(host);
    return 0;
}

static json_t *rows;

/* Returns the number under key in the first row. */
static uint64_t number(const char *key)
{
    const json_t *value = json_object_get(json_array_get(rows, 0), key);

    assert_true(json_is_integer(value));
    return (uint64_t)json_integer_value(value);
}

static void good_with(const char *text, const void *bytes, size_t size)
{
    assert_int_equal(agpu_monitor_ask(&monitor, AGPU_MONITOR_WAITING, text, strlen(text), bytes, size),
                     AGPU_MONITOR_GOOD);
    json_decref(rows);
    rows = json_array();
    assert_true(agpu_ctl_rows_read(monitor.rows, monitor.text.length, rows));
}

static void good(const char *text)
{
    good_with(text, NULL, 0);
}

static void bad(const char *text, const char *why)
{
    assert_int_equal(ask_in(AGPU_MONITOR_WAITING, text), AGPU_MONITOR_BAD);
    if (strstr(monitor.rows, why) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", monitor.rows, why);
    }
}

FIXTURE(begin, end);

TEST(reports_its_identity)
{
    good("id");
    assert_non_null(strstr(monitor.rows, "A3A0:0001"));
    assert_int_equal(number("major"), 1);
    assert_int_equal(number("minor"), 4);
    good("status");
    assert_non_null(strstr(monitor.rows, "state=waiting"));
}

TEST(registers_are_read_and_written)
{
    char text[80];

    good("reg read 0");
    assert_int_equal(number("value"), AEROGPU_MMIO_MAGIC);
    good("reg read 8 8");
    assert_int_equal(number("value"), 0x3f);
    snprintf(text, sizeof text, "reg write %u 5", AEROGPU_MMIO_REG_CURSOR_X);
    good(text);
    snprintf(text, sizeof text, "reg read %u", AEROGPU_MMIO_REG_CURSOR_X);
    good(text);
    assert_int_equal(number("value"), 5);
    bad("reg read 2", "multiples of 4");
    bad("reg read 0 2", "width");
    bad("reg read 0x10000", "past the end");
    bad("reg read 0xfffc 8", "past the end");
    bad("reg read 0xfffffffffffffffc", "past the end");
    bad("reg write 0x100000000 0", "past the end");
    bad("reg write 0 0x100000000", "32 bits");
}

TEST(a_ring_is_brought_up_and_shown)
{
    good("ring");
    assert_int_equal(number("up"), 0);
    good("ring up");
    assert_int_equal(number("up"), 1);
    assert_int_equal(number("control") & 1, 1);
    good("ring up");
    assert_int_equal(number("up"), 1);
}

TEST(our_memory_is_read_and_no_other)
{
    char text[100];

    good("mem");
    assert_true(json_array_size(rows) >= 7);
    const uint64_t address = number("address"), size = number("size");
    snprintf(text, sizeof text, "mem read %llu 16", (unsigned long long)address);
    good(text);
    assert_int_equal(monitor.size, 16);
    snprintf(text, sizeof text, "mem read %llu 1", (unsigned long long)(address + size - 1));
    good(text);
    snprintf(text, sizeof text, "mem read %llu 2", (unsigned long long)(address + size - 1));
    bad(text, "allocation");
    snprintf(text, sizeof text, "mem read %llu 16", (unsigned long long)(address - 16));
    bad(text, "allocation");
    bad("mem read 0 16", "allocation");
    bad("mem read 0xffffffffffffffff 16", "allocation");
    snprintf(text, sizeof text, "mem read %llu 0", (unsigned long long)address);
    bad(text, "16384");
    snprintf(text, sizeof text, "mem read %llu 16385", (unsigned long long)address);
    bad(text, "16384");
}

/* Every case once, in order, over several answers. */
TEST(cases_are_listed_in_parts)
{
    unsigned long long from = 0;
    size_t count = 0, parts = 0;
    char text[60];
    bool more = true;

    while (more) {
        snprintf(text, sizeof text, "cases * %llu", from);
        good(text);
        const json_t *last = json_array_get(rows, json_array_size(rows) - 1);
        more = strcmp(json_string_value(json_object_get(last, "row")), "more") == 0;
        count += json_array_size(rows) - more;
        from = more ? (unsigned long long)json_integer_value(json_object_get(last, "from")) : 0;
        assert_true(!more || from == count);
        parts++;
    }
    assert_true(parts > 1 && count > 1000);
    good("cases ring.wrap.*");
    assert_true(json_array_size(rows) > 1 && json_array_size(rows) < 50);
    good("cases nothing");
    assert_int_equal(json_array_size(rows), 0);
}

TEST(cases_are_run)
{
    hostile_client = true;
    good("ring up");
    good("run ring.wrap.*");
    assert_non_null(strstr(monitor.rows, "status=PASS"));
    assert_true(number("passed") > 1);
    assert_int_equal(number("passed"), number("ended"));
    good("run nothing");
    assert_non_null(strstr(monitor.rows, "status=ERROR"));
    good("id"); /* the monitor owns the device again */
    assert_int_equal(ask_in(AGPU_MONITOR_WAITING, "stop"), AGPU_MONITOR_BAD);
}

TEST(streams_are_submitted)
{
    struct {
        struct aerogpu_cmd_stream_header header;
        struct aerogpu_cmd_hdr nop;
    } stream = {.header = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                           .abi_version = AEROGPU_ABI_VERSION_U32,
                           .size_bytes = sizeof stream},
                .nop = {.opcode = AEROGPU_CMD_NOP, .size_bytes = sizeof stream.nop}};
    static uint8_t large[AGPU_CTL_STREAM_MAX];

    good("submit"); /* without a stream: only a fence */
    assert_non_null(strstr(monitor.rows, "status=done"));
    const uint64_t fence = number("fence");
    good_with("submit", &stream, sizeof stream);
    assert_int_equal(number("fence"), fence + 1);
    assert_int_equal(number("errors"), 0);
    stream.nop.size_bytes = 3;
    good_with("submit", &stream, sizeof stream);
    assert_int_equal(number("errors"), 1);
    assert_int_equal(number("error_code"), AEROGPU_ERROR_CMD_DECODE);
    good_with("submit", large, sizeof large);
    assert_int_equal(agpu_monitor_ask(&monitor, AGPU_MONITOR_WAITING, "id", 2, large, 1), AGPU_MONITOR_BAD);
    bad("submit 0x100000000", "32 bits");
    /* The client has disabled the ring: the wait is bounded, and the ring can be enabled again. */
    char text[80];
    snprintf(text, sizeof text, "reg write %u 0", AEROGPU_MMIO_REG_RING_CONTROL);
    good(text);
    good("submit");
    assert_null(strstr(monitor.rows, "status=done"));
    bad("submit", "ring up");
    good("ring up");
    good("submit");
    assert_non_null(strstr(monitor.rows, "status=done"));
}

TEST(wishes_are_for_the_caller)
{
    good("go");
    assert_int_equal(monitor.wish, AGPU_MONITOR_GO);
    good("quit");
    assert_int_equal(monitor.wish, AGPU_MONITOR_QUIT);
    good("reboot");
    assert_int_equal(monitor.wish, AGPU_MONITOR_REBOOT);
    assert_int_equal(ask_in(AGPU_MONITOR_DURING, "reboot"), AGPU_MONITOR_LATER);
    assert_false(monitor.stopping);
    assert_int_equal(ask_in(AGPU_MONITOR_DURING, "stop"), AGPU_MONITOR_GOOD);
    assert_true(monitor.stopping);
    good("go"); /* the next run is a different one */
    assert_false(monitor.stopping);
}

/* Any text and bytes: the answer is bounded and valid, whatever state the device is in. */
TEST(nonsense_is_answered)
{
    static const char *const words[] = {"id",   "reg",    "read",   "write", "0",     "4",   "ring",
                                        "up",   "mem",    "cases",  "*",     "0x108", "8",   "go",
                                        "stop", "submit", "status", "0x10C", "\"",    "268", "1"};
    char text[200];

    srand(7);
    for (unsigned i = 0; i < 2000; i++) {
        size_t length = 0;

        for (int n = rand() % 5; n >= 0; n--) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s ",
                                       words[(size_t)rand() % (sizeof words / sizeof words[0])]);
        }
        if (rand() % 4 == 0) {
            text[(size_t)rand() % length] = (char)rand();
        }
        const enum agpu_monitor_answer answer =
            agpu_monitor_ask(&monitor, (enum agpu_monitor_place)(rand() % 2 * 2), text, length, NULL, 0);
        if (answer == AGPU_MONITOR_GOOD) {
            json_decref(rows);
            rows = json_array();
            assert_true(agpu_ctl_rows_read(monitor.rows, monitor.text.length, rows));
        }
    }
}

TEST(the_device_can_be_given_back_and_had_again)
{
    good("id");
    agpu_monitor_close(&monitor);
    good("id");
    assert_int_equal(opened, 2);
    assert_int_equal(closed, 1);
}

/* The monitor restores the device even if no ring was brought up. */
TEST(what_was_written_is_undone)
{
    char text[80];

    snprintf(text, sizeof text, "reg read %u", AEROGPU_MMIO_REG_CURSOR_X);
    good(text);
    const uint64_t before = number("value");
    snprintf(text, sizeof text, "reg write %u %u", AEROGPU_MMIO_REG_CURSOR_X, (unsigned)before + 7);
    good(text);
    good(text);
    snprintf(text, sizeof text, "reg write %u 1", AEROGPU_MMIO_REG_IRQ_ENABLE);
    good(text);
    snprintf(text, sizeof text, "reg write %u 1", AEROGPU_MMIO_REG_CURSOR_ENABLE);
    good(text);
    agpu_monitor_close(&monitor);
    snprintf(text, sizeof text, "reg read %u", AEROGPU_MMIO_REG_CURSOR_X);
    good(text);
    assert_int_equal(number("value"), before);
    snprintf(text, sizeof text, "reg read %u", AEROGPU_MMIO_REG_IRQ_ENABLE);
    good(text);
    assert_int_equal(number("value"), 0);
    snprintf(text, sizeof text, "reg read %u", AEROGPU_MMIO_REG_CURSOR_ENABLE);
    good(text);
    assert_int_equal(number("value"), 0);
    /* More registers than the monitor remembers: it still writes them. */
    for (unsigned i = 0; i < 3 * AGPU_MONITOR_WRITTEN_MAX; i++) {
        snprintf(text, sizeof text, "reg write %u 0", 0x1000 + 4 * i);
        good(text);
    }
}

/* Requests that waited for the end of the last case. */
TEST(requests_after_the_cases)
{
    assert_int_equal(ask_in(AGPU_MONITOR_AFTER, "reg read 0"), AGPU_MONITOR_GOOD);
    assert_int_equal(ask_in(AGPU_MONITOR_AFTER, "status"), AGPU_MONITOR_GOOD);
    assert_non_null(strstr(monitor.rows, "state=ended"));
    assert_int_equal(ask_in(AGPU_MONITOR_AFTER, "run *"), AGPU_MONITOR_BAD);
    assert_non_null(strstr(monitor.rows, "the image is exiting"));
    assert_int_equal(ask_in(AGPU_MONITOR_AFTER, "stop"), AGPU_MONITOR_BAD);
}
