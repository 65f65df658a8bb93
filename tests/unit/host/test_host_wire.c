/* test_host_wire.c: the host parses what the image writes: records of the image's runner, checks and stream go through
 * the host's parser. Each name that one side has exists on the other side. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases/harness/artifact.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/harness/runner.h"
#include "tests/host/wire/record.h"
#include "tests/host/wire/verdict.h"
#include "tests/host_platform/base_platform.h"
#include "tests/unit/test.h"

static struct agpu_parsed_record parsed;
static unsigned seen_types[AGPU_RECORD_TYPE_COUNT];
static unsigned seen_results[AGPU_VERDICT_COUNT]; /* results in end records */
static unsigned seen_keys[AGPU_RECORD_KEY_COUNT];

static const struct {
    enum agpu_record_type type;
    const char *key;
} fields[AGPU_RECORD_KEY_COUNT] = {
#define FIELD(NAME, key, ...) {AGPU_RECORD_##NAME, #key},
#include "tests/cases/protocol/records.def"
};

static bool note_key(const char *key)
{
    bool known = false;

    for (unsigned i = 0; i < AGPU_RECORD_KEY_COUNT; i++) {
        if (strcmp(fields[i].key, key) == 0 &&
            (fields[i].type == parsed.type || fields[i].type == AGPU_RECORD_EVERY)) {
            seen_keys[i]++;
            known = true;
        }
    }
    return known;
}

/* A sink: passes each record of the image to the host's parser. */
static void receive(void *ctx, const char *packet, size_t length)
{
    const char *text = memchr(packet, ';', length);
    enum agpu_verdict verdict;
    const char *wrong;

    (void)ctx;
    assert_non_null(text);
    text++;
    wrong = agpu_record_parse(text, (size_t)(packet + length - 1 - text), &parsed);
    if (wrong != NULL) {
        fail_msg("the host refuses \"%.*s\": %s", (int)(packet + length - 1 - text), text, wrong);
    }
    seen_types[parsed.type]++;
    for (size_t i = 0; i < parsed.field_count; i++) {
        if (!note_key(parsed.fields[i].key)) {
            fail_msg("\"%.*s\": records.def has no key %s of this type", (int)(packet + length - 1 - text),
                     text, parsed.fields[i].key);
        }
    }
    if (parsed.type == AGPU_RECORD_END || parsed.type == AGPU_RECORD_SUMMARY) {
        const char *status = agpu_record_text(&parsed, "status", "");

        if (!agpu_verdict_parse(status, &verdict)) {
            fail_msg("the host has no verdict %s", status);
        }
        seen_results[verdict] += parsed.type == AGPU_RECORD_END;
    }
}

/* ---- a run of the image's runner that writes every kind of record ---- */

static uint64_t clock_ns;

static uint64_t wire_now(void *ctx)
{
    (void)ctx;
    return clock_ns;
}

static void wire_relax(void *ctx, enum agpu_relax_reason reason)
{
    (void)ctx;
    (void)reason;
    clock_ns += UINT64_C(2000000000);
}

static enum agpu_status wire_open(struct agpu_env *env, const struct agpu_fixture_config *config,
                                  struct agpu_fixture_device *out, struct agpu_text *why)
{
    (void)env;
    (void)config;
    (void)why;
    *out = (struct agpu_fixture_device){.features = 0x3F, .abi = "1.4", .missing = "transfer"};
    return AGPU_OK;
}

static void wire_close(struct agpu_env *env)
{
    (void)env;
}

static void wire_describe(const struct agpu_env *env, struct agpu_text *text)
{
    (void)env;
    agpu_text_string(text, "A3A0:0001 00:03.0 abi=1.4 features=0x3f");
}

static enum agpu_skip_code wire_lacks(const struct agpu_env *env, uint64_t features, struct agpu_text *text)
{
    (void)env;
    (void)features;
    agpu_text_string(text, "the device lacks TRANSFER");
    return AGPU_SKIP_FEATURE;
}

