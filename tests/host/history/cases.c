/* cases.c: what the history says of cases, as text (cases.h). */
#include "tests/host/history/cases.h"

#include <stdlib.h>
#include <string.h>

#include "tests/cases/choice/filter.h"
#include "tests/host/history/story.h"
#include "tests/host/report/text.h"

/* One question put to many cases. */
struct teller {
    FILE *out;
    struct agpu_history *history;
    const struct agpu_past_runs *runs;
    sqlite3_stmt *of_case;
    struct agpu_past_result *results; /* of the case that is looked at */
    size_t count;
    int64_t first; /* number of the run from which on they are; 0: all */
    int64_t case_id;
    const char *id;
    const char *globs; /* NULL: all */
    size_t lines;      /* that may still be written */
    size_t left_out;   /* that had no room */
    size_t told;
};

/* False with a line on stderr. */
static bool load_results(struct teller *teller, int64_t first)
{
    teller->count = agpu_past_results(teller->history, teller->runs, teller->of_case, teller->case_id, first,
                                      teller->results);
    return teller->count != SIZE_MAX;
}

typedef void (*tell_function)(struct teller *teller);

/* True when there is room for another line. */
static bool line_begins(struct teller *teller)
{
    if (teller->lines == 0) {
        teller->left_out++;
        return false;
    }
    teller->lines--;
    return true;
}

static void write_text(FILE *out, const char *text)
{
    agpu_text_write_line(out, text, strlen(text));
}

static const struct agpu_past_run *run_of(const struct teller *teller, size_t result)
{
    return &teller->runs->items[teller->results[result].run];
}

/* The same question for each case of a query, which answers with number and name. */
static bool tell_all(struct teller *teller, const char *sql, tell_function tell)
{
    bool good = true;
    sqlite3_stmt *cases = agpu_history_prepare(teller->history, sql);

    teller->of_case = cases != NULL ? agpu_past_results_prepare(teller->history) : NULL;
    teller->results = calloc(teller->runs->count + 1, sizeof *teller->results);
    good = teller->of_case != NULL && teller->results != NULL;
    while (good && agpu_history_row(teller->history, cases, &good)) {
        teller->case_id = sqlite3_column_int64(cases, 0);
        teller->id = (const char *)sqlite3_column_text(cases, 1);
        if (teller->id == NULL || (teller->globs != NULL && !agpu_filter_match(teller->globs, teller->id))) {
            continue;
        }
        if (!load_results(teller, teller->first)) {
            good = false;
        } else if (teller->count != 0) {
            tell(teller);
        }
    }
    if (teller->left_out != 0) {
        fprintf(teller->out, "  ... and %zu more lines: --lines N shows them\n", teller->left_out);
    }
    sqlite3_finalize(teller->of_case);
    sqlite3_finalize(cases);
    free(teller->results);
    return good;
}

static const char cases_of_results[] =
    "SELECT name.id, name.text FROM name WHERE EXISTS (SELECT 1 FROM result WHERE case_id = name.id)"
    " ORDER BY name.text";
/* The condition is that of the index: only these are looked at, however many pass. */
static const char cases_that_failed[] =
    "SELECT name.id, name.text FROM (SELECT DISTINCT case_id FROM result WHERE verdict >= 3) AS bad"
    " JOIN name ON name.id = bad.case_id ORDER BY name.text";

/* The line of results in a row that say the same. */
static void tell_spell(struct teller *teller, size_t first, size_t last, size_t results)
{
    if (!line_begins(teller)) {
        return;
    }
    fprintf(teller->out, "  %-8s %zu run%s, ", agpu_verdict_name(teller->results[last].verdict), results,
            results == 1 ? "" : "s");
    if (results > 1) {
        fputs("since ", teller->out);
    }
    agpu_past_run_print(teller->out, run_of(teller, first));
    if (results > 1) {
        fputs(", to ", teller->out);
        agpu_past_run_print(teller->out, run_of(teller, last));
    }
    putc('\n', teller->out);
    if (teller->results[last].reason != 0 && line_begins(teller)) {
        fputs("           ", teller->out);
        agpu_past_text(teller->out, teller->history, teller->results[last].reason);
        putc('\n', teller->out);
    }
}

/* All spells of one setup, latest first; here a change of verdict is one, too. */
static void tell_setup(struct teller *teller, unsigned setup)
{
    size_t last = SIZE_MAX, first = SIZE_MAX, results = 0;

    for (size_t i = teller->count; i-- > 0;) {
        if (run_of(teller, i)->setup != setup) {
            continue;
        }
        if (results == 0) {
            fputs("on ", teller->out);
            write_text(teller->out, teller->runs->texts[setup]);
            putc('\n', teller->out);
        } else if (teller->results[i].verdict != teller->results[last].verdict) {
            tell_spell(teller, first, last, results);
            last = SIZE_MAX;
        }
        if (last == SIZE_MAX) {
            last = i;
            results = 0;
        }
        first = i;
        results++;
    }
    if (results != 0) {
        tell_spell(teller, first, last, results);
    }
}

