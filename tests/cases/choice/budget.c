/* budget.c: parses budgets and checks metrics against them. */
#include "tests/cases/choice/budget.h"

#include <string.h>

#include "tests/cases/choice/distance.h"

#define NEAREST    3u
#define DIGITS_MAX 18u /* of a value: fits 64 bits */

enum figure_form { ONE, MANY };

static const struct {
    const char *name;
    const char *unit;
    enum figure_form form;
    const char *case_id;
    const char *advice;
} figures[AGPU_FIGURES] = {
#define AGPU_FIGURE(name, unit, form, case_id, advice) {#name, unit, form, case_id, advice},
#include "tests/cases/choice/figures.def"
};

static const char *const parts[AGPU_FIGURE_PARTS] = {"_min", "_p10", "_p50",  "_p90",
                                                     "_p99", "_max", "_count"};

const char *agpu_figure_name(enum agpu_figure figure)
{
    return figures[figure].name;
}

const char *agpu_figure_unit(enum agpu_figure figure)
{
    return figures[figure].unit;
}

const char *agpu_figure_part(unsigned part)
{
    return parts[part];
}

/* A line of text that is truncated when it is full. */
struct budget_line {
    char *at;
    size_t room;
};

static void append(struct budget_line *line, const char *text, size_t size)
{
    size = size < line->room ? size : line->room;
    memcpy(line->at, text, size);
    line->at += size;
    line->room -= size;
    *line->at = '\0';
}

static void append_text(struct budget_line *line, const char *text)
{
    append(line, text, strlen(text));
}

/* Calls `each` with the name of every metric that a figure produces. */
static void each_metric(void (*each)(void *ctx, enum agpu_figure figure, const char *name), void *ctx)
{
    char name[AGPU_BUDGET_NAME_MAX + 1];

    for (unsigned i = 0; i < AGPU_FIGURES; i++) {
        for (unsigned part = 0; part < (figures[i].form == MANY ? AGPU_FIGURE_PARTS : 1); part++) {
            struct budget_line line = {name, sizeof name - 1};

            append_text(&line, figures[i].name);
            append_text(&line, figures[i].form == MANY ? parts[part] : "");
            each(ctx, (enum agpu_figure)i, name);
        }
    }
}

struct figure_search {
    const char *word;
    bool found;
    enum agpu_figure figure;
    char nearest[NEAREST][AGPU_BUDGET_NAME_MAX + 1];
    unsigned distances[NEAREST];
    unsigned count;
};

static void search_metric(void *ctx, enum agpu_figure figure, const char *name)
{
    struct figure_search *search = ctx;
    const unsigned distance = agpu_name_distance(search->word, name);
    unsigned at = search->count < NEAREST ? search->count++ : NEAREST;

    if (distance == 0) {
        search->found = true;
        search->figure = figure;
    }
    if (at == NEAREST && distance >= search->distances[NEAREST - 1]) {
        return;
    }
    at = at == NEAREST ? NEAREST - 1 : at;
    for (; at > 0 && search->distances[at - 1] > distance; at--) {
        memcpy(search->nearest[at], search->nearest[at - 1], sizeof search->nearest[at]);
        search->distances[at] = search->distances[at - 1];
    }
    memcpy(search->nearest[at], name, strlen(name) + 1);
    search->distances[at] = distance;
}

/* Explains a name that is no figure. A base name ("register_read_ns") is nearest to its own parts; suggest the median
 * first. */
static void explain_name(const struct figure_search *search, char *why)
{
    struct budget_line line = {why, AGPU_BUDGET_WHY_MAX - 1};

    append_text(&line, "no case measures \"");
    append_text(&line, search->word);
    append_text(&line, "\"; the nearest: ");
    for (unsigned i = 0; i < search->count; i++) {
        append_text(&line, i != 0 ? ", " : "");
        append_text(&line, search->nearest[i]);
    }
}

static bool read_value(const char *text, size_t size, uint64_t *out)
{
    uint64_t value = 0;

    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *out = value;
    return size != 0 && size <= DIGITS_MAX;
}

static bool refuse(char *why, const char *text)
{
    struct budget_line line = {why, AGPU_BUDGET_WHY_MAX - 1};

    append_text(&line, text);
    return false;
}

bool agpu_budget_add(struct agpu_budgets *budgets, const char *text, size_t size, char *why)
{
    struct agpu_budget budget = {0};
    struct figure_search search = {.word = budget.name};
    size_t sign = 0;

    while (sign < size && text[sign] != '<' && text[sign] != '>') {
        sign++;
    }
    if (sign == 0 || sign + 2 > size || text[sign + 1] != '=' ||
        !read_value(text + sign + 2, size - sign - 2, &budget.value)) {
        return refuse(why, AGPU_BUDGET_FORM);
    }
    if (sign > AGPU_BUDGET_NAME_MAX) {
        return refuse(why,
                      "the name is too long for a figure: tests/cases/choice/figures.def lists all figures");
    }
    memcpy(budget.name, text, sign);
    budget.least = text[sign] == '>';
    each_metric(search_metric, &search);
    if (!search.found) {
        explain_name(&search, why);
        return false;
    }
    if (budgets->count == AGPU_BUDGETS_MAX) {
        return refuse(why, "32 budgets are as many as there may be");
    }
    budget.figure = search.figure;
    budgets->entries[budgets->count++] = budget;
    return true;
}

const char *agpu_budget_case(const struct agpu_budget *budget)
{
    return figures[budget->figure].case_id;
}

const char *agpu_budget_advice(const struct agpu_budget *budget)
{
    return figures[budget->figure].advice;
}

const struct agpu_budget *agpu_budget_judge(struct agpu_budgets *budgets, const char *name, uint64_t value)
{
    const struct agpu_budget *broken = NULL;

    for (unsigned i = 0; budgets != NULL && i < budgets->count; i++) {
        struct agpu_budget *budget = &budgets->entries[i];

        if (strcmp(budget->name, name) != 0) {
            continue;
        }
        budget->judged = true;
        if (broken == NULL && (budget->least ? value < budget->value : value > budget->value)) {
            broken = budget;
        }
    }
    return broken;
}
