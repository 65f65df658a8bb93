/* cmd_history.c: `agpu history`: queries past runs. */
#include "tests/host/cmd_history.h"
#include "tests/host/exit_status.h"
#include "tests/host/history/cases.h"
#include "tests/host/history/figures.h"
#include "tests/host/history/import.h"
#include "tests/host/history/place.h"
#include "tests/host/history/plot.h"
#include "tests/host/history/page.h"
#include "tests/host/output_file.h"
#include "tests/host/report/text.h"
#include "tests/host/report/wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LINES_OF_OVERVIEW 10u
#define LINES             200u
#define RUNS_OF_OVERVIEW  100u
#define NUMBER_MAX        1000000000ull

static const char help[] =
    "usage: agpu history [CASE...] [OPTIONS]\n"
    "\n"
    "Shows past runs. Every finished run in the folder of results is added to a database once, and stays in "
    "it\n"
    "after its folder is removed. Without CASE and options: the last runs, failing cases and since when, "
    "flaky\n"
    "cases, slower metrics.\n"
    "\n"
    "  CASE          a name or globs, 'ring.*,!*.many': results of these cases, latest first, and since "
    "when\n"
    "  --flaky       cases that changed between pass and fail: three times, or twice with one build\n"
    "  --metric GLOB plots of these metrics; by name, or by case and name: fence.latency.*\n"
    "  --page FILE   also write the plots as an HTML page\n"
    "  --moved       metrics that changed beyond noise: the median of the last 3 runs differs by five "
    "standard\n"
    "                deviations (from the median of deviations) and 5 % from the median of up to 50 runs "
    "before;\n"
    "                exit status 1 when one is worse\n"
    "  --differ      cases that fail on one device or machine but not on another\n"
    "  --runs        only the list of runs\n"
    "  --import DIR  also add the run, or the runs, in DIR (repeatable)\n"
    "  --results DIR the folder of results (default: build/results, else results)\n"
    "  --db FILE     the database (default: history.sqlite in the folder of results)\n"
    "  --last N      consider only the last N runs\n"
    "  --faults      include runs of devices with a deliberate fault\n"
    "  --lines N     print at most N lines of each kind\n"
    "  --keep N      delete all but the last N runs from the database, permanently\n"
    "\n"
    "Exit status: 0; 1 no such case or metric, --moved and one got worse, or the database is unusable; 2 "
    "usage.\n";

struct history_options {
    const char *globs; /* malloc'd; NULL: none */
    const char *metric;
    const char *page; /* NULL: none */
    const char *results;
    const char *database;
    char **imports; /* pointers into argv */
    size_t import_count;
    size_t last;
    size_t lines;  /* 0: the default of the query */
    uint64_t keep; /* 0: all */
    bool flaky;
    bool moved;
    bool differ;
    bool runs;
    bool faults;
};

static void print_runs(FILE *out, const struct agpu_past_runs *runs, size_t lines)
{
    for (size_t i = runs->count > lines ? runs->count - lines : 0; i < runs->count; i++) {
        const struct agpu_past_run *run = &runs->items[i];

        fprintf(out, "  %-11s ", agpu_verdict_name(run->verdict));
        agpu_past_run_print(out, run);
        fprintf(out, ", %" PRIu64 " of %" PRIu64 " bad, on ", run->bad, run->cases);
        agpu_text_write_line(out, runs->texts[run->setup], strlen(runs->texts[run->setup]));
        putc('\n', out);
    }
}

static int nothing_found(const char *what, const char *name)
{
    fprintf(stderr, "agpu history: no %s in the history is called \"%s\"\n", what, name);
    return AGPU_EXIT_FAIL;
}