static void tell_case(struct teller *teller)
{
    teller->told++;
    if (!line_begins(teller)) {
        return;
    }
    write_text(teller->out, teller->id);
    putc('\n', teller->out);
    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        tell_setup(teller, (unsigned)setup);
    }
}

bool agpu_history_tell_cases(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                             const char *globs, size_t lines, size_t *found)
{
    struct teller teller = {.out = out, .history = history, .runs = runs, .globs = globs, .lines = lines};
    const bool good = tell_all(&teller, cases_of_results, tell_case);

    *found = teller.told;
    return good;
}

static void tell_failing(struct teller *teller)
{
    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        struct agpu_story story =
            agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);

        if (story.ran == 0 || !story.now.bad || !line_begins(teller)) {
            continue;
        }
        if (story.before.results == 0 && teller->first != 0) { /* it began before them */
            if (!load_results(teller, 0)) {
                teller->count = 0;
                return;
            }
            story = agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);
        }
        fprintf(teller->out, "  %-8s ", agpu_verdict_name(teller->results[story.now.last].verdict));
        write_text(teller->out, teller->id);
        fputs(story.before.results != 0 ? "  since " : "  always, from ", teller->out);
        agpu_past_run_print(teller->out, run_of(teller, story.now.first));
        fprintf(teller->out, ", in %zu run%s\n", story.now.results, story.now.results == 1 ? "" : "s");
        teller->told++;
    }
}

bool agpu_history_tell_failing(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                               size_t window, size_t lines)
{
    struct teller teller = {.out = out,
                            .history = history,
                            .runs = runs,
                            .lines = lines,
                            .first = agpu_past_runs_first(runs, window)};

    fputs("failing when last tried, since when:\n", out);
    const bool good = tell_all(&teller, cases_that_failed, tell_failing);
    if (good && teller.told == 0) {
        fputs("  none\n", out);
    }
    return good;
}

static void tell_flaky(struct teller *teller)
{
    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        const struct agpu_story story =
            agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);

        if (!agpu_story_is_flaky(&story) || !line_begins(teller)) {
            continue;
        }
        fputs("  ", teller->out);
        write_text(teller->out, teller->id);
        fprintf(teller->out,
                "  failed in %zu of %zu runs, changed %zu times, %zu of them within a build; on ", story.bad,
                story.ran, story.changes, story.changes_of_no_build);
        write_text(teller->out, teller->runs->texts[setup]);
        putc('\n', teller->out);
        teller->told++;
    }
}

bool agpu_history_tell_flaky(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                             size_t window, size_t lines)
{
    struct teller teller = {.out = out,
                            .history = history,
                            .runs = runs,
                            .lines = lines,
                            .first = agpu_past_runs_first(runs, window)};

    fprintf(out, "passing and failing by turns in the last %zu runs:\n",
            window < runs->count ? window : runs->count);
    const bool good = tell_all(&teller, cases_that_failed, tell_flaky);
    if (good && teller.told == 0) {
        fputs("  none\n", out);
    }
    return good;
}

static void tell_differing(struct teller *teller)
{
    bool passes = false, fails = false;

    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        const struct agpu_story story =
            agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);

        passes = passes || (story.ran != 0 && !story.now.bad);
        fails = fails || (story.ran != 0 && story.now.bad);
    }
    if (!passes || !fails || !line_begins(teller)) {
        return;
    }
    fputs("  ", teller->out);
    write_text(teller->out, teller->id);
    putc('\n', teller->out);
    teller->told++;
    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        const struct agpu_story story =
            agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);

        if (story.ran == 0 || !line_begins(teller)) {
            continue;
        }
        fprintf(teller->out, "    %-8s ", agpu_verdict_name(teller->results[story.now.last].verdict));
        write_text(teller->out, teller->runs->texts[setup]);
        fputs(", ", teller->out);
        agpu_past_run_print(teller->out, run_of(teller, story.now.last));
        putc('\n', teller->out);
    }
}

bool agpu_history_tell_differing(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                                 size_t lines)
{
    struct teller teller = {.out = out, .history = history, .runs = runs, .lines = lines};

    fputs("failing on one and not on another:\n", out);
    const bool good = tell_all(&teller, cases_that_failed, tell_differing);
    if (good && teller.told == 0) {
        fputs("  none\n", out);
    }
    return good;
}
