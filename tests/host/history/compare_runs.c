/* compare_runs.c: compares two runs of the history (compare_runs.h). */
#include "tests/host/history/compare_runs.h"

#include <math.h>
#include <string.h>

#include "tests/host/history/robust.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/verdict.h"

/* Without enough other runs, which show the noise: smaller differences are not significant. */
#define METRIC_SHARE 0.1

/* Limit of named cases that only one run has: a part of the catalogue against the whole. */
#define ONE_SIDED_MAX 10u

static void write_column(FILE *out, struct agpu_statement *statement, int column)
{
    const char *text = agpu_column_text(statement, column);

    agpu_text_write_line(out, text, strlen(text));
}

static const char *verdict_of(struct agpu_statement *statement, int column)
{
    const int verdict = (int)agpu_column_number(statement, column);

    if (agpu_column_is_null(statement, column)) {
        return "-";
    }
    return verdict >= 0 && verdict < AGPU_VERDICT_COUNT ? agpu_verdict_name((enum agpu_verdict)verdict) : "?";
}

/* Returns name, both verdicts and the second run's reason for each case of either. */
static const char cases_of_two[] =
    "SELECT name.text, a.verdict, b.verdict, reason.text FROM name"
    " LEFT JOIN result AS a ON a.case_id = name.id AND a.run_id = ?1"
    " LEFT JOIN result AS b ON b.case_id = name.id AND b.run_id = ?2"
    " LEFT JOIN name AS reason ON reason.id = b.reason_id"
    " WHERE (a.verdict IS NOT NULL OR b.verdict IS NOT NULL) AND a.verdict IS DISTINCT FROM b.verdict"
    " ORDER BY coalesce(b.verdict, -1) - coalesce(a.verdict, -1) DESC, name.text";

static const char metrics_of_two[] =
    "SELECT name.text, metric.name, metric.unit, a.value, b.value, metric.id FROM metric"
    " JOIN name ON name.id = metric.case_id"
    " JOIN sample AS a ON a.metric_id = metric.id AND a.run_id = ?1"
    " JOIN sample AS b ON b.metric_id = metric.id AND b.run_id = ?2"
    " ORDER BY name.text, metric.name";

/* Returns the values of metric ?3 in other runs with the second run's set-up and place, the latest first. */
static const char values_of_others[] =
    "SELECT sample.value FROM run AS b"
    " JOIN run ON run.setup = b.setup AND run.place = b.place AND run.fault = b.fault"
    " JOIN sample ON sample.run_id = run.id AND sample.metric_id = ?3"
    " WHERE b.id = ?2 AND run.id NOT IN (?1, ?2) ORDER BY run.id DESC";

static struct agpu_statement *prepare(struct agpu_history *history, const char *sql, int64_t a, int64_t b)
{
    struct agpu_statement *statement = agpu_history_prepare(history, sql);

    if (statement != NULL) {
        agpu_bind_number(statement, 1, a);
        agpu_bind_number(statement, 2, b);
    }
    return statement;
}

static bool compare_cases(FILE *out, struct agpu_history *history, int64_t a, int64_t b, size_t *lines,
                          struct agpu_runs_difference *difference)
{
    struct agpu_statement *cases = prepare(history, cases_of_two, a, b);
    bool good = cases != NULL;

    while (good && agpu_statement_row(cases, &good)) {
        if (agpu_column_is_null(cases, 1)) {
            difference->only_b++;
        } else if (agpu_column_is_null(cases, 2)) {
            difference->only_a++;
        } else if ((int)agpu_column_number(cases, 2) > (int)agpu_column_number(cases, 1)) {
            difference->worse++;
        } else {
            difference->better++;
        }
        const bool one_sided = agpu_column_is_null(cases, 1) || agpu_column_is_null(cases, 2);

        if (*lines == 0 ||
            (one_sided &&
             (agpu_column_is_null(cases, 1) ? difference->only_b : difference->only_a) > ONE_SIDED_MAX)) {
            continue;
        }
        --*lines;
        fprintf(out, "%-8s -> %-8s ", verdict_of(cases, 1), verdict_of(cases, 2));
        write_column(out, cases, 0);
        if (!agpu_column_is_null(cases, 3)) {
            fputs("  ", out);
            write_column(out, cases, 3);
        }
        putc('\n', out);
    }
    agpu_statement_end(cases);
    return good;
}

