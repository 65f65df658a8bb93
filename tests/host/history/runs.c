/* runs.c: the runs of the history in order of time, and the results of one case in them (runs.h). */
#include "tests/host/history/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/host/report/text.h"

#define ID_MAX (INT64_C(1) << 24) /* limit for ids that are looked up by index */

/* Returns the number of a text in runs->texts, UINT32_MAX when memory is exhausted. Setups and places are few. */
static unsigned text_number(struct agpu_past_runs *runs, const char *text)
{
    for (size_t i = runs->text_count; i-- > 0;) {
        if (strcmp(runs->texts[i], text) == 0) {
            return (unsigned)i;
        }
    }
    char **grown = realloc(runs->texts, (runs->text_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return UINT32_MAX;
    }
    runs->texts = grown;
    grown[runs->text_count] = strdup(text);
    return grown[runs->text_count] != NULL ? (unsigned)runs->text_count++ : UINT32_MAX;
}

/* Returns false when memory is exhausted or a number is invalid. */
static bool take_run(struct agpu_past_runs *runs, struct agpu_statement *statement)
{
    struct agpu_past_run *run = &runs->items[runs->count];
    const int verdict = (int)agpu_column_number(statement, 2);

    *run = (struct agpu_past_run){
        .id = agpu_column_number(statement, 0),
        .started_at = agpu_column_number(statement, 1),
        .verdict =
            verdict >= 0 && verdict < AGPU_VERDICT_COUNT ? (enum agpu_verdict)verdict : AGPU_VERDICT_ERROR,
        .build = strdup(agpu_column_text(statement, 3)),
        .setup = text_number(runs, agpu_column_text(statement, 4)),
        .place = text_number(runs, agpu_column_text(statement, 5)),
        .folder = strdup(agpu_column_text(statement, 6)),
        .cases = (uint64_t)agpu_column_number(statement, 7),
        .bad = (uint64_t)agpu_column_number(statement, 8),
        .fault = strdup(agpu_column_text(statement, 9)),
    };
    runs->count++;
    return run->build != NULL && run->fault != NULL && run->folder != NULL && run->setup != UINT32_MAX &&
           run->place != UINT32_MAX;
}

static bool index_runs(struct agpu_past_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        runs->id_max = runs->items[i].id > runs->id_max ? runs->items[i].id : runs->id_max;
    }
    runs->id_max = runs->id_max < ID_MAX ? runs->id_max : ID_MAX;
    runs->by_id = calloc((size_t)runs->id_max + 1, sizeof *runs->by_id);
    for (size_t i = 0; i < runs->count && runs->by_id != NULL; i++) {
        if (runs->items[i].id > 0 && runs->items[i].id <= runs->id_max) {
            runs->by_id[runs->items[i].id] = (unsigned)i + 1;
        }
    }
    return runs->by_id != NULL;
}

static bool count_hidden(struct agpu_past_runs *runs, struct agpu_history *history)
{
    struct agpu_statement *statement =
        agpu_history_prepare(history, "SELECT count(*) FROM run WHERE fault <> ''");
    bool good = statement != NULL;

    if (good && agpu_statement_row(statement, &good)) {
        runs->hidden = (uint64_t)agpu_column_number(statement, 0);
    }
    agpu_statement_end(statement);
    return good;
}

bool agpu_past_runs_load(struct agpu_past_runs *runs, struct agpu_history *history, size_t last,
                         bool with_faults)
{
    bool good = true, room = true;
    struct agpu_statement *statement = agpu_history_prepare(
        history,
        "SELECT * FROM (SELECT id, started_at, verdict, build, setup, place, folder, cases, bad, fault FROM "
        "run"
        " WHERE ?2 <> 0 OR fault = '' ORDER BY started_at DESC, id DESC LIMIT ?1) AS latest ORDER BY "
        "started_at, id");

    *runs = (struct agpu_past_runs){0};
    last = last < AGPU_HISTORY_RUNS_MAX ? last : AGPU_HISTORY_RUNS_MAX;
    runs->items = calloc(last + 1, sizeof *runs->items);
    if (statement == NULL) {
        return false;
    }
    room = runs->items != NULL;
    agpu_bind_number(statement, 1, (int64_t)last);
    agpu_bind_number(statement, 2, with_faults);
    while (room && runs->count < last && agpu_statement_row(statement, &good)) {
        room = take_run(runs, statement);
    }
    agpu_statement_end(statement);
    if (!room || !index_runs(runs)) {
        fputs("agpu: memory is exhausted\n", stderr);
        return false;
    }
    return good && (with_faults || count_hidden(runs, history));
}

