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
    size_t printed;
};

/* All queries that are applied to a case while its results are loaded. */
struct printer {
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
static bool load_results(struct printer *printer, int64_t first)
{
    printer->count =
        agpu_past_results(printer->runs, printer->of_case, printer->case_id, first, printer->results);
    return printer->count != SIZE_MAX;
}

typedef void (*print_function)(struct printer *printer, struct question *question);

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

static const struct agpu_past_run *run_of(const struct printer *printer, size_t result)
{
    return &printer->runs->items[printer->results[result].run];
}

static void end_answer(const struct question *question)
{
    if (question->left_out != 0) {
        fprintf(question->out, "  ... and %zu more lines: --lines N shows them\n", question->left_out);
    }
}

/* Applies the same queries to each case that the SQL query returns as number and name. A query that loads other
 * results must be last. */
static bool print_all(struct printer *printer, const char *sql, const print_function *print,
                      struct question *questions, size_t count)
{
    bool good = true;
    struct agpu_statement *cases = agpu_history_prepare(printer->history, sql);

    printer->of_case = cases != NULL ? agpu_past_results_prepare(printer->history) : NULL;
    printer->results = calloc(printer->runs->count + 1, sizeof *printer->results);
    good = printer->of_case != NULL && printer->results != NULL;
    while (good && agpu_statement_row(cases, &good)) {
        printer->case_id = agpu_column_number(cases, 0);
        printer->id = agpu_column_text(cases, 1);
        if (printer->globs != NULL && !agpu_filter_match(printer->globs, printer->id)) {
            continue;
        }
        good = load_results(printer, printer->first);
        for (size_t i = 0; i < count && good && printer->count != 0; i++) {
            print[i](printer, &questions[i]);
        }
    }
    agpu_statement_end(printer->of_case);
    agpu_statement_end(cases);
    free(printer->results);
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
static void print_spell(struct printer *printer, struct question *question, size_t first, size_t last,
                        size_t results)
{
    if (!line_begins(question)) {
        return;
    }
    fprintf(question->out, "  %-8s %zu run%s, ", agpu_verdict_name(printer->results[last].verdict), results,
            results == 1 ? "" : "s");
    if (results > 1) {
        fputs("since ", question->out);
    }
    agpu_past_run_print(question->out, run_of(printer, first));
    if (results > 1) {
        fputs(", to ", question->out);
        agpu_past_run_print(question->out, run_of(printer, last));
    }
    putc('\n', question->out);
    if (printer->results[last].reason != 0 && line_begins(question)) {
        fputs("           ", question->out);
        agpu_past_text(question->out, printer->history, printer->results[last].reason);
        putc('\n', question->out);
    }
}

/* Writes all spells of one setup, latest first; here a change of verdict starts a new one, too. */
static void print_setup(struct printer *printer, struct question *question, unsigned setup)
{
    size_t last = SIZE_MAX, first = SIZE_MAX, results = 0;

    for (size_t i = printer->count; i-- > 0;) {
        if (run_of(printer, i)->setup != setup) {
            continue;
        }
        if (results == 0) {
            fputs("on ", question->out);
            write_text(question->out, printer->runs->texts[setup]);
            putc('\n', question->out);
        } else if (printer->results[i].verdict != printer->results[last].verdict) {
            print_spell(printer, question, first, last, results);
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
        print_spell(printer, question, first, last, results);
    }
}

static void print_case_history(struct printer *printer, struct question *question)
{
    question->printed++;
    if (!line_begins(question)) {
        return;
    }
    write_text(question->out, printer->id);
    putc('\n', question->out);
    for (size_t setup = 0; setup < printer->runs->text_count; setup++) {
        print_setup(printer, question, (unsigned)setup);
    }
}

bool agpu_history_print_cases(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                              const char *globs, size_t lines, size_t *found)
{
    struct printer printer = {.history = history, .runs = runs, .globs = globs};
    struct question question = {.out = out, .lines = lines};
    const bool good =
        print_all(&printer, cases_of_results, (const print_function[]){print_case_history}, &question, 1);

    end_answer(&question);
    *found = question.printed;
    return good;
}

static void print_failing(struct printer *printer, struct question *question)
{
    for (size_t setup = 0; setup < printer->runs->text_count; setup++) {
        struct agpu_story story =
            agpu_story_of(printer->runs, printer->results, printer->count, (unsigned)setup);

        if (story.ran == 0 || !story.now.bad || !line_begins(question)) {
            continue;
        }
        if (story.before.results == 0 && printer->first != 0) { /* it started before these results */
            if (!load_results(printer, 0)) {
                printer->count = 0;
                return;
            }
            story = agpu_story_of(printer->runs, printer->results, printer->count, (unsigned)setup);
        }
        fprintf(question->out, "  %-8s ", agpu_verdict_name(printer->results[story.now.last].verdict));
        write_text(question->out, printer->id);
        fputs(story.before.results != 0 ? "  since " : "  always, from ", question->out);
        agpu_past_run_print(question->out, run_of(printer, story.now.first));
        fprintf(question->out, ", in %zu run%s\n", story.now.results, story.now.results == 1 ? "" : "s");
        question->printed++;
    }
}

static void print_flaky(struct printer *printer, struct question *question)
{
    for (size_t setup = 0; setup < printer->runs->text_count; setup++) {
        const struct agpu_story story =
            agpu_story_of(printer->runs, printer->results, printer->count, (unsigned)setup);

        if (!agpu_story_is_flaky(&story) || !line_begins(question)) {
            continue;
        }
        fputs("  ", question->out);
        write_text(question->out, printer->id);
        fprintf(question->out,
                "  failed in %zu of %zu runs, changed %zu times, %zu of them within a build; on ", story.bad,
                story.ran, story.changes, story.changes_of_no_build);
        write_text(question->out, printer->runs->texts[setup]);
        putc('\n', question->out);
        question->printed++;
    }
}

static void write_flaky(FILE *out, const struct agpu_past_runs *runs, size_t window,
                        const struct question *flaky, const char *lines)
{
    fprintf(out, "flaky in the last %zu runs:\n", window < runs->count ? window : runs->count);
    fputs(flaky->printed == 0 ? "  none\n" : lines, out);
}

bool agpu_history_print_bad(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                            size_t window, size_t lines, bool failing_too)
{
    static const print_function print[] = {print_flaky, print_failing};
    struct printer printer = {.history = history, .runs = runs, .first = agpu_past_runs_first(runs, window)};
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
    bool good = print_all(&printer, cases_that_failed, print, questions, failing_too ? 2 : 1);
    end_answer(&questions[0]);
    good = fclose(later) == 0 && good;
    if (good && failing_too) {
        fputs(questions[1].printed == 0 ? "  none\n" : "", out);
        end_answer(&questions[1]);
    }
    if (good) {
        write_flaky(out, runs, window, &questions[0], text);
    }
    free(text);
    return good;
}

static void print_differing(struct printer *printer, struct question *question)
{
    bool passes = false, fails = false;

    for (size_t setup = 0; setup < printer->runs->text_count; setup++) {
        const struct agpu_story story =
            agpu_story_of(printer->runs, printer->results, printer->count, (unsigned)setup);

        passes = passes || (story.ran != 0 && !story.now.bad);
        fails = fails || (story.ran != 0 && story.now.bad);
    }
    if (!passes || !fails || !line_begins(question)) {
        return;
    }
    fputs("  ", question->out);
    write_text(question->out, printer->id);
    putc('\n', question->out);
    question->printed++;
    for (size_t setup = 0; setup < printer->runs->text_count; setup++) {
        const struct agpu_story story =
            agpu_story_of(printer->runs, printer->results, printer->count, (unsigned)setup);

        if (story.ran == 0 || !line_begins(question)) {
            continue;
        }
        fprintf(question->out, "    %-8s ", agpu_verdict_name(printer->results[story.now.last].verdict));
        write_text(question->out, printer->runs->texts[setup]);
        fputs(", ", question->out);
        agpu_past_run_print(question->out, run_of(printer, story.now.last));
        putc('\n', question->out);
    }
}

bool agpu_history_print_differing(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                                  size_t lines)
{
    struct printer printer = {.history = history, .runs = runs};
    struct question question = {.out = out, .lines = lines};

    fputs("failing on one but not on another:\n", out);
    const bool good =
        print_all(&printer, cases_that_failed, (const print_function[]){print_differing}, &question, 1);
    if (good && question.printed == 0) {
        fputs("  none\n", out);
    }
    end_answer(&question);
    return good;
}
