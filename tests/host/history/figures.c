/* figures.c: answers queries about metrics from the history, as text (figures.h). */
#include "tests/host/history/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases/choice/filter.h"
#include "tests/host/history/plot.h"
#include "tests/host/history/plot_page.h"
#include "tests/host/history/robust.h"
#include "tests/host/report/text.h"

/* Number of runs in the test for regressions: with the usual few setups, enough of each. */
#define RUNS_OF_SHIFT 200u
#define NAME_MAX_TEXT 1200u

/* The values of one metric in one setup and place. */
struct series {
    double *values;
    size_t *runs;
    size_t count;
};

/* State of the iteration over all metrics, and for each its values by setup and place. */
struct figures {
    FILE *out;
    FILE *page; /* for a browser; NULL: none */
    struct agpu_history *history;
    const struct agpu_past_runs *runs;
    struct agpu_statement *samples;
    double *values; /* by position of the run; NAN: not measured in it */
    struct series series;
    const char *measured; /* the unit in the history; valid until the next metric */
    const char *unit;     /* the unit of the series */
    char name[NAME_MAX_TEXT];
};

static bool begin(struct figures *figures)
{
    const size_t room = figures->runs->count + 1;

    figures->samples = agpu_history_prepare(
        figures->history, "SELECT run_id, value FROM sample WHERE metric_id = ?1 AND run_id >= ?2");
    figures->values = calloc(room, sizeof *figures->values);
    figures->series.values = calloc(room, sizeof *figures->series.values);
    figures->series.runs = calloc(room, sizeof *figures->series.runs);
    return figures->samples != NULL && figures->values != NULL && figures->series.values != NULL &&
           figures->series.runs != NULL;
}

static void end(struct figures *figures)
{
    agpu_statement_end(figures->samples);
    free(figures->values);
    free(figures->series.values);
    free(figures->series.runs);
}

static bool load_values(struct figures *figures, int64_t metric, int64_t first_id)
{
    bool good = true;

    for (size_t i = 0; i < figures->runs->count; i++) {
        figures->values[i] = NAN;
    }
    agpu_bind_number(figures->samples, 1, metric);
    agpu_bind_number(figures->samples, 2, first_id);
    while (agpu_statement_row(figures->samples, &good)) {
        const size_t run = agpu_past_run_position(figures->runs, agpu_column_number(figures->samples, 0));
        const double value = agpu_column_real(figures->samples, 1);

        if (run < figures->runs->count && isfinite(value)) {
            figures->values[run] = value;
        }
    }
    agpu_statement_reset(figures->samples);
    return good;
}

/* Converts the series to the largest unit in which its last value is at least 1. */
static void scale_series(struct figures *figures)
{
    struct series *series = &figures->series;
    double divisor;

    figures->unit = agpu_human_unit(figures->measured,
                                    series->count != 0 ? series->values[series->count - 1] : 0, &divisor);
    for (size_t i = 0; i < series->count; i++) {
        series->values[i] /= divisor;
    }
}

/* Extracts from figures->values the values with the same setup and place as the latest remaining one. Returns false
 * when none is left. */
static bool next_series(struct figures *figures)
{
    const struct agpu_past_run *items = figures->runs->items;
    size_t latest = figures->runs->count;

    while (latest > 0 && isnan(figures->values[latest - 1])) {
        latest--;
    }
    figures->series.count = 0;
    for (size_t i = 0; i < latest; i++) {
        if (!isnan(figures->values[i]) && items[i].setup == items[latest - 1].setup &&
            items[i].place == items[latest - 1].place) {
            figures->series.values[figures->series.count] = figures->values[i];
            figures->series.runs[figures->series.count++] = i;
            figures->values[i] = NAN;
        }
    }
    scale_series(figures);
    return latest > 0;
}

static void take_name(struct figures *figures, struct agpu_statement *metrics)
{
    const char *owner = agpu_column_text(metrics, 1);
    const char *name = agpu_column_text(metrics, 2);

    figures->measured = agpu_column_text(metrics, 3);
    snprintf(figures->name, sizeof figures->name, "%s%s%s", strcmp(owner, "-") != 0 ? owner : "",
             strcmp(owner, "-") != 0 ? "." : "", name);
}

static void write_text(FILE *out, const char *text)
{
    agpu_text_write_line(out, text, strlen(text));
}