void agpu_past_runs_free(struct agpu_past_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        free(runs->items[i].build);
        free(runs->items[i].folder);
        free(runs->items[i].fault);
    }
    for (size_t i = 0; i < runs->text_count; i++) {
        free(runs->texts[i]);
    }
    free(runs->items);
    free(runs->texts);
    free(runs->by_id);
}

size_t agpu_past_run_position(const struct agpu_past_runs *runs, int64_t id)
{
    return id > 0 && id <= runs->id_max && runs->by_id[id] != 0 ? runs->by_id[id] - 1 : runs->count;
}

int64_t agpu_past_runs_first(const struct agpu_past_runs *runs, size_t last)
{
    int64_t first = INT64_MAX;

    for (size_t i = runs->count > last ? runs->count - last : 0; i < runs->count; i++) {
        first = runs->items[i].id < first ? runs->items[i].id : first;
    }
    return first;
}

struct agpu_statement *agpu_past_results_prepare(struct agpu_history *history)
{
    return agpu_history_prepare(
        history, "SELECT run_id, verdict, us, reason_id FROM result WHERE case_id = ?1 AND run_id >= ?2");
}

static int by_run(const void *a, const void *b)
{
    const struct agpu_past_result *x = a, *y = b;

    return (x->run > y->run) - (x->run < y->run);
}

size_t agpu_past_results(const struct agpu_past_runs *runs, struct agpu_statement *statement, int64_t case_id,
                         int64_t first, struct agpu_past_result *results)
{
    size_t count = 0;
    bool good = true, sorted = true;

    agpu_bind_number(statement, 1, case_id);
    agpu_bind_number(statement, 2, first);
    while (count < runs->count && agpu_statement_row(statement, &good)) {
        const size_t run = agpu_past_run_position(runs, agpu_column_number(statement, 0));
        const int verdict = (int)agpu_column_number(statement, 1);

        if (run == runs->count || verdict < 0 || verdict >= AGPU_VERDICT_COUNT) {
            continue;
        }
        sorted = sorted && (count == 0 || results[count - 1].run < run);
        results[count++] = (struct agpu_past_result){.run = run,
                                                     .verdict = (enum agpu_verdict)verdict,
                                                     .us = (uint64_t)agpu_column_number(statement, 2),
                                                     .reason = agpu_column_number(statement, 3)};
    }
    agpu_statement_reset(statement);
    if (!sorted) { /* runs that were imported after younger ones */
        qsort(results, count, sizeof *results, by_run);
    }
    return good ? count : SIZE_MAX;
}

void agpu_past_text(FILE *out, struct agpu_history *history, int64_t id)
{
    bool good = true;
    struct agpu_statement *statement = agpu_history_prepare(history, "SELECT text FROM name WHERE id = ?1");

    if (statement == NULL) {
        return;
    }
    agpu_bind_number(statement, 1, id);
    if (agpu_statement_row(statement, &good)) {
        const char *text = agpu_column_text(statement, 0);

        agpu_text_write_line(out, text, strlen(text));
    }
    agpu_statement_end(statement);
}

void agpu_past_run_print(FILE *out, const struct agpu_past_run *run)
{
    const time_t when = (time_t)run->started_at;
    struct tm day;
    char text[32] = "?";

    if (localtime_r(&when, &day) != NULL) {
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", &day);
    }
    fprintf(out, "run %" PRId64 ", %s, build ", run->id, text);
    agpu_text_write_line(out, run->build, strlen(run->build));
}
