/* check.c: a failed check sets the result of the case and sends a record. */
#include "tests/cases/harness/check.h"

#include <stdarg.h>
#include <string.h>

#include "pci/machine/status.h"
#include "tests/cases/harness/attempts.h"
#include "tests/cases/harness/mismatch.h"
#include "tests/cases/harness/stream.h"

/* Maximum number of check records of a case; a loop that fails each time must not flood the network. */
#define CHECK_RECORDS_MAX 20u

/* Number of bytes of memory shown, from the first difference on. */
#define SHOWN_BYTES 16u

void agpu_part(struct agpu_test *test, const char *format, ...)
{
    struct agpu_text text;
    va_list args;

    agpu_text_begin(&text, test->part, sizeof test->part);
    va_start(args, format);
    agpu_format_args(&text, format, args);
    va_end(args);
    agpu_text_end(&text);
}

void agpu_result_set(struct agpu_test *test, enum agpu_result result, const char *reason)
{
    const char *part = result > AGPU_SKIP ? test->part : "";

    /* The reason explains the status: only a worse result replaces it. */
    if (result <= test->result) {
        return;
    }
    test->result = result;
    agpu_format_line(test->reason, sizeof test->reason, "%s%s%s", part, *part != '\0' ? ": " : "", reason);
}

/* Returns true if the case will be repeated, so that this failure is not recorded (attempts.h). */
static bool is_excused(struct agpu_test *test)
{
    return test->attempts_left != 0 && test->failed_checks == 0 && test->stood_still_ns != NULL &&
           *test->stood_still_ns > AGPU_STANDSTILL_NS;
}

static bool may_record(struct agpu_test *test)
{
    if (is_excused(test)) {
        test->excused_checks++;
        return false;
    }
    return test->failed_checks++ < CHECK_RECORDS_MAX && !test->unplanned;
}

static void begin_check_record(struct agpu_record *record, const struct agpu_test *test, const char *expr,
                               struct agpu_where where)
{
    char line[400];

    agpu_record_begin(record, AGPU_RECORD_CHECK, test->test_case->id);
    record->level = AGPU_LOG_ERROR;
    if (test->part[0] != '\0') {
        agpu_format_line(line, sizeof line, "%s: %s", test->part, expr);
        expr = line;
    }
    agpu_record_string(record, AGPU_KEY(CHECK, expr), expr);
    agpu_record_string(record, AGPU_KEY(CHECK, file), where.file);
    agpu_record_u64(record, AGPU_KEY(CHECK, line), (uint64_t)where.line);
}

bool agpu_check_true(struct agpu_test *test, bool passed, const char *expr, struct agpu_where where)
{
    struct agpu_record record;

    if (passed) {
        return agpu_check_passed(test);
    }
    test->checks++;
    agpu_result_set(test, AGPU_FAIL, expr);
    if (may_record(test)) {
        begin_check_record(&record, test, expr, where);
        agpu_stream_send(test->stream, &record);
    }
    return false;
}

bool agpu_check_u64(struct agpu_test *test, uint64_t actual, uint64_t expected, const char *expr, bool hex,
                    struct agpu_where where)
{
    return agpu_check_u64_noted(test, actual, expected, expr, hex, NULL, where);
}

/* Sets the reason "head: found 3, expected 4: one too few". more: "" if there is no note. */
static void mismatch_number(struct agpu_test *test, uint64_t actual, uint64_t expected, const char *expr,
                            bool hex, const char *more)
{
    const char *before = *more != '\0' ? ": " : "";
    char buffer[sizeof test->reason];

    if (hex) {
        agpu_format_line(buffer, sizeof buffer, "%s: found 0x%jx, expected 0x%jx%s%s", expr, actual, expected,
                         before, more);
    } else {
        agpu_format_line(buffer, sizeof buffer, "%s: found %ju, expected %ju%s%s", expr, actual, expected,
                         before, more);
    }
    agpu_result_set(test, AGPU_FAIL, buffer);
}

bool agpu_check_u64_noted(struct agpu_test *test, uint64_t actual, uint64_t expected, const char *expr,
                          bool hex, const char *note, struct agpu_where where)
{
    struct agpu_record record;
    char buffer[120];
    struct agpu_text clause;

    if (actual == expected) {
        return agpu_check_passed(test);
    }
    test->checks++;
    agpu_text_begin(&clause, buffer, sizeof buffer);
    agpu_mismatch_number(&clause, actual, expected, hex);
    mismatch_number(test, actual, expected, expr, hex, note != NULL ? note : buffer);
    if (may_record(test)) {
        begin_check_record(&record, test, expr, where);
        if (hex) {
            agpu_record_hex(&record, AGPU_KEY(CHECK, expected), expected);
            agpu_record_hex(&record, AGPU_KEY(CHECK, actual), actual);
        } else {
            agpu_record_u64(&record, AGPU_KEY(CHECK, expected), expected);
            agpu_record_u64(&record, AGPU_KEY(CHECK, actual), actual);
        }
        if (note != NULL || clause.length != 0) {
            agpu_record_string(&record, AGPU_KEY(CHECK, note), note != NULL ? note : buffer);
        }
        agpu_stream_send(test->stream, &record);
    }
    return false;
}

