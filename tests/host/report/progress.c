/* progress.c: the terminal display during a run, and its summary. */
#include "tests/host/list/cases.h"
#include "tests/host/report/progress.h"
#include "tests/host/report/meetings.h"
#include "tests/host/report/text.h"
#include "tests/host/report/wrap.h"
#include "tests/host/wire/groups.h"
#include "tests/host/wire/run_verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REDRAW_US    UINT64_C(100000)
#define NAME_COLUMNS 16u /* at least, for the running case, beside the counts */
/* Limit for displayed failures with the same message. */
#define FAILURES_ALIKE 5u
/* Limits of the last screen. */
#define FAILED_SHOWN   10u
#define PROBLEMS_SHOWN 4u
#define STATUS_COLUMNS 7

void agpu_progress_init(struct agpu_live *progress, FILE *out, const char *prefix, uint64_t start_us)
{
    const size_t columns = agpu_terminal_columns(out);

    *progress =
        (struct agpu_live){.out = out, .prefix = prefix, .text = out, .columns = 80, .start_us = start_us};
    progress->colour = agpu_terminal_has_colour(out);
    if (columns != 0) {
        FILE *wrapped = agpu_wrap_open(out, columns);

        progress->terminal = true;
        progress->columns = (unsigned)columns;
        progress->text = wrapped != NULL ? wrapped : out;
    }
}

/* Erases the updating line. */
static void clear_progress_line(struct agpu_live *progress)
{
    if (progress->line_shown) {
        fputs("\r\x1b[K", progress->out);
        fflush(progress->out);
        progress->line_shown = false;
    }
}

void agpu_progress_note(struct agpu_live *progress, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return;
    }
    clear_progress_line(progress);
    fputs(progress->prefix, progress->text);
    agpu_text_write_line(progress->text, text, (size_t)length); /* it may quote the guest */
    free(text);
    putc('\n', progress->text);
    fflush(progress->out);
}

static void write_duration(FILE *out, uint64_t us)
{
    if (us < 10000) {
        fprintf(out, "%" PRIu64 " us", us);
    } else if (us < 10000000) {
        fprintf(out, "%" PRIu64 " ms", us / 1000);
    } else {
        fprintf(out, "%.1f s", (double)us / 1e6);
    }
}

/* Writes a status, coloured where the terminal has colours. */
static void write_status(struct agpu_live *progress, int width, enum agpu_verdict verdict)
{
    const char *colour = verdict == AGPU_VERDICT_PASS    ? "32"
                         : verdict == AGPU_VERDICT_SKIP  ? "0"
                         : verdict == AGPU_VERDICT_ERROR ? "1;33"
                                                         : "1;31";

    if (progress->colour) {
        fprintf(progress->text, "\x1b[%sm%-*s\x1b[m ", colour, width, agpu_verdict_name(verdict));
    } else {
        fprintf(progress->text, "%-*s ", width, agpu_verdict_name(verdict));
    }
}

/* Writes the place of the case's files, and the command that repeats it: lines that people copy, and therefore not
 * wrapped. */
static void progress_files(struct agpu_live *progress, const struct agpu_report *report,
                           const struct agpu_case_result *c)
{
    char *const *names;
    const size_t count = agpu_report_files(report, c, &names);

    if (count != 0) {
        fprintf(progress->out, "%s         %s/artifacts/", progress->prefix,
                report->folder != NULL ? report->folder : ".");
        agpu_text_write_line(progress->out, names[0],
                             count > 1 ? (size_t)(agpu_artifact_kind(names[0], c->id) - names[0])
                                       : strlen(names[0]));
        fputs(count > 1 ? "*\n" : "\n", progress->out);
    }
    if (report->again != NULL) {
        fprintf(progress->out, "%s         again: ", progress->prefix);
        agpu_report_again(progress->out, report, c);
        putc('\n', progress->out);
    }
}

