/* budget.h: limits that somebody sets on figures of the group perf.*: "register_read_ns_p99<=2000". Without one no figure is
 * judged: a slow device is a right one. Freestanding: image and host tool read the same words. */
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

/* What a histogram makes of a figure, by the percentage that does not exceed it. */
#define AGPU_FIGURE_PARTS 7u

const char *agpu_figure_name(enum agpu_figure figure);
const char *agpu_figure_unit(enum agpu_figure figure);
/* "_p50"; part is below AGPU_FIGURE_PARTS, the last one is the count of samples, which has the unit 1. */
const char *agpu_figure_part(unsigned part);

#define AGPU_BUDGETS_MAX     32u
#define AGPU_BUDGET_NAME_MAX 47u
#define AGPU_BUDGET_WHY_MAX  240u
#define AGPU_BUDGET_FORM     "expected NAME<=VALUE or NAME>=VALUE, as register_read_ns_p99<=2000"

struct agpu_budget {
    char name[AGPU_BUDGET_NAME_MAX + 1]; /* of a metric */
    bool least;                          /* >=: the value is the least that is allowed, else the most */
    uint64_t value;                      /* in the metric's unit */
    enum agpu_figure figure;
    bool judged; /* the metric has come */
};

struct agpu_budgets {
    struct agpu_budget entries[AGPU_BUDGETS_MAX];
    unsigned count;
};

/* Reads one. False, and nothing is added, when it is none: why then says what was expected, for a name that no figure has
 * with the nearest ones. why holds AGPU_BUDGET_WHY_MAX bytes. */
bool agpu_budget_add(struct agpu_budgets *budgets, const char *text, size_t size, char *why);

/* The case that measures it, and what to look at when it is exceeded. */
const char *agpu_budget_case(const struct agpu_budget *budget);
const char *agpu_budget_advice(const struct agpu_budget *budget);

/* Judges a metric: the first budget that it breaks, NULL when there is none. budgets may be NULL. */
const struct agpu_budget *agpu_budget_judge(struct agpu_budgets *budgets, const char *name, uint64_t value);

#endif
