/* cmd_compare_runs.c: `agpu compare-runs`: shows the differences between two runs. */
#include "tests/host/cmd_compare_runs.h"
#include "tests/host/exit_status.h"
#include "tests/host/history/compare_runs.h"
#include "tests/host/history/import.h"
#include "tests/host/history/place.h"
#include "tests/host/history/runs.h"
#include "tests/host/report/wrap.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINES 200u

static const char help[] =
    "usage: agpu compare-runs A B [OPTIONS]\n"
    "\n"
    "Prints the differences of run B from run A: cases, worse ones first. A and B are result folders, by "
    "path\n"
    "or by name in the folder of results (0012, latest), or numbers of runs as in agpu history (12).\n"
    "\n"
    "  --results DIR folder of results whose history has the numbers (default: build/results, else results)\n"
    "  --db FILE     that database\n"
    "  --metrics     also metrics that differ by more than the noise of at least 8 other runs of B's set-up "
    "in\n"
    "                that history; with fewer, or of two folders, by more than a tenth\n"
    "  --lines N     print at most N lines (default 200)\n"
    "\n"
    "Exit status: 0 no case is worse in B or missing from it; 1 one is, or a run cannot be read; 2 usage.\n";

/* Returns the number of a run in the history; 0: text is a path. Folders of runs are called 0001 and so on. */
static int64_t run_number(const char *text)
{
    char *end;
    const long long number = strtoll(text, &end, 10);

    return text[0] != '0' && end != text && *end == '\0' && number > 0 ? number : 0;
}

/* Returns the run's number in the history; 0 with a line on stderr. results: the folder of results. */
static int64_t find_run(struct agpu_history *history, const struct agpu_past_runs *runs, const char *results,
                        const char *text)
{
    /* Accepts the folder itself, the latest run in a folder of results, or a run's folder by its name there. */
    const char *const parts[][3] = {{text, "", ""}, {text, "/latest", ""}, {results, "/", text}};
    char folder[PATH_MAX];
    int64_t number = run_number(text);

    if (number != 0) {
        if (agpu_past_run_position(runs, number) < runs->count) {
            return number;
        }
        fprintf(stderr,
                "agpu compare-runs: the history %s has no run %" PRId64 "; agpu history --runs lists them\n",
                history->path, number);
        return 0;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const int length = snprintf(folder, sizeof folder, "%s%s%s", parts[i][0], parts[i][1], parts[i][2]);
        const enum agpu_imported imported =
            length < (int)sizeof folder ? agpu_history_import(history, folder, &number) : AGPU_IMPORT_NONE;

        if (imported != AGPU_IMPORT_NONE) {
            return imported == AGPU_IMPORT_FAILED ? 0 : number;
        }
    }
    fprintf(stderr, "agpu compare-runs: no results of a finished run in %s or %s/%s\n", text, results, text);
    return 0;
}

static int compare(const char *database, const char *results, const char *const names[2], size_t lines,
                   bool metrics)
{
    struct agpu_past_runs runs = {0};
    struct agpu_runs_difference difference;
    struct agpu_history history;
    int64_t numbers[2] = {0, 0};
    int status = AGPU_EXIT_FAIL;
    bool good = agpu_history_open(&history, database, AGPU_HISTORY_WAIT_MS) &&
                agpu_past_runs_load(&runs, &history, AGPU_HISTORY_RUNS_MAX, true);

    for (unsigned i = 0; i < 2 && good; i++) {
        numbers[i] = find_run(&history, &runs, results, names[i]);
        good = numbers[i] != 0;
    }
    FILE *out = agpu_wrap_open(stdout, agpu_terminal_columns(stdout));
    if (good && out != NULL &&
        agpu_history_compare_runs(out, &history, numbers[0], numbers[1], lines, metrics, &difference)) {
        status = difference.worse == 0 && difference.only_a == 0 ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
    }
    agpu_wrap_close(out, stdout);
    agpu_past_runs_free(&runs);
    agpu_history_close(&history);
    return status;
}

int agpu_cmd_compare_runs(int argc, char **argv)
{
    static const struct option known[] = {
        {"results", required_argument, NULL, 'R'}, {"db", required_argument, NULL, 'D'},
        {"lines", required_argument, NULL, 'n'},   {"metrics", no_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    const char *results = agpu_history_results(), *database = NULL;
    size_t lines = LINES;
    bool metrics = false;
    char path[PATH_MAX];

    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return AGPU_EXIT_PASS;
        }
        if (option == 'm') {
            metrics = true;
            continue;
        }
        if (option == 'R' || option == 'D') {
            *(option == 'R' ? &results : &database) = optarg;
        } else if (option == 'n' && run_number(optarg) > 0) {
            lines = (size_t)run_number(optarg);
        } else {
            if (option == 'n') {
                fputs("agpu compare-runs: --lines needs a number from 1\n", stderr);
            }
            return AGPU_EXIT_USAGE;
        }
    }
    if (optind + 2 != argc) {
        fputs("agpu compare-runs: expected two runs; see agpu compare-runs --help\n", stderr);
        return AGPU_EXIT_USAGE;
    }
    const char *const names[2] = {argv[optind], argv[optind + 1]};
    agpu_history_path(database, results, path, sizeof path);
    /* Comparing two folders needs no history, and does not change it. */
    const bool alone = run_number(names[0]) == 0 && run_number(names[1]) == 0;
    return compare(alone && database == NULL ? ":memory:" : path, results, names, lines, metrics);
}