/* Writes the subject of the case, its source location, and the rule that it tests. */
static void progress_about(struct agpu_live *progress, const struct agpu_case_result *c)
{
    const struct agpu_listed_case *known = agpu_listed_case_find(c->id + c->subject);

    if (known != NULL) {
        fprintf(progress->text, "%s         is about: %s [%s; %s:%u]\n", progress->prefix, known->says,
                known->spec, known->file, known->line);
    }
}

static void progress_evidence(struct agpu_live *progress, const struct agpu_case_result *c)
{
    progress_about(progress, c);
    if (agpu_report_has_reason(c)) {
        fprintf(progress->text, "%s         ", progress->prefix);
        agpu_text_write_line(progress->text, c->reason, strlen(c->reason));
        putc('\n', progress->text);
    }
    for (const char *line = c->back_trace; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1) {
        fprintf(progress->text, "%s           ", progress->prefix);
        agpu_text_write_line(progress->text, line, strcspn(line, "\n"));
        putc('\n', progress->text);
    }
    for (size_t i = 0; i < c->checks_kept; i++) {
        fprintf(progress->text, "%s         ", progress->prefix);
        agpu_report_check_line(progress->text, &c->checks[i]);
        putc('\n', progress->text);
    }
    if (c->checks_failed > c->checks_kept) {
        fprintf(progress->text, "%s         and %zu more failed checks\n", progress->prefix,
                c->checks_failed - c->checks_kept);
    }
}

/* Returns the number of earlier cases with the same failure: one defect has many consequences. */
static size_t failures_alike(struct agpu_live *progress, const struct agpu_case_result *c)
{
    char alike[AGPU_EVIDENCE_TEXT_MAX];
    struct agpu_tally_entry *entry = agpu_tally_of(
        &progress->failures, agpu_without_numbers(agpu_failure_key(c), alike, sizeof alike), false);

    return entry != NULL ? entry->count++ : 0;
}

void agpu_progress_case(struct agpu_live *progress, const struct agpu_run *run,
                        const struct agpu_report *report, const struct agpu_case_result *c)
{
    enum agpu_verdict verdict = agpu_case_verdict(c);
    bool good = verdict <= AGPU_VERDICT_SKIP;
    size_t alike = good ? 0 : failures_alike(progress, c);

    if (((progress->terminal || progress->quiet) && good) || alike >= FAILURES_ALIKE) {
        return;
    }
    clear_progress_line(progress);
    fputs(progress->prefix, progress->text);
    if (!progress->terminal) {
        fprintf(progress->text, "[%3" PRIu64 "/%" PRIu64 "] ", c->index,
                c->device != NULL ? c->device->plan.count : run->planned);
    }
    write_status(progress, STATUS_COLUMNS, verdict);
    fprintf(progress->text, "%s  ", c->id);
    write_duration(progress->text, c->duration_us);
    if (verdict == AGPU_VERDICT_SKIP && c->reason != NULL) {
        fputs("  ", progress->text);
        agpu_text_write_line(progress->text, c->reason, strlen(c->reason));
    }
    putc('\n', progress->text);
    if (!good) {
        progress_evidence(progress, c);
        progress_files(progress, report, c);
    }
    if (alike + 1 == FAILURES_ALIKE) {
        fprintf(progress->text, "%s         further cases that fail like this one are only counted\n",
                progress->prefix);
    }
    progress->unseen = true;
}

static void progress_counts(FILE *out, const struct agpu_counts *counts)
{
    fprintf(out, "%" PRIu64 " pass", counts->by_verdict[AGPU_VERDICT_PASS]);
    for (enum agpu_verdict i = AGPU_VERDICT_SKIP; i < AGPU_VERDICT_COUNT; i++) {
        if (counts->by_verdict[i] > 0) {
            fprintf(out, " %" PRIu64 " %s", counts->by_verdict[i], agpu_verdict_word(i));
        }
        if (i == AGPU_VERDICT_SKIP && counts->blocked > 0) {
            fprintf(out, " (%" PRIu64 " blocked)", counts->blocked);
        }
    }
}