static void write_place(struct figures *figures)
{
    const struct agpu_past_run *last = &figures->runs->items[figures->series.runs[figures->series.count - 1]];

    write_text(figures->out, figures->runs->texts[last->setup]);
    if (figures->runs->texts[last->place][0] != '\0') {
        fputs(", ", figures->out);
        write_text(figures->out, figures->runs->texts[last->place]);
    }
}

/* "33.1 us, before 20.2 us +- 0.3 (+64 %), worse, since run 12, ..." */
static void write_shift(struct figures *figures, const struct agpu_shift *shift)
{
    const int direction = agpu_worse_direction(figures->unit);
    const double difference = shift->now - shift->before;

    fprintf(figures->out, "%.5g%s", shift->now, figures->unit[0] != '\0' ? " " : "");
    write_text(figures->out, figures->unit);
    fprintf(figures->out, ", before %.5g +- %.2g", shift->before, shift->noise);
    if (shift->before != 0) {
        fprintf(figures->out, " (%+.0f %%)", 100 * difference / fabs(shift->before));
    }
    fprintf(figures->out, "%s, since ",
            direction == 0               ? ""
            : difference * direction > 0 ? ", worse"
                                         : ", better");
    agpu_past_run_print(figures->out, &figures->runs->items[figures->series.runs[shift->since]]);
    putc('\n', figures->out);
}

static void write_heading(struct figures *figures, const struct agpu_shift *shift)
{
    (void)shift;
    write_text(figures->out, figures->name);
    fputs(figures->unit[0] != '\0' ? " in " : "", figures->out);
    write_text(figures->out, figures->unit);
    fprintf(figures->out, ", %zu run%s, on ", figures->series.count, figures->series.count == 1 ? "" : "s");
    write_place(figures);
}

static void write_result(struct figures *figures, const struct agpu_shift *shift)
{
    if (shift->moved) {
        fputs("moved: ", figures->out);
        write_shift(figures, shift);
    } else if (shift->enough) {
        fprintf(figures->out, "not beyond noise: %.5g, before %.5g +- %.2g\n", shift->now, shift->before,
                shift->noise);
    } else {
        fprintf(figures->out, "too few runs to tell a change from noise: %u are needed\n",
                AGPU_SHIFT_RECENT + AGPU_SHIFT_BASE_MIN);
    }
}

/* Draws in text, with the first and the last run below the drawing. */
static void write_plot(struct figures *figures, const char *heading, const char *result, size_t columns,
                       const struct agpu_shift *shift)
{
    const struct series *series = &figures->series;

    fprintf(figures->out, "%s\n", heading);
    agpu_plot(figures->out, series->values, series->count, columns, shift->before,
              shift->enough ? shift->limit : -1);
    fputs("  from ", figures->out);
    agpu_past_run_print(figures->out, &figures->runs->items[series->runs[0]]);
    fputs("\n  to   ", figures->out);
    agpu_past_run_print(figures->out, &figures->runs->items[series->runs[series->count - 1]]);
    fprintf(figures->out, "\n  %s", result);
}

static void write_page(struct figures *figures, const char *heading, const char *result,
                       const struct agpu_shift *shift)
{
    const struct series *series = &figures->series;
    struct agpu_plot_page_drawing drawing = {.heading = heading,
                                             .caption = result,
                                             .unit = figures->unit,
                                             .values = series->values,
                                             .count = series->count,
                                             .middle = shift->before,
                                             .limit = shift->enough ? shift->limit : -1,
                                             .runs = figures->runs,
                                             .positions = series->runs};

    agpu_plot_page_add(figures->page, &drawing);
}

/* Returns the output of such a function, malloc'd; NULL when memory is exhausted. */
static char *text_of(struct figures *figures,
                     void (*write)(struct figures *figures, const struct agpu_shift *shift),
                     const struct agpu_shift *shift)
{
    FILE *const out = figures->out;
    char *text = NULL;
    size_t size = 0;

    figures->out = open_memstream(&text, &size);
    if (figures->out != NULL) {
        write(figures, shift);
        fclose(figures->out);
    }
    figures->out = out;
    return text;
}

