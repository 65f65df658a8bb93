/* known.c: facts about a run's cases from the catalogue in this tool (known.h). */
#include "tests/host/report/known.h"

#include <stdlib.h>
#include <string.h>

#include "tests/host/wire/run_verdict.h"

const struct agpu_listed_case *agpu_report_known(const struct agpu_case_result *c)
{
    return agpu_listed_case_find(c->id + c->subject);
}

struct not_run {
    char **started; /* sorted ids */
    size_t started_count;
    const struct agpu_listed_case **items;
    size_t count, most;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void keep_not_started(void *ctx, const struct agpu_listed_case *item)
{
    struct not_run *not_run = ctx;
    char *id = (char *)(uintptr_t)item->id;

    if (item->together ||
        bsearch(&id, not_run->started, not_run->started_count, sizeof id, by_text) != NULL) {
        return;
    }
    if (not_run->count < not_run->most) {
        not_run->items[not_run->count] = item;
    }
    not_run->count++;
}

static const char *environment_of(const struct agpu_report *report, const char *name)
{
    for (size_t i = 0; i < report->environment_count; i++) {
        if (strcmp(report->environment[i].name, name) == 0) {
            return report->environment[i].value;
        }
    }
    return NULL;
}

const struct agpu_listed_case **agpu_report_not_run(const struct agpu_report *report, size_t *count)
{
    const struct agpu_run *run = report->run;
    const bool legacy = run->abi != NULL && strncmp(run->abi, "1.", 2) != 0;
    const struct agpu_list_choice choice = {.filter = environment_of(report, "filter"),
                                            .abi = legacy ? AGPU_LISTED_LEGACY : AGPU_LISTED_VERSIONED};
    struct not_run not_run = {.most = agpu_run_counts(run).not_run};

    *count = 0;
    if (not_run.most == 0 || not_run.most > AGPU_CASES_MAX || run->device_count != 0) {
        return NULL;
    }
    not_run.items = calloc(not_run.most, sizeof *not_run.items);
    not_run.started = calloc(run->case_count + 1, sizeof *not_run.started);
    if (not_run.items != NULL && not_run.started != NULL) {
        for (size_t i = 0; i < run->case_count; i++) {
            not_run.started[i] = run->cases[i]->id;
        }
        not_run.started_count = run->case_count;
        qsort(not_run.started, run->case_count, sizeof *not_run.started, by_text);
        agpu_list_choose(&choice, keep_not_started, &not_run);
    }
    free(not_run.started);
    if (not_run.count !=
        not_run.most) { /* another catalogue, or another choice: return none rather than wrong ones */
        free(not_run.items);
        return NULL;
    }
    *count = not_run.count;
    return not_run.items;
}
