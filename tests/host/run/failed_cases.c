/* failed_cases.c: the cases of an earlier run that are worth running again (failed_cases.h). */
#include "tests/host/run/failed_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "efi/protocol/cfg_limits.h"
#include "tests/host/report/replay.h"
#include "tests/host/wire/run_verdict.h"

/* The id to its given number of parts, with a star for the rest; all of it when it has no more. */
static void make_glob(const char *id, unsigned parts, char *glob, size_t size)
{
    size_t length = 0;

    for (unsigned i = 0; i < parts && id[length] != '\0'; i++) {
        length += strcspn(id + length, ".");
        length += id[length] == '.';
    }
    snprintf(glob, size, "%.*s%s", (int)length, id, id[length] != '\0' ? "*" : "");
}

/* Is text, of the given length, among the words of list that commas separate? */
static bool is_listed(const char *list, const char *text)
{
    const size_t length = strlen(text);

    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        if (strcspn(at, ",") == length && memcmp(at, text, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The failed cases by so many parts of their names, as one filter; malloc'd. */
static char *filter_by_parts(const struct agpu_run *run, unsigned parts, size_t *cases)
{
    char *text = calloc(1, 1);
    size_t size = 0;

    *cases = 0;
    for (size_t i = 0; i < run->case_count && text != NULL; i++) {
        const struct agpu_case_result *c = run->cases[i];
        char glob[AGPU_CASE_NAME_MAX + 4];

        if (agpu_case_verdict(c) <= AGPU_VERDICT_SKIP) {
            continue;
        }
        *cases += 1;
        make_glob(c->id + c->subject, parts, glob, sizeof glob);
        if (is_listed(text, glob)) {
            continue;
        }
        char *grown = realloc(text, size + strlen(glob) + 2);
        if (grown == NULL) {
            free(text);
            return NULL;
        }
        text = grown;
        size += (size_t)sprintf(text + size, "%s%s", size != 0 ? "," : "", glob);
    }
    return text;
}

static bool select_failed(struct agpu_run_options *options, const struct agpu_run *run, const char *from)
{
    size_t cases = 0;

    for (unsigned parts = 8; parts != 0; parts--) {
        char *filter = filter_by_parts(run, parts, &cases);
        const bool fits = filter != NULL && strlen(filter) <= AGPU_CONFIG_FILTER_MAX;
        bool added = false;

        if (fits && cases != 0) {
            added = agpu_run_add_filter(options, filter);
        }
        free(filter);
        if (cases == 0) {
            fprintf(stderr, "agpu run: nothing failed in %s: there is nothing to run again\n", from);
            return false;
        }
        if (fits) {
            return added;
        }
    }
    fprintf(stderr, "agpu run: the %zu failed cases of %s do not fit into one filter: give one by --filter\n",
            cases, from);
    return false;
}

bool agpu_failed_cases(struct agpu_run_options *options, const char *from)
{
    struct agpu_replay *replay = calloc(1, sizeof *replay);
    bool good = false;

    if (replay == NULL) {
        fputs("agpu run: memory is exhausted\n", stderr);
        return false;
    }
    if (agpu_replay_load(replay, from)) {
        good = select_failed(options, &replay->run, from);
    }
    agpu_replay_free(replay);
    free(replay);
    return good;
}
