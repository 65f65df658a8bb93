/* collector_clock.c: the bounds of a run: what has to happen by when, and what it means if it did not. */
#include "tests/host/wire/collector_private.h"

#include <stdio.h>

/* How long a finished case waits for records that were overtaken on the network. */
#define STRAGGLER_US UINT64_C(300000)
/* How long the lines of a firmware exception dump may take. */
#define DUMP_US UINT64_C(500000)

static double us_to_seconds(uint64_t us)
{
    return (double)us / 1e6;
}

static bool case_ready(const struct agpu_collector *c, const struct agpu_case_result *item, uint64_t now_us)
{
    bool complete = c->current.prefix > item->end_seq || item->boot < c->run.boot;

    return item->ended && (complete || now_us >= item->ended_us + STRAGGLER_US);
}

void agpu_collector_announce(struct agpu_collector *c, uint64_t now_us, bool everything)
{
    for (size_t i = c->announced; i < c->run.case_count; i++) {
        struct agpu_case_result *item = c->run.cases[i];

        if (!item->announced && (everything || case_ready(c, item, now_us))) {
            item->announced = true;
            c->config.output.case_done(c->config.output.ctx, item);
        }
        if (item->announced && c->announced == i) {
            c->announced = i + 1;
        }
    }
}

static void bound_boot(struct agpu_collector *c, uint64_t now_us)
{
    uint64_t limit = c->config.boot_timeout_us;

    if (limit && !c->run.plan_seen && now_us >= c->config.start_us + limit && c->run.boot == 0) {
        char text[160];

        snprintf(text, sizeof text,
                 "no plan record within %.1f s of the start: the image did not boot or cannot be heard",
                 us_to_seconds(limit));
        agpu_collector_end(c, AGPU_ENDING_BOOT_TIMEOUT, text);
    }
}

static void bound_silence(struct agpu_collector *c, uint64_t now_us)
{
    uint64_t limit = c->config.silence_us;

    if (limit && c->run.plan_seen && !c->run.summary.seen && now_us >= c->last_record_us + limit) {
        char text[120];

        snprintf(text, sizeof text, "no record, heartbeat included, for %.1f s", us_to_seconds(limit));
        agpu_collector_end(c, AGPU_ENDING_SILENCE, text);
    }
}

static void bound_case(struct agpu_collector *c, uint64_t now_us)
{
    uint64_t limit = c->config.case_timeout_us;
    const struct agpu_case_result *current = limit ? agpu_run_current(&c->run) : NULL;

    if (current != NULL && now_us >= current->started_us + limit) {
        char text[120];

        snprintf(text, sizeof text, "still running after %.1f s", us_to_seconds(limit));
        agpu_collector_end(c, AGPU_ENDING_CASE_TIMEOUT, text);
    }
}

static void bound_run(struct agpu_collector *c, uint64_t now_us)
{
    uint64_t limit = c->config.run_timeout_us;

    if (limit && !c->run.summary.seen && now_us >= c->config.start_us + limit) {
        char text[120];

        snprintf(text, sizeof text, "the run is not finished after %.1f s", us_to_seconds(limit));
        agpu_collector_end(c, AGPU_ENDING_RUN_TIMEOUT, text);
    }
}

void agpu_collector_tick(struct agpu_collector *c, uint64_t now_us)
{
    if (c->exception[0] && now_us >= c->exception_us + DUMP_US) {
        agpu_collector_end(c, AGPU_ENDING_EXCEPTION, c->exception);
    }
    bound_boot(c, now_us);
    bound_silence(c, now_us);
    bound_case(c, now_us);
    bound_run(c, now_us);
    agpu_collector_announce(c, now_us, false);
}

static void earlier_deadline(uint64_t *deadline, uint64_t base_us, uint64_t limit_us)
{
    if (limit_us && base_us + limit_us < *deadline) {
        *deadline = base_us + limit_us;
    }
}

uint64_t agpu_collector_deadline(const struct agpu_collector *c)
{
    uint64_t deadline = UINT64_MAX;

    for (size_t i = c->announced; i < c->run.case_count; i++) {
        if (c->run.cases[i]->ended && !c->run.cases[i]->announced) {
            earlier_deadline(&deadline, c->run.cases[i]->ended_us, STRAGGLER_US);
        }
    }
    if (c->run.ending != AGPU_ENDING_NONE) {
        return deadline;
    }
    if (c->exception[0]) {
        earlier_deadline(&deadline, c->exception_us, DUMP_US);
    }
    if (c->run.summary.seen) {
        return deadline;
    }
    earlier_deadline(&deadline, c->config.start_us, c->config.run_timeout_us);
    if (!c->run.plan_seen && c->run.boot == 0) {
        earlier_deadline(&deadline, c->config.start_us, c->config.boot_timeout_us);
    }
    if (c->run.plan_seen) {
        earlier_deadline(&deadline, c->last_record_us, c->config.silence_us);
        const struct agpu_case_result *current = agpu_run_current(&c->run);
        if (current != NULL) {
            earlier_deadline(&deadline, current->started_us, c->config.case_timeout_us);
        }
    }
    return deadline;
}
