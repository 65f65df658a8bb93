/* groups.c: groups cases by their reason or failed check. */
#include "tests/host/wire/groups.h"

#include <stdlib.h>
#include <string.h>

#include "tests/host/wire/run_verdict.h"
#include "tests/host/wire/tally.h"

static const char *text_or(const char *text, const char *fallback)
{
    return text != NULL && *text != '\0' ? text : fallback;
}

const char *agpu_failure_key(const struct agpu_case_result *c)
{
    return c->checks_kept > 0 ? text_or(c->checks[0].expr, "no reason") : text_or(c->reason, "no reason");
}

const char *agpu_without_numbers(const char *text, char *out, size_t size)
{
    size_t length = 0;

    while (*text != '\0' && length + 1 < size) {
        if (*text < '0' || *text > '9') {
            out[length++] = *text++;
            continue;
        }
        if (text[0] == '0' && text[1] == 'x') {
            text += 2 + strspn(text + 2, "0123456789abcdefABCDEF");
        } else {
            text += strspn(text, "0123456789");
        }
        out[length++] = '#';
    }
    out[length] = '\0';
    return out;
}

/* Returns text without numbers, and without what follows the place of a difference: "looks like zero" and the like. */
static const char *group_key(const char *text, char out[AGPU_EVIDENCE_TEXT_MAX])
{
    char *place = strstr(agpu_without_numbers(text, out, AGPU_EVIDENCE_TEXT_MAX), ": byte #");

    if (place != NULL) {
        *place = '\0';
    }
    return out;
}

/* The index of a group is the number of its reason in the tally. */
static bool add_to_group(struct agpu_case_groups *groups, struct agpu_tally *reasons, const char *reason,
                         size_t at, const struct agpu_case_result *c)
{
    char alike[AGPU_EVIDENCE_TEXT_MAX];
    const bool by_cause = c->cause != NULL;
    const struct agpu_tally_entry *entry =
        agpu_tally_of(reasons, by_cause ? c->cause : group_key(reason, alike), by_cause || c->skip_allowed);
    struct agpu_case_group *grown;

    if (entry == NULL) {
        return false;
    }
    groups->of[at] = entry->number + 1;
    if (entry->number < groups->count) {
        groups->items[entry->number].count++;
        return true;
    }
    if (groups->count == groups->capacity) {
        const size_t capacity = groups->capacity != 0 ? groups->capacity * 2 : 16;

        grown = realloc(groups->items, capacity * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        groups->items = grown;
        groups->capacity = capacity;
    }
    groups->items[groups->count++] =
        (struct agpu_case_group){.reason = by_cause ? text_or(c->reason, c->cause) : reason,
                                 .number = entry->number + 1,
                                 .cause = c->cause,
                                 .count = 1,
                                 .first = c};
    return true;
}

/* Sorts causes first, then the largest, equal ones in the order of the run. */
static int larger_group(const void *a, const void *b)
{
    const struct agpu_case_group *x = a;
    const struct agpu_case_group *y = b;

    if ((x->cause != NULL) != (y->cause != NULL)) {
        return x->cause != NULL ? -1 : 1;
    }
    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return agpu_case_order(x->first, y->first);
}

static bool is_grouped(const struct agpu_case_result *c, bool skips)
{
    const enum agpu_verdict verdict = agpu_case_verdict(c);

    return c->ended && verdict != AGPU_VERDICT_PASS && (verdict == AGPU_VERDICT_SKIP) == skips;
}

/* Counts the cases in which each check failed. */
static void count_shared(const struct agpu_run *run, struct agpu_tally *shared)
{
    char alike[AGPU_EVIDENCE_TEXT_MAX];

    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];

        for (size_t k = 0; k < c->checks_kept && is_grouped(c, false); k++) {
            struct agpu_tally_entry *entry =
                agpu_tally_of(shared, group_key(text_or(c->checks[k].expr, "?"), alike), false);

            /* number: the last case that was counted, from 1 */
            if (entry != NULL && (entry->count == 0 || entry->number != i)) {
                entry->count++;
                entry->number = i;
            }
        }
    }
}

/* Returns the failed check of the case that most cases share, the first of those. */
static const char *most_shared(const struct agpu_case_result *c, const struct agpu_tally *shared)
{
    char alike[AGPU_EVIDENCE_TEXT_MAX];
    const char *found = agpu_failure_key(c);
    size_t most = 0;

    for (size_t k = 0; k < c->checks_kept; k++) {
        const char *expr = text_or(c->checks[k].expr, "?");
        const struct agpu_tally_entry *entry = agpu_tally_find(shared, group_key(expr, alike), false);

        if (entry != NULL && entry->count > most) {
            found = expr;
            most = entry->count;
        }
    }
    return found;
}

/* Sorts the groups, and counts the cases that each cause blocked. */
static void order_groups(const struct agpu_run *run, struct agpu_case_groups *out)
{
    if (out->count > 1) {
        qsort(out->items, out->count, sizeof *out->items, larger_group);
    }
    for (size_t i = 0; i < run->case_count; i++) {
        const char *by = run->cases[i]->blocked_by;

        for (size_t k = 0; by != NULL && k < out->count && out->items[k].cause != NULL; k++) {
            out->items[k].blocked += strcmp(out->items[k].cause, by) == 0;
        }
    }
}

static bool group_cases(const struct agpu_run *run, bool skips, struct agpu_case_groups *out)
{
    struct agpu_tally reasons = {0}, shared = {0};
    bool good;

    *out = (struct agpu_case_groups){.of = calloc(run->case_count + 1, sizeof *out->of)};
    good = out->of != NULL;
    if (!skips) {
        count_shared(run, &shared);
    }
    for (size_t i = 0; i < run->case_count && good; i++) {
        const struct agpu_case_result *c = run->cases[i];

        if (is_grouped(c, skips)) {
            good = add_to_group(out, &reasons,
                                skips ? text_or(c->reason, "no reason") : most_shared(c, &shared), i, c);
        }
    }
    agpu_tally_free(&shared);
    agpu_tally_free(&reasons);
    order_groups(run, out);
    return good;
}

bool agpu_groups_of_skips(const struct agpu_run *run, struct agpu_case_groups *out)
{
    return group_cases(run, true, out);
}

bool agpu_groups_of_failures(const struct agpu_run *run, struct agpu_case_groups *out)
{
    return group_cases(run, false, out);
}

void agpu_groups_free(struct agpu_case_groups *groups)
{
    free(groups->items);
    free(groups->of);
    *groups = (struct agpu_case_groups){0};
}

uint64_t agpu_run_untried(const struct agpu_run *run)
{
    uint64_t count = 0;

    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];

        count += c->ended && agpu_case_verdict(c) == AGPU_VERDICT_SKIP && !c->skip_allowed;
    }
    return count;
}
