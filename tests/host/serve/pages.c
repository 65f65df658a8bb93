/* pages.c: the pages of `agpu serve` (pages.h). Every text of a record, a device or a path is escaped as XML. */
#include "tests/host/serve/pages.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/history/cases.h"
#include "tests/host/history/figures.h"
#include "tests/host/history/import.h"
#include "tests/host/history/page.h"
#include "tests/host/report/text.h"
#include "tests/host/serve/running.h"

#define LINES     100u
#define REFRESH_S 5u

/* Writes a path as part of a URL. */
static void write_url(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/", *text) != NULL) {
            putc(*text, out);
        } else {
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        }
    }
}

static void write_running(void *ctx, const struct agpu_running *running)
{
    FILE *out = ctx;

    fputs("<section><h2>running: ", out);
    agpu_text_write_xml(out, running->folder);
    if (running->planned == 0) {
        fputs("</h2>waiting for the image</section>\n", out);
        return;
    }
    fprintf(out,
            "</h2><progress max=\"%" PRIu64 "\" value=\"%" PRIu64 "\"></progress> case %" PRIu64
            " of %" PRIu64 ": ",
            running->planned, running->begun, running->begun, running->planned);
    agpu_text_write_xml(out, running->now);
    fputs("</section>\n", out);
}

/* Writes the run, with a link to its report if its folder still exists in the folder of results. */
static void write_run(FILE *out, const struct agpu_past_runs *runs, const struct agpu_past_run *run,
                      const char *results)
{
    const size_t length = strlen(results);
    const bool inside = strncmp(run->folder, results, length) == 0 && run->folder[length] == '/';
    char *text = NULL;
    size_t size = 0;
    FILE *words = open_memstream(&text, &size);

    if (words == NULL) {
        return;
    }
    agpu_past_run_print(words, run);
    fclose(words);
    fprintf(out, "<tr><td class=\"%s\">%s</td><td>", run->verdict == AGPU_VERDICT_PASS ? "PASS" : "bad",
            agpu_verdict_name(run->verdict));
    if (inside) {
        fputs("<a href=\"/run", out);
        write_url(out, run->folder + length);
        fputs("/report.html\">", out);
    }
    agpu_text_write_xml(out, text != NULL ? text : "");
    fprintf(out, "%s</td><td>%" PRIu64 " of %" PRIu64 " bad</td><td>", inside ? "</a>" : "", run->bad,
            run->cases);
    if (run->fault[0] != '\0') {
        fputs("<strong>device fault (deliberate):</strong> ", out);
    }
    agpu_text_write_xml(out, runs->texts[run->setup]);
    fputs("</td></tr>\n", out);
    free(text);
}

/* Opens the history and loads its runs, after importing those that have ended since. Returns false with a line on
 * stderr; close in both cases. */
static bool open_history(const struct agpu_pages *pages, struct agpu_history *history,
                         struct agpu_past_runs *runs)
{
    unsigned added;

    *runs = (struct agpu_past_runs){0};
    if (!agpu_history_open(history, pages->database, AGPU_HISTORY_WAIT_MS)) {
        return false;
    }
    if (!history->read_only) {
        agpu_history_import_all(history, pages->results, &added);
    }
    return agpu_past_runs_load(runs, history, AGPU_HISTORY_RUNS_MAX, false);
}

static void close_history(struct agpu_history *history, struct agpu_past_runs *runs)
{
    agpu_past_runs_free(runs);
    agpu_history_close(history);
}

static void write_section(FILE *out, const char *text)
{
    fputs("<section><pre>", out);
    for (const char *line = text; line != NULL && *line != '\0';
         line += strcspn(line, "\n"), line += *line == '\n') {
        char *copy = strndup(line, strcspn(line, "\n"));

        agpu_text_write_xml(out, copy != NULL ? copy : "");
        free(copy);
        putc('\n', out);
    }
    fputs("</pre></section>\n", out);
}

static void write_choice(FILE *out, const char *name, size_t count, bool current)
{
    fprintf(out, "<a href=\"/?verdict=%s\"%s>%s %zu</a>", name, current ? " aria-current=\"true\"" : "",
            name[0] != '\0' ? name : "all", count);
}

/* Writes a link per verdict, with its number of runs; only: AGPU_VERDICT_COUNT: all are shown. */
static void write_choices(FILE *out, const struct agpu_past_runs *runs, unsigned only)
{
    size_t counts[AGPU_VERDICT_COUNT] = {0};

    for (size_t i = 0; i < runs->count; i++) {
        counts[runs->items[i].verdict]++;
    }
    write_choice(out, "", runs->count, only == AGPU_VERDICT_COUNT);
    for (unsigned verdict = 0; verdict < AGPU_VERDICT_COUNT; verdict++) {
        if (counts[verdict] != 0 || verdict == only) {
            write_choice(out, agpu_verdict_name((enum agpu_verdict)verdict), counts[verdict],
                         verdict == only);
        }
    }
}