/* Sets *limit to the difference of two values that noise may cause. Returns false with a line on stderr. */
static bool noise_of(struct agpu_history *history, int64_t a, int64_t b, int64_t metric, double before,
                     double *limit)
{
    struct agpu_statement *others = prepare(history, values_of_others, a, b);
    double values[AGPU_SHIFT_BASE_MAX], median, noise;
    bool good = others != NULL;
    size_t count = 0;

    if (good) {
        agpu_bind_number(others, 3, metric);
    }
    while (good && count < AGPU_SHIFT_BASE_MAX && agpu_statement_row(others, &good)) {
        values[count++] = agpu_column_real(others, 0);
    }
    agpu_statement_end(others);
    *limit = count >= AGPU_SHIFT_BASE_MIN ? agpu_noise_limit(values, count, &median, &noise)
                                          : METRIC_SHARE * fabs(before);
    return good;
}

static bool compare_metrics(FILE *out, struct agpu_history *history, int64_t a, int64_t b, size_t *lines,
                            struct agpu_runs_difference *difference)
{
    struct agpu_statement *metrics = prepare(history, metrics_of_two, a, b);
    bool good = metrics != NULL;

    while (good && agpu_statement_row(metrics, &good)) {
        const double before = agpu_column_real(metrics, 3), now = agpu_column_real(metrics, 4);
        double limit, divisor;
        const char *unit = agpu_human_unit(agpu_column_text(metrics, 2), now, &divisor);
        const int direction = agpu_worse_direction(agpu_column_text(metrics, 2));

        good = noise_of(history, a, b, agpu_column_number(metrics, 5), before, &limit);
        if (!good || fabs(now - before) <= limit) {
            continue;
        }
        difference->metrics++;
        if (*lines == 0) {
            continue;
        }
        --*lines;
        fputs("metric   ", out);
        if (strcmp(agpu_column_text(metrics, 0), "-") != 0) {
            write_column(out, metrics, 0);
            putc('.', out);
        }
        write_column(out, metrics, 1);
        fprintf(out, "  %.5g -> %.5g%s", before / divisor, now / divisor, unit[0] != '\0' ? " " : "");
        agpu_text_write_line(out, unit, strlen(unit));
        if (before != 0) {
            fprintf(out, " (%+.0f %%)", 100 * (now - before) / fabs(before));
        }
        fprintf(out, "%s\n", direction == 0 ? "" : (now - before) * direction > 0 ? ", worse" : ", better");
    }
    agpu_statement_end(metrics);
    return good;
}

bool agpu_history_compare_runs(FILE *out, struct agpu_history *history, int64_t a, int64_t b, size_t lines,
                               bool metrics, struct agpu_runs_difference *difference)
{
    size_t left = lines;

    *difference = (struct agpu_runs_difference){0};
    if (!compare_cases(out, history, a, b, &left, difference) ||
        (metrics && !compare_metrics(out, history, a, b, &left, difference))) {
        return false;
    }
    const size_t all = difference->worse + difference->better +
                       (difference->only_a < ONE_SIDED_MAX ? difference->only_a : ONE_SIDED_MAX) +
                       (difference->only_b < ONE_SIDED_MAX ? difference->only_b : ONE_SIDED_MAX) +
                       difference->metrics;
    if (all > lines) {
        fprintf(out, "... and %zu more lines: --lines N shows them\n", all - lines);
    }
    fprintf(out, "%zu worse, %zu better, %zu only in the first, %zu only in the second", difference->worse,
            difference->better, difference->only_a, difference->only_b);
    if (metrics) {
        fprintf(out, ", %zu metrics beyond their noise", difference->metrics);
    }
    putc('\n', out);
    return true;
}
