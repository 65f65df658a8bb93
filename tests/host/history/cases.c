/* cases.c: answers queries about cases from the history, as text (cases.h). */
#include "tests/host/history/cases.h"

#include <stdlib.h>
#include <string.h>

#include "tests/cases/choice/filter.h"
#include "tests/host/history/story.h"
#include "tests/host/report/text.h"

/* One query applied to many cases. */
struct question {
    FILE *out;
    size_t lines;    /* limit for further lines */
    size_t left_out; /* lines beyond the limit */
    size_t told;
};

/* All queries that are applied to a case while its results are loaded. */
struct teller {
    struct agpu_history *history;
    const struct agpu_past_runs *runs;
    struct agpu_statement *of_case;
    struct agpu_past_result *results; /* results of the current case */
    size_t count;
    int64_t first; /* number of the first run to include; 0: all */
    int64_t case_id;
    const char *id;
    const char *globs; /* NULL: all */
};

/* Returns false with a line on stderr. */
static bool load_results(struct teller *teller, int64_t first)
{
    teller->count = agpu_past_results(teller->runs, teller->of_case, teller->case_id, first, teller->results);
    return teller->count != SIZE_MAX;
}

typedef void (*tell_function)(struct teller *teller, struct question *question);

/* Returns true when there is room for another line. */
static bool line_begins(struct question *question)
{
    if (question->lines == 0) {
        question->left_out++;
        return false;
    }
    question->lines--;
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

static void end_answer(const struct question *question)
{
    if (question->left_out != 0) {
        fprintf(question->out, "  ... and %zu more lines: --lines N shows them\n", question->left_out);
    }
}

/* Applies the same queries to each case that the SQL query returns as number and name. A query that loads other
 * results must be last. */
static bool tell_all(struct teller *teller, const char *sql, const tell_function *tell,
                     struct question *questions, size_t count)
{
    bool good = true;
    struct agpu_statement *cases = agpu_history_prepare(teller->history, sql);

    teller->of_case = cases != NULL ? agpu_past_results_prepare(teller->history) : NULL;
    teller->results = calloc(teller->runs->count + 1, sizeof *teller->results);
    good = teller->of_case != NULL && teller->results != NULL;
    while (good && agpu_statement_row(cases, &good)) {
        teller->case_id = agpu_column_number(cases, 0);
        teller->id = agpu_column_text(cases, 1);
        if (teller->globs != NULL && !agpu_filter_match(teller->globs, teller->id)) {
            continue;
        }
        good = load_results(teller, teller->first);
        for (size_t i = 0; i < count && good && teller->count != 0; i++) {
            tell[i](teller, &questions[i]);
        }
    }
    agpu_statement_end(teller->of_case);
    agpu_statement_end(cases);
    free(teller->results);
    return good;
}

static const char cases_of_results[] =
    "SELECT name.id, name.text FROM name WHERE EXISTS (SELECT 1 FROM result WHERE case_id = name.id)"
    " ORDER BY name.text";
/* The condition is that of the index: only these rows are read, however many pass. */
static const char cases_that_failed[] =
    "SELECT name.id, name.text FROM (SELECT DISTINCT case_id FROM result WHERE verdict >= 3) AS bad"
    " JOIN name ON name.id = bad.case_id ORDER BY name.text";

/* Writes the line of consecutive results with the same verdict. */
static void tell_spell(struct teller *teller, struct question *question, size_t first, size_t last,
                       size_t results)
{
    if (!line_begins(question)) {
        return;
    }
    fprintf(question->out, "  %-8s %zu run%s, ", agpu_verdict_name(teller->results[last].verdict), results,
            results == 1 ? "" : "s");
    if (results > 1) {
        fputs("since ", question->out);
    }
    agpu_past_run_print(question->out, run_of(teller, first));
    if (results > 1) {
        fputs(", to ", question->out);
        agpu_past_run_print(question->out, run_of(teller, last));
    }
    putc('\n', question->out);
    if (teller->results[last].reason != 0 && line_begins(question)) {
        fputs("           ", question->out);
        agpu_past_text(question->out, teller->history, teller->results[last].reason);
        putc('\n', question->out);
    }
}

/* Writes all spells of one setup, latest first; here a change of verdict starts a new one, too. */
static void tell_setup(struct teller *teller, struct question *question, unsigned setup)
{
    size_t last = SIZE_MAX, first = SIZE_MAX, results = 0;

    for (size_t i = teller->count; i-- > 0;) {
        if (run_of(teller, i)->setup != setup) {
            continue;
        }
        if (results == 0) {
            fputs("on ", question->out);
            write_text(question->out, teller->runs->texts[setup]);
            putc('\n', question->out);
        } else if (teller->results[i].verdict != teller->results[last].verdict) {
            tell_spell(teller, question, first, last, results);
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
        tell_spell(teller, question, first, last, results);
    }
}

static void tell_case(struct teller *teller, struct question *question)
{
    question->told++;
    if (!line_begins(question)) {
        return;
    }
    write_text(question->out, teller->id);
    putc('\n', question->out);
    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        tell_setup(teller, question, (unsigned)setup);
    }
}

bool agpu_history_tell_cases(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                             const char *globs, size_t lines, size_t *found)
{
    struct teller teller = {.history = history, .runs = runs, .globs = globs};
    struct question question = {.out = out, .lines = lines};
    const bool good = tell_all(&teller, cases_of_results, (const tell_function[]){tell_case}, &question, 1);

    end_answer(&question);
    *found = question.told;
    return good;
}

static void tell_failing(struct teller *teller, struct question *question)
{
    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        struct agpu_story story =
            agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);

        if (story.ran == 0 || !story.now.bad || !line_begins(question)) {
            continue;
        }
        if (story.before.results == 0 && teller->first != 0) { /* it started before these results */
            if (!load_results(teller, 0)) {
                teller->count = 0;
                return;
            }
            story = agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);
        }
        fprintf(question->out, "  %-8s ", agpu_verdict_name(teller->results[story.now.last].verdict));
        write_text(question->out, teller->id);
        fputs(story.before.results != 0 ? "  since " : "  always, from ", question->out);
        agpu_past_run_print(question->out, run_of(teller, story.now.first));
        fprintf(question->out, ", in %zu run%s\n", story.now.results, story.now.results == 1 ? "" : "s");
        question->told++;
    }
}

