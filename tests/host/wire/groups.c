/* groups.c: cases by what they say. */
#include "tests/host/wire/groups.h"

#include <stdlib.h>
#include <string.h>

#include "tests/host/wire/run_verdict.h"

static const char *text_or(const char *text, const char *fallback)
{
    return text != NULL && *text != '\0' ? text : fallback;
}

const char *agpu_failure_key(const struct agpu_case_result *c)
{
    return c->checks_kept > 0 ? text_or(c->checks[0].expr, "no reason") : text_or(c->reason, "no reason");
}

/* Behind a number at text, "0x" and hexadecimal digits included; text where there is none. */
static const char *behind_number(const char *text)
{
    if (text[0] < '0' || text[0] > '9') {
        return text;
    }
    if (text[0] == '0' && text[1] == 'x') {
        return text + 2 + strspn(text + 2, "0123456789abcdefABCDEF");
    }
    return text + strspn(text, "0123456789");
}

bool agpu_says_alike(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        const char *const behind_a = behind_number(a), *const behind_b = behind_number(b);

        if (behind_a != a && behind_b != b) {
            a = behind_a;
            b = behind_b;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

static bool add_to_group(struct agpu_case_groups *groups, const char *reason,
                         const struct agpu_case_result *c)
{
    struct agpu_case_group *grown;

    for (size_t i = 0; i < groups->count; i++) {
        if (agpu_says_alike(groups->items[i].reason, reason) &&
            groups->items[i].first->skip_allowed == c->skip_allowed) {
            groups->items[i].count++;
            return true;
        }
    }
    grown = realloc(groups->items, (groups->count + 1) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    groups->items = grown;
    groups->items[groups->count++] = (struct agpu_case_group){.reason = reason, .count = 1, .first = c};
    return true;
}

/* The largest first, equal ones in the order of the run. */
static int larger_group(const void *a, const void *b)
{
    const struct agpu_case_group *x = a;
    const struct agpu_case_group *y = b;

    if (x->count != y->count) {
        return x->count > y->count ? -1 : 1;
    }
    return x->first->start_seq < y->first->start_seq ? -1 : x->first->start_seq > y->first->start_seq;
}

static bool group_cases(const struct agpu_run *run, bool skips, struct agpu_case_groups *out)
{
    bool good = true;

    *out = (struct agpu_case_groups){0};
    for (size_t i = 0; i < run->case_count && good; i++) {
        const struct agpu_case_result *c = run->cases[i];
        enum agpu_verdict verdict = agpu_case_verdict(c);

        if (!c->ended || verdict == AGPU_VERDICT_PASS || (verdict == AGPU_VERDICT_SKIP) != skips) {
            continue;
        }
        good = add_to_group(out, skips ? text_or(c->reason, "no reason") : agpu_failure_key(c), c);
    }
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
