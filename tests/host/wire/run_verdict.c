/* run_verdict.c: the rules that turn a run's records and its end into verdicts. */
#include "tests/host/wire/run_verdict.h"

#include "tests/host/wire/run_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum agpu_verdict running_case;
    enum agpu_verdict run;
} endings[AGPU_ENDING_COUNT] = {
#define ENDING(NAME, word, running_case, run, ...) {#word, AGPU_VERDICT_##running_case, AGPU_VERDICT_##run},
#include "tests/host/wire/endings.def"
};

const char *agpu_ending_name(enum agpu_ending ending)
{
    return endings[(unsigned)ending < AGPU_ENDING_COUNT ? ending : AGPU_ENDING_NONE].name;
}

bool agpu_ending_parse(const char *name, enum agpu_ending *out)
{
    for (size_t i = 0; i < AGPU_ENDING_COUNT; i++) {
        if (strcmp(endings[i].name, name) == 0) {
            *out = (enum agpu_ending)i;
            return true;
        }
    }
    return false;
}

enum agpu_verdict agpu_ending_case_verdict(enum agpu_ending ending)
{
    return endings[ending].running_case;
}

static enum agpu_verdict ending_run_verdict(enum agpu_ending ending)
{
    return endings[ending].run;
}

void agpu_run_end(struct agpu_run *run, enum agpu_ending ending, const char *text)
{
    if (run->ending != AGPU_ENDING_NONE || run->concluded) {
        return;
    }
    run->ending = ending;
    run->ending_text = strdup(text);
    run->post_mortem = true;
}

static void set_reason(struct agpu_case_result *c, const char *text)
{
    free(c->reason);
    c->reason = text != NULL ? strdup(text) : NULL;
}

static void close_case(struct agpu_run *run, struct agpu_case_result *c, enum agpu_verdict verdict,
                       const char *reason, uint64_t now_us)
{
    c->verdict = agpu_verdict_worst(c->verdict, verdict);
    set_reason(c, reason);
    if (c->started && now_us > c->started_us) {
        c->duration_us = now_us - c->started_us;
    }
    c->ended = true;
    c->ended_us = now_us;
    agpu_run_add_finished(run, c);
}

/* Prepares for the next boot's plan and summary; keeps what these report of the device. */
static void end_boot_of(struct agpu_run *run, struct agpu_run_plan *plan, struct agpu_image_summary *summary)
{
    plan->earlier = agpu_verdict_worst(plan->earlier, agpu_plan_judge_device(run, plan));
    plan->seen = false;
    agpu_run_summary_begin(summary);
}

static void begin_boot(struct agpu_run *run)
{
    for (size_t i = 0; i < run->device_count; i++) {
        end_boot_of(run, &run->devices[i]->plan, &run->devices[i]->summary);
    }
    end_boot_of(run, &run->plan, &run->summary);
    run->boot++;
    run->plan_seen = false;
}

void agpu_run_restarted(struct agpu_run *run, uint64_t now_us)
{
    struct agpu_case_result *c = agpu_run_current(run);

    if (c != NULL) {
        close_case(run, c, AGPU_VERDICT_CRASH, "the machine started again while the case ran", now_us);
    }
    agpu_run_problem(run, "the machine started again%s%s", c != NULL ? " during " : "",
                     c != NULL ? c->id : "");
    begin_boot(run);
}

static bool add_restart(struct agpu_run *run, const char *id)
{
    struct agpu_restart *grown = realloc(run->restarts, (run->restart_count + 1) * sizeof *grown);
    const char *text = run->ending_text != NULL ? run->ending_text : agpu_ending_name(run->ending);
    struct agpu_restart made = {.boot = run->boot, .ending = run->ending};

    if (grown == NULL) {
        return false;
    }
    run->restarts = grown;
    made.text = strdup(text);
    made.id = strdup(id);
    if (made.text == NULL || made.id == NULL) {
        free(made.text);
        free(made.id);
        return false;
    }
    run->restarts[run->restart_count++] = made;
    return true;
}

const char *agpu_run_resume(struct agpu_run *run, uint64_t now_us)
{
    struct agpu_case_result *last = agpu_run_last_started(run);

    if (last == NULL || run->ending == AGPU_ENDING_NONE || run->concluded || run->repeated ||
        run->summary.seen || (run->planned != 0 && last->index == run->planned) ||
        run->restart_count == AGPU_RESTARTS_MAX || strchr(last->id, '/') != NULL ||
        !add_restart(run, last->id)) {
        /* an id with a device in front is of a run with several devices, and the image cannot continue after such a
         * case */
        return NULL;
    }
    if (last->ended) {
        agpu_run_problem(run, "behind %s: %s", last->id, run->restarts[run->restart_count - 1].text);
    } else {
        close_case(run, last, agpu_ending_case_verdict(run->ending), run->ending_text, now_us);
        agpu_run_problem(run, "%s: %s", last->id, run->restarts[run->restart_count - 1].text);
    }
    free(run->ending_text);
    run->ending_text = NULL;
    run->ending = AGPU_ENDING_NONE;
    run->post_mortem = false;
    run->echo_seen = false;
    begin_boot(run);
    return last->id;
}

