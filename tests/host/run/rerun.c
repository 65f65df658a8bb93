/* rerun.c: the arguments of an earlier run, and its cases that failed or did not run (rerun.h). */
#include "tests/host/run/rerun.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "efi/protocol/cfg_limits.h"
#include "tests/host/report/known.h"
#include "tests/host/run/again.h"
#include "tests/host/wire/run_verdict.h"

/* Copies the first parts of the id, with a star for the rest; the whole id when it has no more parts. */
static void make_glob(const char *id, unsigned parts, char *glob, size_t size)
{
    size_t length = 0;

    for (unsigned i = 0; i < parts && id[length] != '\0'; i++) {
        length += strcspn(id + length, ".");
        length += id[length] == '.';
    }
    snprintf(glob, size, "%.*s%s", (int)length, id, id[length] != '\0' ? "*" : "");
}

/* Returns true when text is among the comma-separated words of list. */
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

/* Joins the ids, each reduced to this many parts, into one filter; malloc'd. */
static char *filter_by_parts(const char *const *ids, size_t count, unsigned parts)
{
    char *text = calloc(1, 1);
    size_t size = 0;

    for (size_t i = 0; i < count && text != NULL; i++) {
        char glob[AGPU_CASE_NAME_MAX + 4];

        make_glob(ids[i], parts, glob, sizeof glob);
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

/* Returns the cases that did not pass and those that never started, malloc'd; NULL when none is known. A line on
 * stderr says that there are none, or how many never started and are not known. */
static const char **not_passed(const struct agpu_rerun *rerun, size_t *count)
{
    const struct agpu_run *run = &rerun->replay.run;
    const uint64_t expected = agpu_run_counts(run).not_run;
    size_t not_run = 0;
    const struct agpu_listed_case **never = agpu_report_not_run(&rerun->replay.report, &not_run);
    const char **ids = calloc(run->case_count + not_run + 1, sizeof *ids);

    *count = 0;
    for (size_t i = 0; ids != NULL && i < run->case_count; i++) {
        if (agpu_case_verdict(run->cases[i]) > AGPU_VERDICT_SKIP) {
            ids[(*count)++] = run->cases[i]->id + run->cases[i]->subject;
        }
    }
    for (size_t i = 0; ids != NULL && i < not_run; i++) {
        ids[(*count)++] = never[i]->id;
    }
    free(never);
    if (not_run != expected) {
        fprintf(stderr,
                "agpu run: %" PRIu64 " cases of %s never started, and its records do not name them: they are "
                "not run now; repeat all of that run, or choose cases with --filter\n",
                expected, rerun->from);
    } else if (*count == 0) {
        fprintf(stderr, "agpu run: no case failed in %s: there is nothing to run again\n", rerun->from);
    }
    if (*count == 0) {
        free(ids);
        ids = NULL;
    }
    return ids;
}

bool agpu_rerun_choose(const struct agpu_rerun *rerun, struct agpu_run_options *options)
{
    size_t count;
    const char **ids = not_passed(rerun, &count);
    bool fits = false, added = false;

    if (ids == NULL) {
        return false;
    }
    for (unsigned parts = 8; parts != 0 && !fits; parts--) {
        char *filter = filter_by_parts(ids, count, parts);

        fits = filter != NULL && strlen(filter) <= AGPU_CONFIG_FILTER_MAX;
        added = fits && agpu_run_add_filter(options, filter);
        free(filter);
    }
    if (!fits) {
        fprintf(stderr,
                "agpu run: the %zu cases of %s that did not pass do not fit into one filter: choose cases "
                "with --filter\n",
                count, rerun->from);
    }
    free(ids);
    return added;
}

static size_t count_words(char *const *words)
{
    size_t count = 0;

    while (words[count] != NULL) {
        count++;
    }
    return count;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Returns true when the option is among these with the same value. */
static bool is_among(const struct agpu_run_word *words, size_t count, const struct agpu_run_word *word)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i].name, word->name) == 0 && same_text(words[i].value, word->value)) {
            return true;
        }
    }
    return false;
}

/* Returns the arguments given now that are not taken from the earlier run: cases, folders, files to write, tools.
 * NULL with a line on stderr. */