/* Draws where there is still room, by the number of the plot. Returns false when memory is exhausted. */
static bool plot_series(struct figures *figures, size_t columns, size_t number)
{
    const struct agpu_shift shift = agpu_shift_of(figures->series.values, figures->series.count);
    char *heading = text_of(figures, write_heading, &shift), *result = text_of(figures, write_result, &shift);
    const bool good = heading != NULL && result != NULL;

    if (good && figures->out != NULL && number <= AGPU_HISTORY_PLOTS_MAX) {
        write_plot(figures, heading, result, columns, &shift);
    }
    if (good && figures->page != NULL && number <= AGPU_PLOT_PAGE_MAX) {
        write_page(figures, heading, result, &shift);
    }
    if (!good) {
        fputs("agpu: memory is exhausted\n", stderr);
    }
    free(heading);
    free(result);
    return good;
}

static const char all_metrics[] = "SELECT metric.id, name.text, metric.name, metric.unit FROM metric"
                                  " JOIN name ON name.id = metric.case_id ORDER BY name.text, metric.name";

bool agpu_history_plot(FILE *out, FILE *page, struct agpu_history *history, const struct agpu_past_runs *runs,
                       const char *globs, size_t columns, size_t *found)
{
    struct figures figures = {.out = out, .page = page, .history = history, .runs = runs};
    struct agpu_statement *metrics = agpu_history_prepare(history, all_metrics);
    bool good = metrics != NULL && begin(&figures);

    *found = 0;
    while (good && agpu_statement_row(metrics, &good)) {
        take_name(&figures, metrics);
        if (!agpu_filter_match(globs, figures.name) &&
            !agpu_filter_match(globs, agpu_column_text(metrics, 2))) {
            continue;
        }
        good = load_values(&figures, agpu_column_number(metrics, 0), 0);
        while (good && next_series(&figures)) {
            good = plot_series(&figures, columns, ++*found);
        }
    }
    if (out != NULL && *found > AGPU_HISTORY_PLOTS_MAX) {
        fprintf(out, "... and %zu more: use a narrower glob to list them\n", *found - AGPU_HISTORY_PLOTS_MAX);
    }
    end(&figures);
    agpu_statement_end(metrics);
    return good;
}

/* Writes regressions to figures->out, and other changes to others, which is printed later. */
static void print_series(struct figures *figures, FILE *others, size_t lines, size_t *worse, size_t *other)
{
    const struct agpu_shift shift = agpu_shift_of(figures->series.values, figures->series.count);
    const bool is_worse = (shift.now - shift.before) * agpu_worse_direction(figures->unit) > 0;
    size_t *printed = is_worse ? worse : other;
    FILE *const out = figures->out;

    if (!shift.moved || ++*printed > lines) {
        return;
    }
    figures->out = is_worse ? out : others;
    fputs("  ", figures->out);
    write_text(figures->out, figures->name);
    fputs("  ", figures->out);
    write_shift(figures, &shift);
    figures->out = out;
}

bool agpu_history_print_moved(FILE *out, struct agpu_history *history, const struct agpu_past_runs *runs,
                              size_t lines, size_t *worse)
{
    struct figures figures = {.out = out, .history = history, .runs = runs};
    const int64_t first = agpu_past_runs_first(runs, RUNS_OF_SHIFT);
    struct agpu_statement *metrics = agpu_history_prepare(history, all_metrics);
    char *text = NULL;
    size_t size = 0, other = 0;
    FILE *others = open_memstream(&text, &size);
    bool good = metrics != NULL && others != NULL && begin(&figures);

    fputs("metrics that changed beyond noise:\n", out);
    *worse = 0;
    while (good && agpu_statement_row(metrics, &good)) {
        take_name(&figures, metrics);
        good = load_values(&figures, agpu_column_number(metrics, 0), first);
        while (good && next_series(&figures)) {
            print_series(&figures, others, lines, worse, &other);
        }
    }
    good = others != NULL && fclose(others) == 0 && good;
    if (good) {
        fputs(text, out);
        const size_t shown = (*worse < lines ? *worse : lines) + (other < lines ? other : lines);
        if (*worse + other == 0) {
            fputs("  none\n", out);
        } else if (*worse + other > shown) {
            fprintf(out, "  ... and %zu more: --lines N shows them\n", *worse + other - shown);
        }
    }
    free(text);
    end(&figures);
    agpu_statement_end(metrics);
    return good;
}
