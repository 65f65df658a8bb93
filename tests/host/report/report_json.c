/* report_json.c: summary.json: counts, times, environment and metrics of the run (tests/handbook/results.md). */
#include "tests/host/report/known.h"
#include "tests/host/report/report_json.h"
#include "tests/host/json_out.h"
#include "tests/host/wire/groups.h"
#include "tests/host/wire/run_verdict.h"
#include "tests/host/wire/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_seconds(double value)
{
    return value >= 0 ? json_real(value) : json_null();
}

static json_t *json_environment(const struct agpu_report *report)
{
    json_t *object = json_object();

    for (size_t i = 0; i < report->environment_count; i++) {
        json_object_set_new(object, report->environment[i].name,
                            agpu_json_string(report->environment[i].value));
    }
    if (report->run->build != NULL) {
        json_object_set_new(object, "build", agpu_json_string(report->run->build));
    }
    if (report->run->device != NULL) {
        json_object_set_new(object, "device", agpu_json_string(report->run->device));
    }
    return object;
}

/* Uses the plain name for the first metric with it, which readers look up; prefixes the case for others. */
static void metric_key(const struct agpu_run *run, const struct agpu_metric *metric, char *key, size_t size)
{
    const struct agpu_metric *first = run->metrics.items;

    while (strcmp(first->name, metric->name) != 0) {
        first++;
    }
    if (first == metric) {
        snprintf(key, size, "%s", metric->name);
    } else {
        snprintf(key, size, "%s.%s", metric->id, metric->name);
    }
}

static void add_metric(json_t *values, json_t *units, const char *key, const char *suffix, double value,
                       const char *unit)
{
    char name[1200];

    snprintf(name, sizeof name, "%s%s", key, suffix);
    json_object_set_new(values, name, agpu_json_figure(value));
    json_object_set_new(units, name, agpu_json_string(unit));
}

static void json_metrics(json_t *root, const struct agpu_run *run)
{
    json_t *values = json_object();
    json_t *units = json_object();

    for (size_t i = 0; i < run->metrics.count; i++) {
        struct agpu_metric *metric = &run->metrics.items[i];
        char key[1100];

        metric_key(run, metric, key, sizeof key);
        if (metric->count == 1) {
            add_metric(values, units, key, "", metric->samples[0], metric->unit);
        } else {
            add_metric(values, units, key, "_p50", agpu_metric_percentile(metric, 50), metric->unit);
            add_metric(values, units, key, "_p99", agpu_metric_percentile(metric, 99), metric->unit);
            add_metric(values, units, key, "_samples", (double)metric->count, "count");
        }
    }
    json_object_set_new(root, "metrics", values);
    json_object_set_new(root, "metric_units", units);
}

static json_t *json_skip_reasons(const struct agpu_run *run)
{
    json_t *list = json_array();
    struct agpu_case_groups groups;

    agpu_groups_of_skips(run, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        const struct agpu_case_group *group = &groups.items[i];
        json_t *object = json_object();

        json_object_set_new(object, "reason", agpu_json_string(group->reason));
        json_object_set_new(object, "count", agpu_json_count(group->count));
        json_object_set_new(object, "skip", agpu_json_string(agpu_skip_word(group->first->skip)));
        json_object_set_new(object, "allowed", json_boolean(group->first->skip_allowed));
        json_object_set_new(object, "blocked_by", agpu_json_string(group->first->blocked_by));
        json_object_set_new(object, "first", agpu_json_string(group->first->id));
        json_array_append_new(list, object);
    }
    agpu_groups_free(&groups);
    return list;
}

static json_t *json_failure_groups(const struct agpu_run *run)
{
    json_t *list = json_array();
    struct agpu_case_groups groups;

    agpu_groups_of_failures(run, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        const struct agpu_case_group *group = &groups.items[i];
        json_t *object = json_object();

        json_object_set_new(object, "reason", agpu_json_string(group->reason));
        json_object_set_new(object, "count", agpu_json_count(group->count));
        json_object_set_new(object, "blocked", agpu_json_count(group->blocked));
        json_object_set_new(object, "first", agpu_json_string(group->first->id));
        json_array_append_new(list, object);
    }
    agpu_groups_free(&groups);
    return list;
}

static json_t *json_names(char *const *names, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        char path[300];

        snprintf(path, sizeof path, "artifacts/%s", names[i]);
        json_array_append_new(list, agpu_json_string(path));
    }
    return list;
}

static json_t *json_again(const struct agpu_report *report, const struct agpu_case_result *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = report->again != NULL ? open_memstream(&text, &size) : NULL;
    json_t *made;

    if (out == NULL) {
        return json_null();
    }
    agpu_report_again(out, report, c);
    made = fclose(out) == 0 && size != 0 ? agpu_json_string(text) : json_null();
    free(text);
    return made;
}

