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

/* The index of a group is the number of its reason in the tally. */
static bool add_to_group(struct agpu_case_groups *groups, struct agpu_tally *reasons, const char *reason,
                         const struct agpu_case_result *c)
{
    char alike[AGPU_EVIDENCE_TEXT_MAX];
    const struct agpu_tally_entry *entry =
        agpu_tally_of(reasons, agpu_without_numbers(reason, alike, sizeof alike), c->skip_allowed);
    struct agpu_case_group *grown;

    if (entry == NULL) {
        return false;
    }
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
    groups->items[groups->count++] = (struct agpu_case_group){.reason = reason, .count = 1, .first = c};
    return true;
}

/* Sorts the largest first, equal ones in the order of the run. */
static int larger_group(const void *a, const void *b)
{
    const struct agpu_case_group *x = a;
    const struct agpu_case_group *y = b;

    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return agpu_case_order(x->first, y->first);
}

static bool group_cases(const struct agpu_run *run, bool skips, struct agpu_case_groups *out)
{
    struct agpu_tally reasons = {0};
    bool good = true;

    *out = (struct agpu_case_groups){0};
    for (size_t i = 0; i < run->case_count && good; i++) {
        const struct agpu_case_result *c = run->cases[i];
        enum agpu_verdict verdict = agpu_case_verdict(c);

        if (!c->ended || verdict == AGPU_VERDICT_PASS || (verdict == AGPU_VERDICT_SKIP) != skips) {
            continue;
        }
        good = add_to_group(out, &reasons, skips ? text_or(c->reason, "no reason") : agpu_failure_key(c), c);
    }
    agpu_tally_free(&reasons);
    if (out->count > 1) {
        qsort(out->items, out->count, sizeof *out->items, larger_group);
    }
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