/* runs: including those with injected faults, which bad and moved exclude. */
static void write_overview(FILE *out, const struct agpu_pages *pages, const struct agpu_past_runs *runs,
                           unsigned only, uint64_t faults, const char *bad, const char *moved)
{
    char real[PATH_MAX];
    const char *results = realpath(pages->results, real) != NULL ? real : pages->results;
    size_t written = 0;

    agpu_history_page_begin(out, "AeroGPU runs", REFRESH_S);
    fputs("<nav><form action=\"/cases\"><input name=\"globs\" placeholder=\"cases: ring.*\" "
          "aria-label=\"cases\"></form>"
          "<form action=\"/metrics\"><input name=\"globs\" placeholder=\"metrics: fence.latency.*\" "
          "aria-label=\"metrics\">"
          "</form>",
          out);
    write_choices(out, runs, only);
    fputs("</nav>\n", out);
    agpu_running_each(pages->results, write_running, out);
    fprintf(out, "<section><h2>%zu runs, the last first%s</h2><table>\n", runs->count,
            faults != 0 ? "; runs of devices with a deliberate fault are not counted below" : "");
    for (size_t i = runs->count; i-- > 0 && written < AGPU_PAGE_RUNS;) {
        if (only == AGPU_VERDICT_COUNT || runs->items[i].verdict == only) {
            write_run(out, runs, &runs->items[i], results);
            written++;
        }
    }
    fputs("</table></section>\n", out);
    write_section(out, bad);
    write_section(out, moved);
    agpu_history_page_end(out);
}

bool agpu_page_overview(FILE *out, const struct agpu_pages *pages, const char *verdict)
{
    struct agpu_history history;
    struct agpu_past_runs runs, all = {0};
    char *bad = NULL, *moved = NULL;
    size_t size[2] = {0, 0}, worse = 0;
    unsigned only = 0;
    FILE *first = open_memstream(&bad, &size[0]), *second = open_memstream(&moved, &size[1]);
    bool good = open_history(pages, &history, &runs) && first != NULL && second != NULL;

    good = good && agpu_past_runs_load(&all, &history, AGPU_HISTORY_RUNS_MAX, true) &&
           agpu_history_print_bad(first, &history, &runs, AGPU_PAGE_RUNS, LINES, true) &&
           agpu_history_print_moved(second, &history, &runs, LINES, &worse);
    if (first != NULL) {
        fclose(first);
    }
    if (second != NULL) {
        fclose(second);
    }
    while (only < AGPU_VERDICT_COUNT && strcmp(agpu_verdict_name((enum agpu_verdict)only), verdict) != 0) {
        only++;
    }
    if (good) {
        write_overview(out, pages, &all, only, runs.hidden, bad, moved);
    }
    agpu_past_runs_free(&all);
    close_history(&history, &runs);
    free(bad);
    free(moved);
    return good;
}

bool agpu_page_cases(FILE *out, const struct agpu_pages *pages, const char *globs)
{
    struct agpu_history history;
    struct agpu_past_runs runs;
    char *text = NULL;
    size_t size = 0, found = 0;
    FILE *words = open_memstream(&text, &size);
    const bool good = open_history(pages, &history, &runs) && words != NULL &&
                      agpu_history_print_cases(words, &history, &runs, globs, 10 * LINES, &found);

    if (words != NULL) {
        fclose(words);
    }
    if (good) {
        agpu_history_page_begin(out, globs, 0);
        write_section(out, found != 0 ? text : "no case in the history has such a name");
        agpu_history_page_end(out);
    }
    close_history(&history, &runs);
    free(text);
    return good;
}

bool agpu_page_metrics(FILE *out, const struct agpu_pages *pages, const char *globs)
{
    struct agpu_history history;
    struct agpu_past_runs runs;
    size_t found = 0;
    bool good = open_history(pages, &history, &runs);

    if (good) {
        agpu_history_page_begin(out, globs, 0);
        good = agpu_history_plot(NULL, out, &history, &runs, globs, 80, &found);
        if (good && found == 0) {
            fputs("<p>no metric in the history has such a name</p>\n", out);
        }
        agpu_history_page_end(out);
    }
    close_history(&history, &runs);
    return good;
}