/* Draws to standard output, and to the page if requested. Returns false with a line on stderr. */
static bool plot(FILE *out, const struct history_options *options, struct agpu_history *history,
                 const struct agpu_past_runs *runs, size_t *found)
{
    struct agpu_output_file page = {0};
    bool good = true;

    if (options->page != NULL) {
        good = agpu_output_open(&page, AT_FDCWD, options->page);
        if (!good) {
            fprintf(stderr, "agpu history: cannot write %s: %s\n", options->page, strerror(errno));
            return false;
        }
        agpu_history_page_begin(page.stream, options->metric, 0);
    }
    good =
        agpu_history_plot(out, page.stream, history, runs, options->metric, agpu_plot_columns(stdout), found);
    if (page.stream != NULL && (!good || *found == 0)) {
        agpu_output_discard(&page);
    } else if (page.stream != NULL && (!agpu_history_page_end(page.stream) || !agpu_output_commit(&page))) {
        fprintf(stderr, "agpu history: cannot write %s: %s\n", options->page, strerror(errno));
        agpu_output_discard(&page);
        good = false;
    }
    return good;
}

/* Answers the query from the loaded runs. */
static int answer(FILE *out, const struct history_options *options, struct agpu_history *history,
                  const struct agpu_past_runs *runs)
{
    const bool overview = options->globs == NULL && options->metric == NULL && !options->flaky &&
                          !options->moved && !options->differ && !options->runs;
    const size_t lines = options->lines != 0 ? options->lines : overview ? LINES_OF_OVERVIEW : LINES;
    const size_t window = overview ? RUNS_OF_OVERVIEW : AGPU_HISTORY_RUNS_MAX;
    size_t found = 0;

    if (runs->hidden != 0) {
        fprintf(
            out,
            "%" PRIu64
            " runs of devices with a deliberate fault (--fault) are not among these: --faults shows them\n",
            runs->hidden);
    }
    if (runs->count == 0) {
        fprintf(out, "the history %s has no%s runs yet\n", history->path, runs->hidden != 0 ? " other" : "");
        return options->globs != NULL || options->metric != NULL ? AGPU_EXIT_FAIL : AGPU_EXIT_PASS;
    }
    if (overview || options->runs) {
        fprintf(out, "%zu runs, the last ones:\n", runs->count);
        print_runs(out, runs, lines);
    }
    if (options->globs != NULL) {
        if (!agpu_history_print_cases(out, history, runs, options->globs, lines, &found)) {
            return AGPU_EXIT_FAIL;
        }
        if (found == 0) {
            return nothing_found("case", options->globs);
        }
    }
    if (options->metric != NULL) {
        if (!plot(out, options, history, runs, &found)) {
            return AGPU_EXIT_FAIL;
        }
        if (found == 0) {
            return nothing_found("metric", options->metric);
        }
    }
    if (((overview || options->flaky) &&
         !agpu_history_print_bad(out, history, runs, window, lines, overview)) ||
        (options->differ && !agpu_history_print_differing(out, history, runs, lines)) ||
        ((overview || options->moved) && !agpu_history_print_moved(out, history, runs, lines, &found))) {
        return AGPU_EXIT_FAIL;
    }
    return options->moved && found != 0 ? AGPU_EXIT_FAIL : AGPU_EXIT_PASS;
}

/* Imports new runs. Returns false with a line on stderr when there is no history. Reports a run that cannot be
 * imported, and continues with the others. */
static bool take_in(const struct history_options *options, struct agpu_history *history)
{
    struct stat status;
    unsigned added;

    if (options->keep != 0 && !agpu_history_keep(history, options->keep)) {
        return false;
    }
    if (stat(options->results, &status) == 0 && !history->read_only) {
        agpu_history_import_all(history, options->results, &added);
    }
    for (size_t i = 0; i < options->import_count; i++) {
        if (!agpu_history_import_all(history, options->imports[i], &added)) {
            return false;
        }
        printf("%u runs taken in from %s\n", added, options->imports[i]);
    }
    return true;
}

/* Checks the folder of results, where the database is without --db. Returns false with a line on stderr. */
static bool has_results(const struct history_options *options)
{
    struct stat status;

    if (options->database != NULL || stat(options->results, &status) == 0) {
        return true;
    }
    fprintf(stderr,
            "agpu history: no results directory %s: agpu run makes one, --results DIR names another\n",
            options->results);
    return false;
}

static bool take_number(const char *name, const char *text, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || *number == 0 || *number > NUMBER_MAX) {
        fprintf(stderr, "agpu history: --%s needs a number from 1 to %llu, not \"%s\"\n", name, NUMBER_MAX,
                text);
        return false;
    }
    return true;
}