static void record_bytes(struct agpu_record *record, const char *key, const uint8_t *memory, size_t count)
{
    char buffer[3 * SHOWN_BYTES + 1];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    for (size_t i = 0; i < count; i++) {
        if (i != 0) {
            agpu_text_char(&text, ' ');
        }
        agpu_format(&text, "%02X", memory[i]);
    }
    agpu_record_string(record, key, buffer);
}

static void record_difference(struct agpu_record *record, const struct agpu_region *region,
                              const char *clause, size_t first, size_t different)
{
    char buffer[360];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_format(&text, "first difference at byte %zu, %zu of %zu bytes differ; %s; ", first, different,
                region->size, clause);
    agpu_mismatch_map(&text, region);
    agpu_text_end(&text);
    agpu_record_string(record, AGPU_KEY(CHECK, note), buffer);
}

bool agpu_check_region(struct agpu_test *test, const struct agpu_region *region, const char *expr,
                       struct agpu_where where)
{
    const uint8_t *const a = region->actual, *const e = region->expected;
    char buffer[sizeof test->reason], clause[160];
    size_t first = 0, different = 0, shown;
    struct agpu_text what;
    struct agpu_record record;

    if (region->size == 0 || memcmp(a, e, region->size) == 0) {
        return agpu_check_passed(test);
    }
    test->checks++;
    while (a[first] == e[first]) {
        first++;
    }
    for (size_t i = first; i < region->size; i++) {
        different += a[i] != e[i];
    }
    agpu_text_begin(&what, clause, sizeof clause);
    agpu_mismatch_bytes(&what, region);
    agpu_text_end(&what);
    agpu_format_line(buffer, sizeof buffer, "%s: %s", expr, clause);
    agpu_result_set(test, AGPU_FAIL, buffer);
    if (may_record(test)) {
        shown = region->size - first < SHOWN_BYTES ? region->size - first : SHOWN_BYTES;
        begin_check_record(&record, test, expr, where);
        record_bytes(&record, AGPU_KEY(CHECK, expected), e + first, shown);
        record_bytes(&record, AGPU_KEY(CHECK, actual), a + first, shown);
        record_difference(&record, region, clause, first, different);
        agpu_stream_send(test->stream, &record);
    }
    return false;
}

bool agpu_check_memory(struct agpu_test *test, const void *actual, const void *expected, size_t size,
                       const char *expr, struct agpu_where where)
{
    const struct agpu_region region = {.actual = actual, .expected = expected, .size = size};

    return agpu_check_region(test, &region, expr, where);
}

/* Larger memory is compared in pieces of this size. */
static uint8_t filled[4096];

/* Compares memory that must be filled with one value, in pieces, and checks the first one that differs. */
static bool check_piece(struct agpu_test *test, const uint8_t *actual, size_t at, size_t piece, size_t size,
                        const char *expr, struct agpu_where where)
{
    const struct agpu_region region = {.actual = actual + at, .expected = filled, .size = piece};
    char buffer[200];

    if (piece == size) {
        return agpu_check_region(test, &region, expr, where);
    }
    agpu_format_line(buffer, sizeof buffer, "%s, from byte %zu of %zu", expr, at, size);
    return agpu_check_region(test, &region, buffer, where);
}

bool agpu_check_fill(struct agpu_test *test, const void *actual, uint8_t value, size_t size, const char *expr,
                     struct agpu_where where)
{
    const uint8_t *const a = actual;

    memset(filled, value, size < sizeof filled ? size : sizeof filled);
    for (size_t at = 0; at < size; at += sizeof filled) {
        const size_t piece = size - at < sizeof filled ? size - at : sizeof filled;

        if (memcmp(a + at, filled, piece) != 0) {
            return check_piece(test, a, at, piece, size, expr, where);
        }
    }
    return agpu_check_passed(test);
}

/* Appends the state of the device after a wait that timed out. */
static void show_state(const struct agpu_test *test, enum agpu_status status, struct agpu_text *text)
{
    if ((status == AGPU_ERR_TIMEOUT || status == AGPU_ERR_LOST) && test->show_state != NULL &&
        test->test_case->needs >= AGPU_NEED_FUNCTION) {
        test->show_state(test->env, text);
    }
}