/* Returns each case that did not pass, with the facts about it. */
static json_t *json_failures(const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    json_t *list = json_array();

    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];
        const enum agpu_verdict verdict = agpu_case_verdict(c);

        if (verdict <= AGPU_VERDICT_SKIP) {
            continue;
        }
        char *const *names;
        const size_t files = agpu_report_files(report, c, &names);
        char *headline = agpu_report_headline(c);
        json_t *object = json_object();

        json_object_set_new(object, "id", agpu_json_string(c->id));
        json_object_set_new(object, "status", agpu_json_string(agpu_verdict_name(verdict)));
        json_object_set_new(object, "message", agpu_json_string(headline));
        const struct agpu_listed_case *known = agpu_report_known(c);
        json_object_set_new(object, "file", agpu_json_string(known != NULL ? known->file : NULL));
        json_object_set_new(object, "line", known != NULL ? json_integer(known->line) : json_null());
        json_object_set_new(object, "artifacts", json_names(names, files));
        json_object_set_new(object, "again", json_again(report, c));
        json_array_append_new(list, object);
        free(headline);
    }
    return list;
}

static json_t *json_commands(const struct agpu_report *report)
{
    json_t *object = json_object();
    json_t *words = report->words != NULL ? json_array() : json_null();

    for (size_t i = 0; report->words != NULL && report->words[i] != NULL; i++) {
        json_array_append_new(words, agpu_json_string(report->words[i]));
    }
    json_object_set_new(object, "words", words);
    json_object_set_new(object, "directory", agpu_json_string(report->directory));
    json_object_set_new(object, "again", agpu_json_string(report->again));
    json_object_set_new(object, "qemu", agpu_json_string(report->qemu));
    return object;
}

/* Returns the broken prerequisites, with the cases that were skipped because of each. */
static json_t *json_causes(const struct agpu_run *run)
{
    json_t *list = json_array();
    struct agpu_tally blocked = {0};
    struct agpu_tally seen = {0};

    for (size_t i = 0; i < run->case_count; i++) {
        const char *by = run->cases[i]->blocked_by;
        struct agpu_tally_entry *entry = by != NULL ? agpu_tally_of(&blocked, by, false) : NULL;

        if (entry != NULL) {
            entry->count++;
        }
    }
    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];
        struct agpu_tally_entry *entry = c->cause != NULL ? agpu_tally_of(&seen, c->cause, false) : NULL;

        if (entry == NULL || entry->count++ != 0) {
            continue;
        }
        entry = agpu_tally_find(&blocked, c->cause, false);
        json_t *object = json_object();
        json_object_set_new(object, "cause", agpu_json_string(c->cause));
        json_object_set_new(object, "text", agpu_json_string(c->reason));
        json_object_set_new(object, "first", agpu_json_string(c->id));
        json_object_set_new(object, "blocked", agpu_json_count(entry != NULL ? entry->count : 0));
        json_array_append_new(list, object);
    }
    agpu_tally_free(&blocked);
    agpu_tally_free(&seen);
    return list;
}

static json_t *json_choices(const struct agpu_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->choice_count; i++) {
        const struct agpu_device_choice *choice = &run->choices[i];
        json_t *object = json_object();

        json_object_set_new(object, "name", agpu_json_string(choice->name));
        json_object_set_new(object, "value", agpu_json_string(choice->value));
        json_object_set_new(object, "id", agpu_json_string(choice->id));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *json_gaps(const struct agpu_gaps *list)
{
    json_t *ranges = json_array();

    for (size_t i = 0; i < list->count; i++) {
        const struct agpu_gap *gap = &list->list[i];

        json_array_append_new(ranges, json_pack("{s:I,s:I,s:I}", "boot", (json_int_t)gap->boot, "first",
                                                (json_int_t)gap->first, "last", (json_int_t)gap->last));
    }
    json_t *object = json_object();
    json_object_set_new(object, "missing", agpu_json_count(list->missing));
    json_object_set_new(object, "ranges", ranges);
    return object;
}

static json_t *json_records(const struct agpu_source_stats *stats)
{
    json_t *object = json_object();

    for (size_t i = 0; i < AGPU_SOURCE_COUNT; i++) {
        json_object_set_new(object, agpu_source_name((enum agpu_source)i),
                            agpu_json_count(stats->received[i]));
    }
    json_object_set_new(object, "copies", agpu_json_count(stats->copies));
    json_object_set_new(object, "filled", agpu_json_count(stats->filled));
    json_object_set_new(object, "malformed", agpu_json_count(stats->malformed));
    json_object_set_new(object, "conflicts", agpu_json_count(stats->conflicts));
    json_object_set_new(object, "strangers", agpu_json_count(stats->strangers));
    json_object_set_new(object, "forged", agpu_json_count(stats->forged));
    json_object_set_new(object, "incomplete_fragments", agpu_json_count(stats->abandoned));
    return object;
}

static json_t *json_problems(const struct agpu_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->problem_count; i++) {
        json_array_append_new(list, agpu_json_string(run->problems[i]));
    }
    return list;
}

