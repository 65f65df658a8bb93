/* cases.c: the table of cases, and the selection of some of them. */
#include "tests/host/list/cases.h"
#include "tests/host/list/nearest.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases/choice/filter.h"

static const struct agpu_listed_case cases[] = {
#include <list_table.inc> /* generated: table.py */
};
#define CASES (sizeof cases / sizeof cases[0])

const struct agpu_listed_case *agpu_listed_cases(size_t *count)
{
    *count = CASES;
    return cases;
}

static const struct agpu_listed_case *sorted[CASES];

static int by_id(const void *a, const void *b)
{
    return strcmp((*(const struct agpu_listed_case *const *)a)->id,
                  (*(const struct agpu_listed_case *const *)b)->id);
}

static void sort_cases(void)
{
    for (size_t i = 0; i < CASES; i++) {
        sorted[i] = &cases[i];
    }
    qsort(sorted, CASES, sizeof sorted[0], by_id);
}

const struct agpu_listed_case *agpu_listed_case_find(const char *id)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct agpu_listed_case wanted = {.id = id}, *key = &wanted;
    const struct agpu_listed_case *const *found;

    pthread_once(&once, sort_cases);
    found = bsearch(&key, sorted, CASES, sizeof sorted[0], by_id);
    return found != NULL ? *found : NULL;
}

static bool of_kind(const struct agpu_listed_case *item, enum agpu_listed_abi abi)
{
    return !item->on_request && (abi == AGPU_LISTED_ANY || item->legacy == (abi == AGPU_LISTED_LEGACY));
}

size_t agpu_list_choose(const struct agpu_list_choice *choice,
                        void (*each)(void *ctx, const struct agpu_listed_case *item), void *ctx)
{
    size_t chosen = 0;
    unsigned place = 0;

    for (size_t i = 0; i < CASES; i++) {
        if (!of_kind(&cases[i], choice->abi) || !agpu_filter_match(choice->filter, cases[i].id) ||
            !agpu_tags_take(&choice->tags, cases[i].id) || !agpu_shard_takes(&choice->shard, place++)) {
            continue;
        }
        chosen++;
        if (each != NULL) {
            each(ctx, &cases[i]);
        }
    }
    return chosen;
}

static bool matches_any(const char *glob, enum agpu_listed_abi abi)
{
    for (size_t i = 0; i < CASES; i++) {
        if (of_kind(&cases[i], abi) && agpu_filter_match(glob, cases[i].id)) {
            return true;
        }
    }
    return false;
}

/* Offers ids, and the groups that are prefixes of them: "ring.*", "ring.reset.*". */
static void find_nearest(const char *glob, enum agpu_listed_abi abi, struct agpu_nearest *nearest)
{
    char word[160], group[160], shown[164];
    size_t length = (size_t)snprintf(word, sizeof word, "%s", glob);

    length = length < sizeof word ? length : sizeof word - 1;
    while (length > 0 && strchr("*?.", word[length - 1]) != NULL) {
        word[--length] = '\0';
    }
    const bool whole = length != 0 && strlen(glob) == length;
    for (size_t i = 0; i < CASES; i++) {
        if (!of_kind(&cases[i], abi)) {
            continue;
        }
        for (const char *dot = strchr(cases[i].id, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
            snprintf(group, sizeof group, "%.*s", (int)(dot - cases[i].id), cases[i].id);
            snprintf(shown, sizeof shown, "%s.*", group);
            agpu_nearest_add(nearest, word, group, shown);
        }
        if (whole) {
            agpu_nearest_add(nearest, word, cases[i].id, cases[i].id);
        }
    }
}

static const char *kind_of(enum agpu_listed_abi abi)
{
    return abi == AGPU_LISTED_ANY      ? ""
           : abi == AGPU_LISTED_LEGACY ? " for a legacy device"
                                       : " for a versioned device";
}

static void explain_glob(const char *glob, enum agpu_listed_abi abi, char *text, size_t size)
{
    const bool other = abi != AGPU_LISTED_ANY && matches_any(glob, AGPU_LISTED_ANY);
    struct agpu_nearest nearest = {0};
    int used;

    if (other) {
        snprintf(text, size,
                 "no case%s matches \"%s\"; the matching cases are for the other generation (--abi)",
                 kind_of(abi), glob);
        return;
    }
    find_nearest(glob, abi, &nearest);
    used = snprintf(text, size, "no case%s matches \"%s\"; the nearest:", kind_of(abi), glob);
    for (unsigned i = 0; i < nearest.count && used > 0 && (size_t)used < size; i++) {
        used += snprintf(text + used, size - (size_t)used, " %s", nearest.names[i]);
    }
}

bool agpu_list_explain(const struct agpu_list_choice *choice, char *text, size_t size)
{
    const char *at = choice->filter != NULL ? choice->filter : "";
    char *glob;

    text[0] = '\0';
    while (*(at += strspn(at, " \t,")) != '\0') {
        const size_t length = strcspn(at, " \t,");

        glob = strndup(at, length);
        const bool unwanted = glob != NULL && glob[0] == '!';
        const enum agpu_listed_abi abi = unwanted ? AGPU_LISTED_ANY : choice->abi;

        if (glob != NULL && !matches_any(glob + unwanted, abi)) {
            explain_glob(glob + unwanted, abi, text, size);
            free(glob);
            return true;
        }
        free(glob);
        at += length;
    }
    if (agpu_list_choose(choice, NULL, NULL) != 0) {
        return false;
    }
    snprintf(text, size, "no case%s matches filter, tags and shard together", kind_of(choice->abi));
    return true;
}