const char *agpu_run_next_boot(struct agpu_run *run)
{
    const struct agpu_case_result *last = agpu_run_last_started(run);

    if (last == NULL || run->ending != AGPU_ENDING_NONE || run->concluded || !run->summary.seen ||
        run->summary.left == 0) {
        return NULL;
    }
    begin_boot(run);
    return last->id;
}

enum agpu_verdict agpu_case_verdict(const struct agpu_case_result *c)
{
    /* An ERROR may include the check that led to it; PASS or SKIP with a failed check is a contradiction. */
    return c->verdict <= AGPU_VERDICT_SKIP && c->checks_failed > 0 ? AGPU_VERDICT_FAIL : c->verdict;
}

/* Counts the cases of one device, or of all with NULL. */
static struct agpu_counts count_cases(const struct agpu_run *run, const struct agpu_run_device *device)
{
    struct agpu_counts counts = {0};
    uint64_t known = 0;
    uint64_t planned = device != NULL ? device->plan.count : run->planned;

    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];

        if (device != NULL && c->device != device) {
            continue;
        }
        known++;
        if (c->ended) {
            counts.by_verdict[agpu_case_verdict(c)]++;
            counts.blocked += c->blocked_by != NULL;
            counts.total++;
        }
    }
    counts.not_run = planned > known ? planned - known : 0;
    return counts;
}

struct agpu_counts agpu_run_counts(const struct agpu_run *run)
{
    return count_cases(run, NULL);
}

struct agpu_counts agpu_device_counts(const struct agpu_run *run, const struct agpu_run_device *device)
{
    return count_cases(run, device);
}

/* Closes cases that did not end although the image continued with a later case or its summary: the end record was
 * lost, or the image did not send it. */
static void close_lost(struct agpu_run *run, const struct agpu_case_result *current)
{
    for (size_t i = 0; i < run->case_count; i++) {
        struct agpu_case_result *c = run->cases[i];

        if (c->ended || c == current) {
            continue;
        }
        const char *reason = c->started ? "its end record never arrived, later records did"
                                        : "its start and end records never arrived";
        close_case(run, c, AGPU_VERDICT_ERROR, reason, 0);
    }
}

static enum agpu_verdict check_completeness(struct agpu_run *run, const struct agpu_counts *counts)
{
    /* In a run that a person ended, unfinished cases are not missing. */
    const enum agpu_verdict missing =
        run->ending == AGPU_ENDING_INTERRUPTED ? AGPU_VERDICT_INTERRUPTED : AGPU_VERDICT_ERROR;
    enum agpu_verdict verdict = AGPU_VERDICT_PASS;

    if (!run->plan_seen) {
        agpu_run_problem(run, "no plan record arrived");
        verdict = missing;
    }
    if (!run->summary.seen) {
        agpu_run_problem(run, "no summary record arrived");
        verdict = missing;
    }
    if (counts->total == 0) {
        agpu_run_problem(run, "no case ran");
        verdict = missing;
    }
    if (counts->not_run > 0) {
        agpu_run_problem(run, "%" PRIu64 " of %" PRIu64 " planned cases never started", counts->not_run,
                         run->planned);
        verdict = missing;
    }
    if (run->lost > 0) {
        agpu_run_problem(
            run,
            "%" PRIu64
            " records were lost on the network, so their content is unknown: use stream=on in agpu.cfg",
            run->lost);
        verdict = missing;
    }
    if (run->plan_seen && !run->attended && counts->total > run->planned) {
        agpu_run_problem(run, "%" PRIu64 " cases ran, the plan has %" PRIu64, counts->total, run->planned);
        verdict = AGPU_VERDICT_ERROR;
    }
    return verdict;
}

static enum agpu_verdict summary_status(const struct agpu_image_summary *summary)
{
    return agpu_verdict_worst(summary->earlier, summary->status);
}

/* Compares the image's counts with the collector's, in a run with a single boot only. */
static enum agpu_verdict check_image_summary(struct agpu_run *run, const struct agpu_counts *cases)
{
    const struct agpu_counts *counts = run->repeated ? &run->ends : cases; /* the image counts every round */