/* The first case that needs the ring finds it broken. Later ones are skipped. */
static bool wire_prepare(struct agpu_env *env, const struct agpu_case *item, struct agpu_obstacle *why)
{
    static unsigned tries;

    (void)env;
    if (item->needs < AGPU_NEED_RING) {
        return true;
    }
    why->result = AGPU_TIMEOUT;
    why->cause = "fence";
    why->known = tries++ != 0;
    agpu_text_string(&why->text, "an empty submission does not complete");
    return false;
}

static void wire_state(const struct agpu_env *env, struct agpu_text *text)
{
    (void)env;
    agpu_text_string(text, "head 1, tail 2");
}

static void wire_finish(struct agpu_test *test)
{
    (void)test;
}

static enum agpu_status wire_restore(struct agpu_env *env, enum agpu_need need, struct agpu_text *leaks)
{
    (void)env;
    (void)need;
    (void)leaks;
    return AGPU_OK;
}

static void wire_ended(struct agpu_test *test)
{
    (void)test;
}

static const struct agpu_fixture wire_fixture = {
    .open = wire_open,
    .close = wire_close,
    .describe = wire_describe,
    .lacks = wire_lacks,
    .prepare = wire_prepare,
    .show_state = wire_state,
    .finish = wire_finish,
    .restore = wire_restore,
    .ended = wire_ended,
};

static bool takes_pieces;

static bool takes_piece(void *ctx, size_t size)
{
    (void)ctx;
    return takes_pieces && size == 3;
}

static void receive_piece(void *ctx, const char *packet, size_t length, const void *bytes, size_t size)
{
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "two", 3);
    receive(ctx, packet, length);
}

static void ends_with(struct agpu_test *test)
{
    enum agpu_result result = (enum agpu_result)(uintptr_t)test->test_case->arg;

    if (result != AGPU_PASS) {
        agpu_result_set(test, result, "as the case was told");
    }
}

static void writes_everything(struct agpu_test *test)
{
    const char *one = "one", *two = "two";

    agpu_check(test, 1 > 2);
    agpu_check_eq_u64(test, 1, 2);
    agpu_check_eq_hex(test, 1, 2);
    agpu_check_eq_mem(test, one, two, 3);
    agpu_check_ok(test, AGPU_ERR_LOST);
    agpu_check_ok(test, AGPU_ERR_TIMEOUT);
    agpu_metric(test, "latency", 17, "ns");
    agpu_choice(test, "bad_tail", "work dropped");
    agpu_artifact_send(test, "dump.bin", one, 3);
    takes_pieces = true;
    agpu_artifact_send(test, "dump.whole", two, 3);
    takes_pieces = false;
    for (enum agpu_log_level level = AGPU_LOG_ERROR; level <= AGPU_LOG_DEBUG; level++) {
        agpu_stream_log(test->stream, level, "a line for the engineer");
    }
    test->platform->relax(test->platform->ctx, AGPU_RELAX_IDLE); /* a heartbeat is due */
}

static struct agpu_quarantine known;