/* Returns the boots that ended early, and the case after which the next one continued. */
static json_t *json_restarts(const struct agpu_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->restart_count; i++) {
        const struct agpu_restart *restart = &run->restarts[i];
        json_t *object = json_object();

        json_object_set_new(object, "boot", agpu_json_count(restart->boot));
        json_object_set_new(object, "kind", agpu_json_string(agpu_ending_name(restart->ending)));
        json_object_set_new(object, "text", agpu_json_string(restart->text));
        json_object_set_new(object, "behind", agpu_json_string(restart->id));
        json_array_append_new(list, object);
    }
    return list;
}

/* Returns the expectations that were applied to the cases, as the image reports them. */
static json_t *json_checked(const struct agpu_run *run)
{
    json_t *object = json_object();

    json_object_set_new(object, "device", agpu_json_string(run->judged));
    json_object_set_new(object, "abi", agpu_json_string(run->abi));
    json_object_set_new(object, "require", agpu_json_string(run->require));
    json_object_set_new(object, "expect", agpu_json_string(run->expect));
    return object;
}

static void write_counts(json_t *root, const struct agpu_counts *c)
{
    for (enum agpu_verdict i = AGPU_VERDICT_PASS; i < AGPU_VERDICT_COUNT; i++) {
        json_object_set_new(root, agpu_verdict_count_key(i), agpu_json_count(c->by_verdict[i]));
    }
    json_object_set_new(root, "total", agpu_json_count(c->total));
    json_object_set_new(root, "not_run", agpu_json_count(c->not_run));
}

/* Returns each of several devices; an empty list for a single device. */
static json_t *json_devices(const struct agpu_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->device_count; i++) {
        const struct agpu_run_device *device = run->devices[i];
        struct agpu_counts counts = agpu_device_counts(run, device);
        json_t *object = json_object();

        json_object_set_new(object, "name", agpu_json_string(device->name));
        json_object_set_new(object, "device", agpu_json_string(device->device));
        json_object_set_new(object, "verdict", agpu_json_string(agpu_verdict_name(device->verdict)));
        write_counts(object, &counts);
        json_array_append_new(list, object);
    }
    return list;
}

bool agpu_report_json(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    const struct agpu_counts counts = agpu_run_counts(run);
    json_t *root = json_object();

    if (root == NULL) {
        return false;
    }
    json_object_set_new(root, "verdict", agpu_json_string(agpu_verdict_name(run->verdict)));
    json_object_set_new(root, "status", agpu_json_string(agpu_verdict_name(run->verdict)));
    write_counts(root, &counts);
    json_object_set_new(root, "devices", json_devices(run));
    json_object_set_new(root, "judged_as", json_checked(run));
    json_object_set_new(root, "wall_s", json_seconds(report->wall_s));
    json_object_set_new(root, "boot_to_entry_s", json_seconds(report->boot_to_entry_s));
    json_object_set_new(root, "entry_to_first_record_s", json_seconds(report->entry_to_first_record_s));
    json_object_set_new(root, "boot_to_summary_s", json_seconds(report->boot_to_summary_s));
    json_object_set_new(root, "started_at", json_integer((json_int_t)report->started_at));
    json_object_set_new(root, "boots", agpu_json_count((uint64_t)run->boot + 1));
    json_object_set_new(root, "ended",
                        json_pack("{s:s,s:o}", "kind", agpu_ending_name(run->ending), "text",
                                  agpu_json_string(run->ending_text)));
    json_object_set_new(root, "restarts", json_restarts(run));
    json_object_set_new(root, "problems", json_problems(run));
    json_metrics(root, run);
    json_object_set_new(root, "choices", json_choices(run));
    json_object_set_new(root, "untried", agpu_json_count(agpu_run_untried(run)));
    json_object_set_new(root, "skip_reasons", json_skip_reasons(run));
    json_object_set_new(root, "failure_groups", json_failure_groups(run));
    json_object_set_new(root, "failures", json_failures(report));
    json_object_set_new(root, "causes", json_causes(run));
    json_object_set_new(root, "commands", json_commands(report));
    json_object_set_new(root, "environment", json_environment(report));
    json_object_set_new(root, "gaps", json_gaps(report->gaps));
    json_object_set_new(root, "records", json_records(report->stats));
    bool good = agpu_json_out(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) && putc('\n', out) != EOF;
    json_decref(root);
    return good && fflush(out) == 0;
}