    if (!run->summary.seen) {
        return run->summary.earlier;
    }
    if (run->attended) { /* its summary covers only the last selection */
        return summary_status(&run->summary);
    }
    bool same = run->boot > 0 || run->summary.counts.total == counts->total;
    for (size_t i = 0; run->boot == 0 && i < AGPU_VERDICT_COUNT; i++) {
        same = same && run->summary.counts.by_verdict[i] == counts->by_verdict[i];
    }
    if (!same) {
        agpu_run_problem(run,
                         "the image counted %" PRIu64 " cases, %" PRIu64 " of them passed; %" PRIu64
                         " and %" PRIu64 " are known here",
                         run->summary.counts.total, run->summary.counts.by_verdict[AGPU_VERDICT_PASS],
                         counts->total, counts->by_verdict[AGPU_VERDICT_PASS]);
        return AGPU_VERDICT_ERROR;
    }
    return summary_status(&run->summary);
}

/* Returns the worst verdict for one device, or for all; skips and known failures do not count. */
static enum agpu_verdict worst_case(const struct agpu_run *run, const struct agpu_run_device *device)
{
    enum agpu_verdict worst = AGPU_VERDICT_PASS;

    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];
        const enum agpu_verdict verdict = agpu_case_verdict(c);

        if (c->ended && verdict >= AGPU_VERDICT_INTERRUPTED && c->quarantine != AGPU_QUARANTINE_KNOWN &&
            (device == NULL || c->device == device)) {
            worst = agpu_verdict_worst(worst, verdict);
        }
    }
    return worst;
}

/* Cases that never ended have no quarantine result from the image. */
static void judge_quarantine(struct agpu_run *run, struct agpu_case_result *c)
{
    const enum agpu_verdict verdict = agpu_case_verdict(c);
    const struct agpu_quarantine_entry *entry;
    const enum agpu_quarantine_verdict found =
        agpu_quarantine_judge(run->quarantine, c->id + c->subject, verdict >= AGPU_VERDICT_ERROR,
                              verdict == AGPU_VERDICT_PASS, &entry);

    if (run->quarantine != NULL) {
        c->quarantine = found;
    }
    if (run->quarantine != NULL && entry != NULL) {
        free(c->quarantine_reason);
        c->quarantine_reason = strdup(entry->reason);
        c->quarantine_until = entry->until;
    }
    const unsigned until = (unsigned)c->quarantine_until;
    const char *reason = c->quarantine_reason != NULL ? c->quarantine_reason : "no reason";
    switch (c->quarantine) {
    case AGPU_QUARANTINE_KNOWN:
        agpu_run_problem(run, "%s: known to fail until %04u-%02u-%02u: %s", c->id, until / 10000,
                         until / 100 % 100, until % 100, reason);
        break;
    case AGPU_QUARANTINE_PASSED:
        agpu_run_problem(run, "%s: known to fail (%s), but it passed: remove its entry", c->id, reason);
        break;
    case AGPU_QUARANTINE_EXPIRED:
        agpu_run_problem(
            run, "%s: was known to fail until %04u-%02u-%02u; the entry has expired, so it counts: %s", c->id,
            until / 10000, until / 100 % 100, until % 100, reason);
        break;
    case AGPU_QUARANTINE_NOTHING:
        break;
    }
}

/* Returns true when the case that caused the restart is a known failure. */
static bool restart_is_known(const struct agpu_run *run, const struct agpu_restart *restart)
{
    for (size_t i = 0; i < run->case_count; i++) {
        if (strcmp(run->cases[i]->id, restart->id) == 0) {
            return run->cases[i]->quarantine == AGPU_QUARANTINE_KNOWN;
        }
    }
    return false;
}

/* Evaluates skipped cases, on one device or on all with NULL: SKIP when skips are not acceptable, or when no case
 * passed. An image that reports PASS then contradicts its records; this is checked only for a summary of all cases. */
static enum agpu_verdict judge_skips(struct agpu_run *run, const struct agpu_run_device *device,
                                     const struct agpu_image_summary *summary)
{
    const bool of_everything =
        summary->seen && run->boot == 0 && !run->attended && !run->repeated && summary->left == 0;
    uint64_t untried = 0, never = 0, tried = 0, ended = 0;

    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];
        const bool skipped = agpu_case_verdict(c) == AGPU_VERDICT_SKIP;

        if (c->ended && (device == NULL || c->device == device)) {
            ended++;
            untried += skipped && !c->skip_allowed;
            never += skipped && (c->blocked_by != NULL || agpu_skip_is_never_acceptable(c->skip));
            tried += !skipped;
        }
    }
    const bool good =
        never == 0 && untried <= agpu_skip_quota(run->allow_skips) && (tried != 0 || ended == 0);
    if (of_everything && summary->untried != UINT64_MAX && summary->untried != untried) {
        agpu_run_problem(
            run, "the image counted %" PRIu64 " cases that could not be run, %" PRIu64 " are known here",
            summary->untried, untried);
        return AGPU_VERDICT_ERROR;
    }
    if (of_everything && !good && summary->status == AGPU_VERDICT_PASS) {
        agpu_run_problem(run,
                         "the image reports PASS, but %" PRIu64 " of %" PRIu64
                         " cases passed or failed and %" PRIu64 " could not be run",
                         tried, ended, untried);
        return AGPU_VERDICT_ERROR;
    }
    return good ? AGPU_VERDICT_PASS : AGPU_VERDICT_SKIP;
}

