/* budget.h: limits on the figures of the group perf.*, set by the user: "register_read_ns_p99<=2000". Without a limit a
 * figure never fails a case: a slow device is still correct. Freestanding: the image and the host tool parse the same
 * words. */
#ifndef AGPU_CASES_CHOICE_BUDGET_H
#define AGPU_CASES_CHOICE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum agpu_figure {
#define AGPU_FIGURE(name, ...) AGPU_FIGURE_##name,
#include "tests/cases/choice/figures.def"
    AGPU_FIGURES
};

/* The metrics that a histogram produces for one figure: minimum, percentiles, maximum, count. */
#define AGPU_FIGURE_PARTS 7u

const char *agpu_figure_name(enum agpu_figure figure);
const char *agpu_figure_unit(enum agpu_figure figure);
/* Returns a suffix such as "_p50". part is below AGPU_FIGURE_PARTS; the last part is the sample count, whose unit is
 * 1. */
const char *agpu_figure_part(unsigned part);

#define AGPU_BUDGETS_MAX     32u
#define AGPU_BUDGET_NAME_MAX 47u
#define AGPU_BUDGET_WHY_MAX  240u
#define AGPU_BUDGET_FORM     "expected NAME<=VALUE or NAME>=VALUE, as register_read_ns_p99<=2000"

struct agpu_budget {
    char name[AGPU_BUDGET_NAME_MAX + 1]; /* of a metric */
    bool least;                          /* true: value is a minimum (>=); false: a maximum */
    uint64_t value;                      /* in the metric's unit */
    enum agpu_figure figure;
    bool judged; /* the run has sent this metric */
};

struct agpu_budgets {
    struct agpu_budget entries[AGPU_BUDGETS_MAX];
    unsigned count;
};

/* Parses one budget and appends it. Returns false and adds nothing if the text is invalid; why then holds what was
 * expected and, for an unknown figure, the nearest names. why has AGPU_BUDGET_WHY_MAX bytes. */
bool agpu_budget_add(struct agpu_budgets *budgets, const char *text, size_t size, char *why);

/* Returns the case that measures the figure, and what to check when the budget is exceeded. */
const char *agpu_budget_case(const struct agpu_budget *budget);
const char *agpu_budget_advice(const struct agpu_budget *budget);

/* Checks a metric against the budgets. Returns the first budget that it exceeds, or NULL. budgets may be NULL. */
const struct agpu_budget *agpu_budget_judge(struct agpu_budgets *budgets, const char *name, uint64_t value);

#endif