static void run_everything(void)
{
    struct agpu_case cases[AGPU_RESULT_COUNT + 4] = {
        {.id = "wire.writes.everything",
         .spec = "tests/cases/README.md",
         .needs = AGPU_NEED_FUNCTION,
         .run = writes_everything},
        {.id = "wire.finds.broken", .spec = "basics.h", .needs = AGPU_NEED_RING, .run = writes_everything},
        {.id = "wire.is.blocked", .spec = "basics.h", .needs = AGPU_NEED_RING, .run = writes_everything},
    };
    const struct agpu_case_table table = {cases, AGPU_RESULT_COUNT + 4};
    const struct agpu_case_table *const tables[] = {&table};
    struct agpu_platform platform = agpu_base_platform;
    struct agpu_sink sink = {
        .name = "host", .packet = receive, .takes_piece = takes_piece, .piece = receive_piece};
    struct agpu_stream stream;
    struct agpu_runner_config config = {.platform = &platform,
                                        .stream = &stream,
                                        .fixture = &wire_fixture,
                                        .tables = tables,
                                        .table_count = 1,
                                        .build = "5b0c94a63632",
                                        .run = "0123456789abcdef",
                                        .configured = "defaults",
                                        .expect = "abi=1.4",
                                        .cases_max = AGPU_RESULT_COUNT + 3,
                                        .allow_skips = "no_depth",
                                        .quarantine = &known};

    known = (struct agpu_quarantine){0};
    assert_true(agpu_quarantine_add(&known, "wire.finds.* 2999-12-31 as ever", 31));
    cases[AGPU_RESULT_COUNT + 3] =
        (struct agpu_case){.id = "wire.is.left", .spec = "run.h", .run = ends_with};
    for (uintptr_t i = 0; i < AGPU_RESULT_COUNT; i++) {
        cases[i + 3] = (struct agpu_case){
            .id = "wire.ends.as_told", .spec = "status.h", .arg = (const void *)i, .run = ends_with};
    }
    platform.now_ns = wire_now;
    platform.relax = wire_relax;
    agpu_stream_init(&stream, wire_now, NULL, 0);
    assert_true(agpu_stream_add_sink(&stream, &sink));
    assert_int_equal(agpu_run(&config, NULL), AGPU_CRASH);
    config.round.number = 2; /* one of several rounds */
    assert_int_equal(agpu_run(&config, NULL), AGPU_CRASH);
    config.round.number = 0; /* after a restart, on one of several devices */
    config.after = "wire.writes.everything";
    stream.device = "00:03.0";
    assert_int_equal(agpu_run(&config, NULL), AGPU_CRASH);
}

TEST(host_takes_every_record)
{
    run_everything();
    for (int i = 0; i < AGPU_RECORD_TYPE_COUNT; i++) {
        if (seen_types[i] == 0) {
            fail_msg("no record of type %s was written: the image has no such type, or this test does not "
                     "write it",
                     agpu_record_type_name((enum agpu_record_type)i));
        }
    }
    for (int i = 0; i < AGPU_VERDICT_COUNT; i++) {
        /* INTERRUPTED is the host's own verdict. */
        if (seen_results[i] == 0 && i != AGPU_VERDICT_INTERRUPTED) {
            fail_msg("the image has no result %s", agpu_verdict_name((enum agpu_verdict)i));
        }
    }
}

TEST(results_are_the_same)
{
    enum agpu_verdict verdict, other;

    assert_int_equal(AGPU_RESULT_COUNT + 1, AGPU_VERDICT_COUNT);
    assert_false(agpu_verdict_parse(agpu_verdict_name(AGPU_VERDICT_INTERRUPTED), &verdict));
    for (int i = 0; i < AGPU_RESULT_COUNT; i++) {
        assert_true(agpu_verdict_parse(agpu_result_name((enum agpu_result)i), &verdict));
        for (int j = 0; j < AGPU_RESULT_COUNT; j++) {
            const char *worse = agpu_result_name(agpu_result_worse((enum agpu_result)i, (enum agpu_result)j));

            assert_true(agpu_verdict_parse(agpu_result_name((enum agpu_result)j), &other));
            assert_string_equal(agpu_verdict_name(agpu_verdict_worst(verdict, other)), worse);
        }
    }
}

TEST(image_writes_every_key)
{
    /* Keys that only exceptions and truncated records have. */
    static const char elsewhere[] = " vector rip offset base address error rsp rflags stack truncated ";

    for (unsigned i = 0; i < AGPU_RECORD_KEY_COUNT; i++) {
        char word[AGPU_RECEIVED_KEY_MAX + 3];

        snprintf(word, sizeof word, " %s ", fields[i].key);
        if (seen_keys[i] == 0 && strstr(elsewhere, word) == NULL) {
            fail_msg("records.def has the key %s, which this run of the image's runner does not write",
                     fields[i].key);
        }
    }
}
