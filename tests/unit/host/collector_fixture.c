/* collector_fixture.c: see collector_fixture.h. */
#include <stdio.h>
#include <string.h>
#include "tests/unit/host/collector_fixture.h"
#include "tests/host/wire/run_verdict.h"
#include "tests/unit/test.h"

struct collector_fixture fx;

static void on_record(void *ctx, const struct agpu_received *received)
{
    struct collector_fixture *f = ctx;
    size_t used = strlen(f->order);

    snprintf(f->order + used, sizeof f->order - used, "%u:%d ", received->boot, (int)received->seq);
}

static void on_console(void *ctx, enum agpu_source source, const char *line, size_t length, bool is_record)
{
    struct collector_fixture *f = ctx;
    size_t used = strlen(f->noise);

    if (!is_record && source == AGPU_SOURCE_DEBUGCON) {
        snprintf(f->noise + used, sizeof f->noise - used, "[%.*s]", (int)length, line);
    }
}

static void on_case(void *ctx, const struct agpu_case_result *c)
{
    struct collector_fixture *f = ctx;
    size_t used = strlen(f->done);

    snprintf(f->done + used, sizeof f->done - used, "%s=%s ", c->id, agpu_verdict_name(agpu_case_verdict(c)));
}

void begin(const struct agpu_collector_config *bounds)
{
    struct agpu_collector_config config = bounds != NULL ? *bounds : (struct agpu_collector_config){0};

    memset(&fx, 0, sizeof fx);
    fx.now = 10 * SECOND;
    config.start_us = fx.now;
    config.output = (struct agpu_collector_output){
        .ctx = &fx, .record = on_record, .console = on_console, .case_done = on_case};
    fx.collector = agpu_collector_create(&config);
    assert_non_null(fx.collector);
}

int teardown(void **state)
{
    (void)state;
    agpu_collector_destroy(fx.collector);
    fx.collector = NULL;
    return 0;
}

/* Feeds one record of a source, with time stamp seq ms. */
bool from(enum agpu_source source, unsigned seq, const char *text)
{
    char line[600];
    int n = snprintf(line, sizeof line, "6,%u,%u,-;%s\n", seq, seq * 1000, text);

    fx.now += 10;
    if (source == AGPU_SOURCE_UDP) {
        return agpu_collector_packet(fx.collector, line, (size_t)n, fx.now);
    }
    if (source == AGPU_SOURCE_STREAM) {
        return agpu_collector_item(fx.collector, "b", line, (size_t)n, fx.now);
    }
    agpu_collector_stream(fx.collector, source, line, (size_t)n, fx.now);
    return true;
}

void udp(unsigned seq, const char *text)
{
    assert_true(from(AGPU_SOURCE_UDP, seq, text));
}

void dbg(unsigned seq, const char *text)
{
    from(AGPU_SOURCE_DEBUGCON, seq, text);
}

void stream(unsigned seq, const char *text)
{
    assert_true(from(AGPU_SOURCE_STREAM, seq, text));
}

struct agpu_run *finish(void)
{
    agpu_collector_finish(fx.collector, fx.now);
    return agpu_collector_run(fx.collector);
}

const struct agpu_case_result *find(const struct agpu_run *run, const char *id)
{
    for (size_t i = 0; i < run->case_count; i++) {
        if (strcmp(run->cases[i]->id, id) == 0) {
            return run->cases[i];
        }
    }
    fail_msg("case %s is not known", id);
    return NULL;
}

void expect(const struct agpu_run *run, const char *id, enum agpu_verdict verdict)
{
    assert_string_equal(agpu_verdict_name(agpu_case_verdict(find(run, id))), agpu_verdict_name(verdict));
}

bool has_problem(const struct agpu_run *run, const char *part)
{
    for (size_t i = 0; i < run->problem_count; i++) {
        if (strstr(run->problems[i], part) != NULL) {
            return true;
        }
    }
    return false;
}

void a_good_run(void (*say)(unsigned seq, const char *text))
{
    say(0, PLAN2);
    say(1, START_A);
    say(2, PASS_A);
    say(3, START_B);
    say(4, PASS_B);
    say(5, ALL_2);
}