static char **take_given(const struct agpu_rerun *rerun, int argc, char **argv)
{
    char **const recorded = rerun->argv;
    char **whole = NULL, **words = calloc(1, sizeof *words);
    size_t given_count = 0, had_count = 0, whole_count = 0, count = 0;
    int rest = argc, had_rest = rerun->argc;
    struct agpu_run_word *given = agpu_run_words(argc, argv, &given_count, &rest);
    struct agpu_run_word *had = agpu_run_words(rerun->argc, recorded, &had_count, &had_rest);
    bool good = words != NULL && given != NULL && had != NULL;

    for (size_t i = 0; good && i < given_count; i++) {
        const unsigned may = AGPU_AGAIN_CHOOSES | AGPU_AGAIN_WRITES | AGPU_AGAIN_TOOL;
        const bool anew = (agpu_again_kind(given[i].name) & may) != 0;
        struct agpu_run_word word = given[i];

        if (anew) {
            good = agpu_again_add(&words, &count, &word, false);
            continue;
        }
        whole_count = 0;
        good = agpu_again_add(&whole, &whole_count, &word, true);
        word.value = good && word.value != NULL && !word.joined ? whole[whole_count - 1] : word.value;
        if (good && !is_among(had, had_count, &word)) {
            fprintf(stderr,
                    "agpu run: --%s%s%s: the run of %s did not have it, and its failed cases are repeated "
                    "with the same options; leave it out, or choose cases with --filter\n",
                    word.name, word.value != NULL ? " " : "", word.value != NULL ? word.value : "",
                    rerun->from);
            good = false;
        }
        agpu_words_free(whole);
        whole = NULL;
    }
    /* Arguments for QEMU must be the same, or absent. */
    for (int i = rest; good && i < argc; i++) {
        if (argc - rest != rerun->argc - had_rest || strcmp(argv[i], recorded[had_rest + i - rest]) != 0) {
            fprintf(stderr, "agpu run: -- %s: the run of %s had other words for QEMU: leave them out\n",
                    argv[i], rerun->from);
            good = false;
        }
    }
    free(given);
    free(had);
    if (!good) {
        agpu_words_free(words);
        return NULL;
    }
    return words;
}

/* Arguments that are not options may name files relative to the directory of the earlier run. */
static bool is_the_same_place(const struct agpu_rerun *rerun, int rest)
{
    const char *was = rerun->replay.report.directory;
    char here[PATH_MAX];
    bool names_files = rest < rerun->argc;

    for (int i = 1; i < rest; i++) {
        names_files = names_files || strcmp(rerun->argv[i], "--machine") == 0;
    }
    if (!names_files || was == NULL || (getcwd(here, sizeof here) != NULL && strcmp(here, was) == 0)) {
        return true;
    }
    fprintf(stderr,
            "agpu run: the run of %s was started in %s, and its --machine or its words for QEMU may name "
            "files there: repeat it there\n",
            rerun->from, was);
    return false;
}

/* Joins "run", the arguments of the run up to its own "--", those given now, and the rest. */
static bool merge(struct agpu_rerun *rerun, char **given)
{
    const size_t all = (size_t)rerun->argc + count_words(given);
    char **merged = calloc(all + 1, sizeof *merged);
    int rest = 0;
    size_t count = 0;

    if (merged == NULL) {
        return false;
    }
    while (rest < rerun->argc && strcmp(rerun->argv[rest], "--") != 0) {
        merged[count++] = rerun->argv[rest++];
    }
    for (size_t i = 0; given[i] != NULL; i++) {
        merged[count++] = given[i];
    }
    while (rest < rerun->argc) {
        merged[count++] = rerun->argv[rest++];
    }
    free(given);
    free(rerun->argv);
    rerun->argv = merged;
    rerun->argc = (int)count;
    return true;
}

bool agpu_rerun_read(struct agpu_rerun *rerun, int argc, char **argv, const char *from)
{
    static const char none[] =
        "agpu run: no results in %s: expected the folder of a run, or its results.jsonl\n";
    struct agpu_run_word *had;
    char **given, *line;
    size_t count;
    int rest;
    bool good;

    *rerun = (struct agpu_rerun){.from = from};
    if (!agpu_replay_load(&rerun->replay, from)) {
        fprintf(stderr, none, from);
        return false;
    }
    if (rerun->replay.words == NULL) {
        fprintf(stderr,
                "agpu run: the run of %s cannot be repeated: its summary.json does not have its options, "
                "because it came over the network or from an earlier agpu\n",
                from);
        return false;
    }
    /* A complete command line of the earlier run's words. */
    count = count_words(rerun->replay.words);
    rerun->argv = calloc(count + 2, sizeof *rerun->argv);
    if (rerun->argv == NULL) {
        return false;
    }
    rerun->argv[0] = strdup("run");
    for (size_t i = 0; i < count; i++) {
        rerun->argv[i + 1] = strdup(rerun->replay.words[i]);
    }
    rerun->argc = (int)count + 1;
    had = agpu_run_words(rerun->argc, rerun->argv, &count, &rest);
    good = had != NULL && is_the_same_place(rerun, rest);
    free(had);
    given = good ? take_given(rerun, argc, argv) : NULL;
    if (given == NULL || !merge(rerun, given)) {
        return false;
    }
    line = agpu_shell_line(rerun->argv + 1);
    printf("with the options of %s: agpu run %s\n", rerun->replay.folder, line != NULL ? line : "");
    fflush(stdout);
    free(line);
    return true;
}

void agpu_rerun_free(struct agpu_rerun *rerun)
{
    agpu_replay_free(&rerun->replay);
    agpu_words_free(rerun->argv);
}