void agpu_progress_update(struct agpu_live *progress, const struct agpu_run *run, uint64_t now_us)
{
    if (progress->unseen) {
        fflush(progress->out);
        progress->unseen = false;
    }
    if (!progress->terminal || now_us < progress->drawn_us + REDRAW_US) {
        return;
    }
    progress->drawn_us = now_us;
    char head[96];
    char tail[200] = "";
    char time[40];
    double elapsed = (double)(now_us - progress->start_us) / 1e6;
    const struct agpu_case_result *current = agpu_run_current(run);
    struct agpu_counts counts = agpu_run_counts(run);
    const char *what = run->plan_seen ? (current != NULL ? current->id : "") : "waiting for the image";
    FILE *out = fmemopen(tail, sizeof tail, "w");
    if (out == NULL) {
        return;
    }
    fputs("   ", out);
    if (run->plan_seen) {
        progress_counts(out, &counts);
    }
    fclose(out);
    tail[sizeof tail - 1] = '\0';
    snprintf(time, sizeof time, "   %.1f s", elapsed);
    snprintf(head, sizeof head, "%s[%3" PRIu64 "/%" PRIu64 "] ", progress->prefix, counts.total,
             run->planned);
    if (strlen(head) + strlen(tail) + strlen(time) + NAME_COLUMNS >= progress->columns) {
        tail[0] = '\0'; /* a narrow terminal: the name of the case is more useful than the counts */
    }
    int used = (int)(strlen(head) + strlen(tail) + strlen(time)) + 1;
    int room = (int)progress->columns > used ? (int)progress->columns - used : 0;
    int width = room < 40 ? room : 40;
    char line[512];
    snprintf(line, sizeof line, "%s%-*.*s%s%s", head, width, width, what, tail, time);
    /* Truncated to fit: a line that wraps cannot be erased. Ids and words are ASCII. */
    fprintf(progress->out, "\r%.*s\x1b[K", (int)(progress->columns - 1), line);
    fflush(progress->out);
    progress->line_shown = true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static void write_time(FILE *out, double value, const char *unit)
{
    if (strcmp(unit, "ns") == 0) {
        fprintf(out, "%.1f us", value / 1000);
    } else {
        fprintf(out, "%g ", value);
        agpu_text_write_line(out, unit, strlen(unit));
    }
}

/* The image measures the time from doorbell to fence in several ways, each in its own case, and reports ..._p50 and
 * ..._p99. */
static void write_latency(struct agpu_live *progress, const struct agpu_run *run)
{
    for (size_t i = 0; i < run->metrics.count; i++) {
        const struct agpu_metric *p50 = &run->metrics.items[i];

        if (strstr(p50->name, "doorbell_to_fence") == NULL || !ends_with(p50->name, "p50")) {
            continue;
        }
        fprintf(progress->text, "%s  doorbell to fence  p50 ", progress->prefix);
        write_time(progress->text, p50->samples[0], p50->unit);
        for (size_t k = 0; k < run->metrics.count; k++) {
            const struct agpu_metric *p99 = &run->metrics.items[k];

            if (strcmp(p99->id, p50->id) == 0 && strstr(p99->name, "doorbell_to_fence") != NULL &&
                ends_with(p99->name, "p99")) {
                fputs(", p99 ", progress->text);
                write_time(progress->text, p99->samples[0], p99->unit);
            }
        }
        fprintf(progress->text, "   (%s)\n", p50->id);
    }
}

static void write_meetings(struct agpu_live *progress, const struct agpu_run *run)
{
    const size_t count = agpu_report_meetings(run);
    size_t met = 0;

    for (size_t i = 0; i < count; i++) {
        met += agpu_report_meeting_at(run, i).times > 0;
    }
    if (count != 0) {
        fprintf(progress->text, "%s  meetings           %zu of %zu exercised (explore.*)\n", progress->prefix,
                met, count);
    }
}

/* Writes the cases that ought to have run, by reason, and the number of the others. The blocked ones are with their
 * cause. */
static void write_skips(struct agpu_live *progress, const struct agpu_run *run)
{
    struct agpu_case_groups groups;
    size_t fine = 0;

    agpu_groups_of_skips(run, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        const struct agpu_case_group *group = &groups.items[i];

        if (group->first->skip_allowed) {
            fine += group->count;
        } else if (group->first->blocked_by == NULL) {
            fprintf(progress->text, "%s  UNTESTED           %zu: ", progress->prefix, group->count);
            agpu_text_write_line(progress->text, group->reason, strlen(group->reason));
            fputs(group->count > 1 ? "   (first: " : "   (", progress->text);
            agpu_text_write_line(progress->text, group->first->id, strlen(group->first->id));
            fputs(")\n", progress->text);
        }
    }
    agpu_groups_free(&groups);
    if (fine > 0) {
        fprintf(progress->text, "%s  not applicable     %zu\n", progress->prefix, fine);
    }
}

/* Writes the first sentence of the headline, on one line: on a terminal it ends at a word that fits. */
static void write_headline(struct agpu_live *progress, const struct agpu_case_result *c, size_t used)
{
    char *text = c->reason != NULL ? strdup(c->reason) : agpu_report_headline(c);
    size_t length = text != NULL ? strlen(text) : 0, room;
    bool cut = false;

    for (size_t i = 0; i + 1 < length; i++) {
        if (text[i] == '.' && text[i + 1] == ' ') {
            length = i;
        }
    }
    room = progress->terminal && progress->columns > used + 20 ? progress->columns - used - 4 : 200;
    cut = length > room;
    for (length = cut ? room : length; cut && length > 0 && text[length] != ' ';) {
        length--;
    }
    agpu_text_write_line(progress->text, text != NULL ? text : "", length);
    fputs(cut ? " ...\n" : "\n", progress->text);
    free(text);
}

/* Writes the failed cases, one line each: those that found a cause first, with the cases that it blocked. Without a
 * report, the later ones have only their names. */
static void write_failed(struct agpu_live *progress, const struct agpu_run *run, bool reported)
{
    struct agpu_case_groups groups;
    size_t shown = 0, count = 0;

    agpu_groups_of_failures(run, &groups);
    for (size_t k = 0; k < groups.count; k++) {
        const struct agpu_case_group *group = &groups.items[k];

        for (size_t i = 0; i < run->case_count; i++) {
            const struct agpu_case_result *c = run->cases[i];

            if (groups.of[i] != group->number || (++count > FAILED_SHOWN && reported)) {
                continue;
            }
            shown++;
            fprintf(progress->text, "%s  ", progress->prefix);
            write_status(progress, STATUS_COLUMNS, agpu_case_verdict(c));
            if (count > FAILED_SHOWN) {
                fprintf(progress->text, "%s\n", c->id);
                continue;
            }
            fprintf(progress->text, "%s  ", c->id);
            if (c == group->first && group->blocked > 0) {
                fprintf(progress->text, "blocks %zu: ", group->blocked);
            }
            write_headline(progress, c,
                           strlen(progress->prefix) + strlen(c->id) +
                               (c == group->first && group->blocked > 0 ? 26 : 12));
        }
    }
    if (count > shown) {
        fprintf(progress->text, "%s  and %zu more failed cases, in %zu groups: see the report\n",
                progress->prefix, count - shown, groups.count);
    }
    agpu_groups_free(&groups);
}

static void write_devices(struct agpu_live *progress, const struct agpu_run *run)
{
    for (size_t i = 0; i < run->device_count; i++) {
        const struct agpu_run_device *device = run->devices[i];
        struct agpu_counts counts = agpu_device_counts(run, device);

        fprintf(progress->text, "%s  ", progress->prefix);
        write_status(progress, STATUS_COLUMNS, device->verdict);
        fprintf(progress->text, "%-9s  ", device->name);
        progress_counts(progress->text, &counts);
        fputs("   ", progress->text);
        if (device->device != NULL) {
            agpu_text_write_line(progress->text, device->device, strlen(device->device));
        }
        putc('\n', progress->text);
    }
}

/* Writes the expectations: a result means less for "any device" than for our model, and less for a device with few
 * required features. */
static void write_judged(struct agpu_live *progress, const struct agpu_run *run)
{
    FILE *out = progress->text;

    if (run->judged == NULL) {
        return;
    }
    fprintf(out, "%s  expectations       %s", progress->prefix,
            strcmp(run->judged, "model") == 0 ? "the model" : "any device");
    if (run->abi != NULL) {
        fputs(", abi ", out);
        agpu_text_write_line(out, run->abi, strlen(run->abi));
    }
    if (run->require != NULL) {
        fputs(", require ", out);
        agpu_text_write_line(out, run->require, strlen(run->require));
    }
    if (run->expect != NULL) {
        fputs(", expect ", out);
        agpu_text_write_line(out, run->expect, strlen(run->expect));
    }
    putc('\n', out);
}

void agpu_progress_close(struct agpu_live *progress)
{
    agpu_tally_free(&progress->failures);
    agpu_wrap_close(progress->text, progress->out);
    progress->text = progress->out;
}

void agpu_progress_summary(struct agpu_live *progress, const struct agpu_report *report, const char *folder)
{
    const struct agpu_run *run = report->run;
    struct agpu_counts counts = agpu_run_counts(run);
    char page[4400];

    FILE *out = progress->text;
    flockfile(progress->out); /* the collector may report on several machines at the same time */
    clear_progress_line(progress);
    putc('\n', out);
    write_devices(progress, run);
    write_skips(progress, run);
    if (run->device != NULL && run->device_count == 0) {
        fprintf(out, "%s  device             ", progress->prefix);
        agpu_text_write_line(out, run->device, strlen(run->device));
        putc('\n', out);
    }
    write_judged(progress, run);
    if (report->boot_to_entry_s >= 0) {
        fprintf(out, "%s  start to entry     %.2f s\n", progress->prefix, report->boot_to_entry_s);
    }
    if (report->entry_to_first_record_s >= 0) {
        fprintf(out, "%s  entry to record    %.2f s\n", progress->prefix, report->entry_to_first_record_s);
    }
    write_latency(progress, run);
    write_meetings(progress, run);
    if (run->choice_count != 0 && folder != NULL) {
        fprintf(out, "%s  device's choices   listed in the report\n", progress->prefix);
    }
    for (size_t i = 0; i < run->problem_count && i < PROBLEMS_SHOWN; i++) {
        fprintf(out, "%s  ! ", progress->prefix);
        agpu_text_write_line(out, run->problems[i], strlen(run->problems[i]));
        putc('\n', out);
    }
    if (run->problem_count > PROBLEMS_SHOWN) {
        fprintf(out, "%s  ! and %zu more messages, in the report\n", progress->prefix,
                run->problem_count - PROBLEMS_SHOWN);
    }
    write_failed(progress, run, folder != NULL);
    if (folder != NULL && snprintf(page, sizeof page, "%s/report.html", folder) < (int)sizeof page &&
        access(page, F_OK) == 0) {
        fprintf(out, "%s  report  %s\n", progress->prefix, page);
    }
    fputs(progress->prefix, out);
    write_status(progress, 0, run->verdict);
    putc(' ', out);
    progress_counts(out, &counts);
    if (run->attended) { /* the plan is only of the last request */
        fprintf(out, ", %" PRIu64 " that clients asked for", counts.total);
    } else {
        fprintf(out, ", %" PRIu64 " of %" PRIu64 " planned", counts.total, run->planned);
    }
    if (counts.not_run > 0) {
        fprintf(out, ", %" PRIu64 " not run", counts.not_run);
    }
    fprintf(out, "  in %.1f s\n", report->wall_s);
    fflush(progress->out);
    funlockfile(progress->out);
}