/* Decides by the table of reasons, independent of the image. */
static void judge_skip_reasons(struct agpu_run *run)
{
    for (size_t i = 0; i < run->case_count; i++) {
        struct agpu_case_result *c = run->cases[i];
        const struct agpu_run_plan *plan = c->device != NULL ? &c->device->plan : &run->plan;

        c->skip_allowed = c->blocked_by == NULL &&
                          agpu_skip_acceptable(c->skip, run->allow_skips, agpu_expect_states(plan->expect));
    }
}

/* A device that the run did not reach or finish is untested. */
static void conclude_device(struct agpu_run *run, struct agpu_run_device *device)
{
    struct agpu_counts counts = agpu_device_counts(run, device);

    device->verdict = agpu_verdict_worst(device->verdict, worst_case(run, device));
    device->verdict = agpu_verdict_worst(device->verdict, judge_skips(run, device, &device->summary));
    if (!device->plan.seen || !device->summary.seen || counts.not_run > 0 || counts.total == 0) {
        device->verdict = agpu_verdict_worst(device->verdict, run->ending == AGPU_ENDING_INTERRUPTED
                                                                  ? AGPU_VERDICT_INTERRUPTED
                                                                  : AGPU_VERDICT_ERROR);
    }
    device->verdict = agpu_verdict_worst(device->verdict, summary_status(&device->summary));
}

static int in_order_of_run(const void *a, const void *b)
{
    return agpu_case_order(*(struct agpu_case_result *const *)a, *(struct agpu_case_result *const *)b);
}

void agpu_run_conclude(struct agpu_run *run, uint64_t now_us)
{
    if (run->concluded) {
        return;
    }
    if (run->ending == AGPU_ENDING_NONE && !run->summary.seen) {
        agpu_run_end(run, AGPU_ENDING_STOPPED, "the records stop without a summary");
    }
    struct agpu_case_result *current = agpu_run_current(run);
    if (current != NULL) {
        close_case(run, current, agpu_ending_case_verdict(run->ending), run->ending_text, now_us);
    }
    close_lost(run, current);
    /* An ending, so that every report has it, also when it is regenerated. */
    if (run->device_fault != NULL) {
        agpu_run_end(run, AGPU_ENDING_DEVICE_FAULT, run->device_fault);
    }
    run->concluded = true;
    /* Sources may have overtaken each other: reports number cases in the image's order. */
    if (run->case_count > 1) {
        qsort(run->cases, run->case_count, sizeof(struct agpu_case_result *), in_order_of_run);
    }

    struct agpu_counts counts = agpu_run_counts(run);
    for (size_t i = 0; i < run->case_count; i++) {
        judge_quarantine(run, run->cases[i]);
    }
    judge_skip_reasons(run);
    enum agpu_verdict verdict = agpu_verdict_worst(worst_case(run, NULL), agpu_plan_judge(run));
    if (run->device_count == 0) { /* with several devices each has its own verdict */
        verdict = agpu_verdict_worst(verdict, judge_skips(run, NULL, &run->summary));
    }
    for (size_t i = 0; i < run->device_count; i++) {
        conclude_device(run, run->devices[i]);
        verdict = agpu_verdict_worst(verdict, run->devices[i]->verdict);
    }
    if (run->ending != AGPU_ENDING_NONE) {
        agpu_run_problem(run, "%s",
                         run->ending_text != NULL ? run->ending_text : agpu_ending_name(run->ending));
        verdict = agpu_verdict_worst(verdict, ending_run_verdict(run->ending));
    }
    for (size_t i = 0; i < run->restart_count; i++) {
        if (!restart_is_known(run, &run->restarts[i])) {
            verdict = agpu_verdict_worst(verdict, ending_run_verdict(run->restarts[i].ending));
        }
    }
    verdict = agpu_verdict_worst(verdict, check_completeness(run, &counts));
    run->verdict = agpu_verdict_worst(verdict, check_image_summary(run, &counts));
}