static bool status_failed(struct agpu_test *test, enum agpu_result result, enum agpu_status status,
                          const char *expr, struct agpu_where where)
{
    struct agpu_record record;
    char buffer[sizeof test->reason], shown[440];
    struct agpu_text state;

    agpu_text_begin(&state, shown, sizeof shown);
    show_state(test, status, &state);
    agpu_text_end(&state);
    agpu_format_line(buffer, sizeof buffer, "%s from %s%s%s", agpu_status_name(status), expr,
                     state.length != 0 ? ": " : "", shown);
    agpu_result_set(test, result, buffer);
    if (may_record(test)) {
        begin_check_record(&record, test, expr, where);
        agpu_record_string(&record, AGPU_KEY(CHECK, expected), agpu_status_name(AGPU_OK));
        agpu_record_string(&record, AGPU_KEY(CHECK, actual), agpu_status_name(status));
        if (state.length != 0) {
            agpu_record_string(&record, AGPU_KEY(CHECK, note), shown);
        }
        agpu_stream_send(test->stream, &record);
    }
    return false;
}

bool agpu_check_status(struct agpu_test *test, enum agpu_status status, const char *expr,
                       struct agpu_where where)
{
    if (status == AGPU_OK) {
        return agpu_check_passed(test);
    }
    test->checks++;
    return status_failed(test, status == AGPU_ERR_TIMEOUT ? AGPU_TIMEOUT : AGPU_FAIL, status, expr, where);
}

bool agpu_setup(struct agpu_test *test, enum agpu_status status, const char *expr, struct agpu_where where)
{
    if (status == AGPU_OK) {
        return true;
    }
    return status_failed(test, AGPU_ERROR, status, expr, where);
}

void agpu_skip(struct agpu_test *test, enum agpu_skip_code code)
{
    agpu_skip_because(test, code, agpu_skip_text(code));
}

void agpu_skip_because(struct agpu_test *test, enum agpu_skip_code code, const char *detail)
{
    if (test->result < AGPU_SKIP) {
        test->skip = code;
    }
    agpu_result_set(test, AGPU_SKIP, detail);
}

void agpu_blocked(struct agpu_test *test, const char *cause, const char *text)
{
    char buffer[sizeof test->reason];

    if (test->result >= AGPU_SKIP) {
        return;
    }
    agpu_format_line(buffer, sizeof buffer, "blocked by %s: %s", cause, text);
    test->blocked_by = cause;
    agpu_skip_because(test, AGPU_SKIP_BLOCKED, buffer);
}

void agpu_error(struct agpu_test *test, const char *reason)
{
    agpu_result_set(test, AGPU_ERROR, reason);
}

void agpu_timeout(struct agpu_test *test, const char *what)
{
    agpu_result_set(test, AGPU_TIMEOUT, what);
}

/* "budget register_read_ns_p99 <= 2000 ns: found 5300, expected 2000: ...". */
static void judge_metric(struct agpu_test *test, const char *name, uint64_t value, const char *unit)
{
    const struct agpu_budget *budget = agpu_budget_judge(test->budgets, name, value);
    char buffer[120], advice[200];

    if (budget == NULL) {
        return;
    }
    agpu_format_line(advice, sizeof advice, "%s; or change the budget", agpu_budget_advice(budget));
    agpu_format_line(buffer, sizeof buffer, "budget %s%s%ju %s", name,
                     budget->least ? ">=" : "<=", budget->value, unit);
    agpu_check_u64_noted(test, value, budget->value, buffer, false, advice, AGPU_HERE);
}

void agpu_metric(struct agpu_test *test, const char *name, uint64_t value, const char *unit)
{
    struct agpu_record record;

    agpu_record_begin(&record, AGPU_RECORD_METRIC, test->test_case->id);
    agpu_record_string(&record, AGPU_KEY(METRIC, name), name);
    agpu_record_u64(&record, AGPU_KEY(METRIC, value), value);
    agpu_record_string(&record, AGPU_KEY(METRIC, unit), unit);
    agpu_stream_send(test->stream, &record);
    judge_metric(test, name, value, unit);
}

void agpu_choice(struct agpu_test *test, const char *name, const char *value)
{
    struct agpu_record record;

    agpu_record_begin(&record, AGPU_RECORD_CHOICE, test->test_case->id);
    agpu_record_string(&record, AGPU_KEY(CHOICE, name), name);
    agpu_record_string(&record, AGPU_KEY(CHOICE, value), value);
    agpu_stream_send(test->stream, &record);
}

bool agpu_time_left(struct agpu_test *test)
{
    const struct agpu_platform *platform = test->platform;

    if (platform->now_ns(platform->ctx) < test->deadline_ns) {
        return true;
    }
    agpu_timeout(test, "the case used up its time");
    return false;
}