static void tell_flaky(struct teller *teller, struct question *question)
{
    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        const struct agpu_story story =
            agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);

        if (!agpu_story_is_flaky(&story) || !line_begins(question)) {
            continue;
        }
        fputs("  ", question->out);
        write_text(question->out, teller->id);
        fprintf(question->out,
                "  failed in %zu of %zu runs, changed %zu times, %zu of them within a build; on ", story.bad,
                story.ran, story.changes, story.changes_of_no_build);
        write_text(question->out, teller->runs->texts[setup]);
        putc('\n', question->out);
        question->told++;
    }
}

static void write_flaky(FILE *out, const struct agpu_past_runs *runs, size_t window,
                        const struct question *flaky, const char *lines)
{
    fprintf(out, "flaky in the last %zu runs:\n", window < runs->count ? window : runs->count);
    fputs(flaky->told == 0 ? "  none\n" : lines, out);
}

bool agpu_history_tell_bad(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                           size_t window, size_t lines, bool failing_too)
{
    static const tell_function tell[] = {tell_flaky, tell_failing};
    struct teller teller = {.history = history, .runs = runs, .first = agpu_past_runs_first(runs, window)};
    char *text = NULL;
    size_t size = 0;
    FILE *later = open_memstream(&text, &size); /* computed first, printed last */
    struct question questions[] = {{.out = later, .lines = lines}, {.out = out, .lines = lines}};

    if (later == NULL) {
        fputs("agpu: memory is exhausted\n", stderr);
        return false;
    }
    if (failing_too) {
        fputs("failing when last run, and since when:\n", out);
    }
    bool good = tell_all(&teller, cases_that_failed, tell, questions, failing_too ? 2 : 1);
    end_answer(&questions[0]);
    good = fclose(later) == 0 && good;
    if (good && failing_too) {
        fputs(questions[1].told == 0 ? "  none\n" : "", out);
        end_answer(&questions[1]);
    }
    if (good) {
        write_flaky(out, runs, window, &questions[0], text);
    }
    free(text);
    return good;
}

static void tell_differing(struct teller *teller, struct question *question)
{
    bool passes = false, fails = false;

    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        const struct agpu_story story =
            agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);

        passes = passes || (story.ran != 0 && !story.now.bad);
        fails = fails || (story.ran != 0 && story.now.bad);
    }
    if (!passes || !fails || !line_begins(question)) {
        return;
    }
    fputs("  ", question->out);
    write_text(question->out, teller->id);
    putc('\n', question->out);
    question->told++;
    for (size_t setup = 0; setup < teller->runs->text_count; setup++) {
        const struct agpu_story story =
            agpu_story_of(teller->runs, teller->results, teller->count, (unsigned)setup);

        if (story.ran == 0 || !line_begins(question)) {
            continue;
        }
        fprintf(question->out, "    %-8s ", agpu_verdict_name(teller->results[story.now.last].verdict));
        write_text(question->out, teller->runs->texts[setup]);
        fputs(", ", question->out);
        agpu_past_run_print(question->out, run_of(teller, story.now.last));
        putc('\n', question->out);
    }
}

bool agpu_history_tell_differing(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                                 size_t lines)
{
    struct teller teller = {.history = history, .runs = runs};
    struct question question = {.out = out, .lines = lines};

    fputs("failing on one but not on another:\n", out);
    const bool good =
        tell_all(&teller, cases_that_failed, (const tell_function[]){tell_differing}, &question, 1);
    if (good && question.told == 0) {
        fputs("  none\n", out);
    }
    end_answer(&question);
    return good;
}