/* Joins all arguments after the options to one list of globs, malloc'd. */
static char *join(char **words, int count)
{
    size_t size = 1;

    for (int i = 0; i < count; i++) {
        size += strlen(words[i]) + 1;
    }
    char *text = malloc(size);
    if (text != NULL) {
        text[0] = '\0';
        for (int i = 0; i < count; i++) {
            strcat(text, i != 0 ? "," : "");
            strcat(text, words[i]);
        }
    }
    return text;
}

/* Returns -1 to continue, else the exit status. */
static int parse(int argc, char **argv, struct history_options *options)
{
    static const struct option known[] = {{"flaky", no_argument, NULL, 'f'},
                                          {"metric", required_argument, NULL, 'm'},
                                          {"moved", no_argument, NULL, 'v'},
                                          {"differ", no_argument, NULL, 'd'},
                                          {"runs", no_argument, NULL, 'r'},
                                          {"import", required_argument, NULL, 'i'},
                                          {"results", required_argument, NULL, 'R'},
                                          {"db", required_argument, NULL, 'D'},
                                          {"last", required_argument, NULL, 'l'},
                                          {"faults", no_argument, NULL, 'F'},
                                          {"lines", required_argument, NULL, 'n'},
                                          {"keep", required_argument, NULL, 'k'},
                                          {"page", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    uint64_t number;

    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (option) {
        case 'h':
            fputs(help, stdout);
            return AGPU_EXIT_PASS;
        case 'f':
            options->flaky = true;
            break;
        case 'm':
            options->metric = optarg;
            break;
        case 'p':
            options->page = optarg;
            break;
        case 'v':
            options->moved = true;
            break;
        case 'd':
            options->differ = true;
            break;
        case 'r':
            options->runs = true;
            break;
        case 'i':
            options->imports[options->import_count++] = optarg;
            break;
        case 'R':
            options->results = optarg;
            break;
        case 'D':
            options->database = optarg;
            break;
        case 'F':
            options->faults = true;
            break;
        case 'l':
        case 'n':
        case 'k':
            if (!take_number(option == 'l' ? "last" : option == 'n' ? "lines" : "keep", optarg, &number)) {
                return AGPU_EXIT_USAGE;
            }
            if (option == 'k') {
                options->keep = number;
            } else {
                *(option == 'l' ? &options->last : &options->lines) = (size_t)number;
            }
            break;
        default:
            return AGPU_EXIT_USAGE;
        }
    }
    if (options->page != NULL && options->metric == NULL) {
        fputs("agpu history: --page is about metrics: name them with --metric GLOB\n", stderr);
        return AGPU_EXIT_USAGE;
    }
    return -1;
}

int agpu_cmd_history(int argc, char **argv)
{
    struct history_options options = {.results = agpu_history_results(), .last = AGPU_HISTORY_RUNS_MAX};
    struct agpu_past_runs runs = {0};
    struct agpu_history history = {0};
    char path[4096];
    char *globs = NULL;

    options.imports = calloc((size_t)argc + 1, sizeof *options.imports);
    if (options.imports == NULL) {
        fputs("agpu history: memory is exhausted\n", stderr);
        return AGPU_EXIT_FAIL;
    }
    int status = parse(argc, argv, &options);
    if (status == -1) {
        globs = optind < argc ? join(argv + optind, argc - optind) : NULL;
        options.globs = globs;
        agpu_history_path(options.database, options.results, path, sizeof path);
        const bool good = has_results(&options) && agpu_history_open(&history, path, AGPU_HISTORY_WAIT_MS) &&
                          take_in(&options, &history) &&
                          agpu_past_runs_load(&runs, &history, options.last, options.faults);
        FILE *out = agpu_wrap_open(stdout, agpu_terminal_columns(stdout));
        status = good && out != NULL ? answer(out, &options, &history, &runs) : AGPU_EXIT_FAIL;
        agpu_wrap_close(out, stdout);
        agpu_past_runs_free(&runs);
        agpu_history_close(&history);
    }
    free(globs);
    free(options.imports);
    return status;
}
