/* report_html.c: report.html: the fixed parts of page/ around the run as JSON; where no script runs, a table. */
#include "tests/host/report/report_html.h"

#include <report_page.inc> /* generated: page/page.py */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/report/html_text.h"
#include "tests/host/report/known.h"
#include "tests/host/report/pictures.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/run_verdict.h"

#define COUNT(array)         (sizeof(array) / sizeof(array)[0])
#define SAMPLES_SHOWN        512u
#define write_parts(out, of) write_all(out, of, COUNT(of))

static void write_all(FILE *out, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(parts[i], out);
    }
}

static void write_pair(FILE *out, const char *key, const char *text)
{
    fprintf(out, ",\"%s\":", key);
    agpu_html_json_text(out, text);
}

static void write_number(FILE *out, const char *key, double value)
{
    if (value >= 0) {
        fprintf(out, ",\"%s\":%.9g", key, value);
    } else {
        fprintf(out, ",\"%s\":null", key);
    }
}

/* ---- without script ---- */

static void write_cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    agpu_text_write_xml(out, text);
    fputs("</td>", out);
}

static void write_plain(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    const struct agpu_counts counts = agpu_run_counts(run);

    fprintf(out,
            "<noscript><div class=\"plain\"><h1>%s: %" PRIu64 " of %" PRIu64 " planned cases, %" PRIu64
            " passed</h1><p>",
            agpu_verdict_name(run->verdict), counts.total, run->planned,
            counts.by_verdict[AGPU_VERDICT_PASS]);
    agpu_text_write_xml(out, run->device != NULL ? run->device : "no device was found");
    fputs("</p>", out);
    for (size_t i = 0; i < run->problem_count; i++) {
        fputs("<p class=\"problem\">", out);
        agpu_text_write_xml(out, run->problems[i]);
        fputs("</p>", out);
    }
    fputs("<table><thead><tr><th>status</th><th>case</th><th>time, us</th><th>why</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];
        const enum agpu_verdict verdict = agpu_case_verdict(c);
        char *headline = verdict != AGPU_VERDICT_PASS ? agpu_report_headline(c) : NULL;

        fputs("<tr>", out);
        write_cell(out, agpu_verdict_name(verdict));
        write_cell(out, c->id);
        fprintf(out, "<td>%" PRIu64 "</td>", c->duration_us);
        write_cell(out, headline != NULL ? headline : "");
        fputs("</tr>\n", out);
        free(headline);
    }
    fputs("</tbody></table></div></noscript>\n", out);
}

/* ---- data ---- */

static void write_checks(FILE *out, const struct agpu_case_result *c)
{
    fputs(",\"checks\":[", out);
    for (size_t i = 0; i < c->checks_kept; i++) {
        const struct agpu_check *check = &c->checks[i];
        const char *const texts[] = {check->expr != NULL ? check->expr : "?", check->expected, check->actual,
                                     check->note, check->file};

        fputs(i == 0 ? "[" : ",[", out);
        for (size_t k = 0; k < COUNT(texts); k++) {
            agpu_html_json_text(out, texts[k]);
            putc(',', out);
        }
        fprintf(out, "%" PRIu64 "]", check->line);
    }
    putc(']', out);
    if (c->checks_failed > c->checks_kept) {
        fprintf(out, ",\"more\":%zu", c->checks_failed - c->checks_kept);
    }
}

/* What only some cases have. */
static void write_more(FILE *out, const struct agpu_report *report, const struct agpu_case_result *c)
{
    char *const *names;
    const size_t files = agpu_report_files(report, c, &names);

    fprintf(out, ",{\"allowed\":%s", c->skip_allowed ? "true" : "false");
    const struct agpu_listed_case *known = agpu_report_known(c);
    if (known != NULL) {
        write_pair(out, "says", known->says);
        write_pair(out, "spec", known->spec);
        write_pair(out, "file", known->file);
        fprintf(out, ",\"line\":%u", known->line);
    }
    if (agpu_report_has_reason(c)) {
        write_pair(out, "reason", c->reason);
    }
    if (c->blocked_by != NULL) {
        write_pair(out, "blocked", c->blocked_by);
    }
    if (c->cause != NULL) {
        write_pair(out, "cause", c->cause);
    }
    if (c->checks_kept != 0) {
        write_checks(out, c);
    }
    if (c->log_size != 0) {
        fputs(",\"log\":", out);
        agpu_html_json_bytes(out, c->log, c->log_size);
        fprintf(out, ",\"logMore\":%zu", c->log_left_out);
    }
    if (files != 0) {
        fputs(",\"files\":[", out);
        for (size_t i = 0; i < files; i++) {
            fputs(i == 0 ? "" : ",", out);
            agpu_html_json_text(out, names[i]);
        }
        putc(']', out);
    }
    putc('}', out);
}

static void write_cases(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;

    fputs(",\"cases\":[\n", out);
    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];
        char *const *names;

        fputs(i == 0 ? "[" : ",\n[", out);
        agpu_html_json_text(out, c->id);
        fprintf(out, ",%d,%" PRIu64 ",", (int)agpu_case_verdict(c), c->duration_us);
        if (c->started) {
            fprintf(out, "%" PRIu64, c->started_us);
        } else {
            fputs("null", out);
        }
        if (agpu_report_known(c) != NULL || c->reason != NULL || c->checks_kept != 0 || c->log_size != 0 ||
            agpu_report_files(report, c, &names) != 0) {
            write_more(out, report, c);
        }
        putc(']', out);
    }
    putc(']', out);
}

static void write_not_run(FILE *out, const struct agpu_report *report)
{
    size_t count;
    const struct agpu_listed_case **items = agpu_report_not_run(report, &count);

    fputs(",\"notRunCases\":[", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "" : ",", out);
        agpu_html_json_text(out, items[i]->id);
    }
    putc(']', out);
    free(items);
}

/* The verdicts of the run to compare with. */
static void write_before(FILE *out, const struct agpu_report *report)
{
    if (report->before == NULL) {
        fputs(",\"before\":null", out);
        return;
    }
    fputs(",\"before\":{\"name\":", out);
    agpu_html_json_text(out, report->before_name);
    fputs(",\"cases\":[", out);
    for (size_t i = 0; i < report->before->case_count; i++) {
        fputs(i == 0 ? "[" : ",[", out);
        agpu_html_json_text(out, report->before->cases[i]->id);
        fprintf(out, ",%d]", (int)agpu_case_verdict(report->before->cases[i]));
    }
    fputs("]}", out);
}

static void write_metrics(FILE *out, struct agpu_run *run)
{
    fputs(",\"metrics\":[", out);
    for (size_t i = 0; i < run->metrics.count; i++) {
        struct agpu_metric *metric = &run->metrics.items[i];
        const size_t shown = metric->count < SAMPLES_SHOWN ? metric->count : SAMPLES_SHOWN;

        fputs(i == 0 ? "\n[" : ",\n[", out);
        agpu_html_json_text(out, metric->id);
        putc(',', out);
        agpu_html_json_text(out, metric->name);
        putc(',', out);
        agpu_html_json_text(out, metric->unit);
        fputs(",[", out);
        for (size_t k = 0; k < shown; k++) {
            /* In order of size, evenly thinned where there are many. */
            fprintf(
                out, "%s%.9g", k == 0 ? "" : ",",
                agpu_metric_percentile(metric, shown == 1 ? 50 : 100.0 * (double)k / (double)(shown - 1)));
        }
        fprintf(out, "],%zu]", metric->count);
    }
    putc(']', out);
}

static bool has_end(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);

    return length > tail && strcmp(name + length - tail, end) == 0;
}

/* One file as ["png", base64, size], ["text", text, size] or ["other", null, size]. */
static void write_file(FILE *out, const struct agpu_report *report, const char *name, size_t *left)
{
    const bool picture = has_end(name, ".png"), text = has_end(name, ".txt");
    /* What the page shows texel by texel itself stays out. */
    const size_t most = has_end(name, AGPU_SIDE_BY_SIDE) ? 0
                        : picture                        ? AGPU_PAGE_PICTURE_MAX
                        : text                           ? AGPU_PAGE_TEXT_MAX
                                                         : 0;
    char path[4400];
    unsigned char *bytes = NULL;
    FILE *file;
    long size = -1;

    snprintf(path, sizeof path, "%s/artifacts/%s", report->folder, name);
    file = fopen(path, "re");
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
        rewind(file);
    }
    if (size > 0 && (size_t)size <= most && (size_t)size <= *left) {
        bytes = malloc((size_t)size);
    }
    if (bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size) {
        *left -= (size_t)size;
        fprintf(out, "[\"%s\",", picture ? "png" : "text");
        if (picture) {
            agpu_html_json_base64(out, bytes, (size_t)size);
        } else {
            agpu_html_json_bytes(out, (const char *)bytes, (size_t)size);
        }
    } else {
        fputs("[\"other\",null", out);
    }
    fprintf(out, ",%ld]", size);
    free(bytes);
    if (file != NULL) {
        fclose(file);
    }
}

static void write_files(FILE *out, const struct agpu_report *report)
{
    const struct agpu_artifact_list *list = report->artifacts;
    const size_t count = list != NULL ? list->count : 0;
    bool *taken = calloc(count + 1, sizeof *taken);
    size_t left = AGPU_PAGE_FILES_MAX;
    const char *separator = "";

    fputs(",\"files\":{", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "\n" : ",\n", out);
        agpu_html_json_text(out, list->names[i]);
        putc(':', out);
        write_file(out, report, list->names[i], &left);
    }
    fputs("},\"runFiles\":[", out);
    for (size_t i = 0; i < report->run->case_count && taken != NULL; i++) {
        size_t first;
        const size_t own = count != 0 ? agpu_artifact_list_of(list, report->run->cases[i]->id, &first) : 0;

        for (size_t k = 0; k < own; k++) {
            taken[first + k] = true;
        }
    }
    for (size_t i = 0; i < count && taken != NULL; i++) {
        if (!taken[i]) {
            fputs(separator, out);
            agpu_html_json_text(out, list->names[i]);
            separator = ",";
        }
    }
    putc(']', out);
    free(taken);
}

static void write_lists(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;

    fputs(",\"problems\":[", out);
    for (size_t i = 0; i < run->problem_count; i++) {
        fputs(i == 0 ? "" : ",", out);
        agpu_html_json_text(out, run->problems[i]);
    }
    fputs("],\"restarts\":[", out);
    for (size_t i = 0; i < run->restart_count; i++) {
        fprintf(out, "%s[%u,\"%s\",", i == 0 ? "" : ",", run->restarts[i].boot,
                agpu_ending_name(run->restarts[i].ending));
        agpu_html_json_text(out, run->restarts[i].text);
        putc(',', out);
        agpu_html_json_text(out, run->restarts[i].id);
        putc(']', out);
    }
    fputs("],\"devices\":[", out);
    for (size_t i = 0; i < run->device_count; i++) {
        fputs(i == 0 ? "[" : ",[", out);
        agpu_html_json_text(out, run->devices[i]->name);
        putc(',', out);
        agpu_html_json_text(out, run->devices[i]->device);
        fprintf(out, ",\"%s\"]", agpu_verdict_name(run->devices[i]->verdict));
    }
    fputs("],\"environment\":[", out);
    for (size_t i = 0; i < report->environment_count; i++) {
        fputs(i == 0 ? "[" : ",[", out);
        agpu_html_json_text(out, report->environment[i].name);
        putc(',', out);
        agpu_html_json_text(out, report->environment[i].value);
        putc(']', out);
    }
    fputs("],\"choices\":[", out);
    for (size_t i = 0; i < run->choice_count; i++) {
        fputs(i == 0 ? "[" : ",[", out);
        agpu_html_json_text(out, run->choices[i].name);
        putc(',', out);
        agpu_html_json_text(out, run->choices[i].value);
        putc(',', out);
        agpu_html_json_text(out, run->choices[i].id);
        putc(']', out);
    }
    putc(']', out);
}

static void write_time(FILE *out, const char *separator, int64_t time_ns)
{
    if (time_ns == AGPU_TIMELINE_UNKNOWN) {
        fprintf(out, "%snull", separator);
    } else {
        fprintf(out, "%s%" PRId64, separator, time_ns);
    }
}

/* [id, play of the clocks, left out, [[fence, slot, bytes, posted, seen, taken, done], ...]] a case, in nanoseconds. */
static void write_timeline(FILE *out, const struct agpu_timeline *timeline)
{
    if (timeline == NULL) {
        fputs(",\"lanes\":null", out);
        return;
    }
    fprintf(out, ",\"lanes\":{\"device\":%s,\"leftOut\":%zu,\"cases\":[", timeline->device ? "true" : "false",
            timeline->cases_left_out);
    for (size_t i = 0; i < timeline->case_count; i++) {
        const struct agpu_timeline_case *test = &timeline->cases[i];

        fputs(i == 0 ? "\n[" : ",\n[", out);
        agpu_html_json_text(out, test->id);
        fprintf(out, ",%" PRId64 ",%zu,[", test->play_ns, test->left_out);
        for (size_t k = 0; k < test->count; k++) {
            const struct agpu_timeline_entry *entry = &timeline->entries[test->first + k];

            /* A fence may be more than a number of JavaScript's can hold. */
            fprintf(out, "%s[\"%" PRIu64 "\",%" PRIu32 ",%" PRIu32, k == 0 ? "" : ",", entry->fence,
                    entry->slot, entry->stream_bytes);
            write_time(out, ",", entry->posted);
            write_time(out, ",", entry->seen);
            write_time(out, ",", entry->taken);
            write_time(out, ",", entry->done);
            putc(']', out);
        }
        fputs("]]", out);
    }
    fputs("]}", out);
}

static void write_data(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;

    fprintf(out,
            "<script type=\"application/json\" id=\"data\">{\"verdict\":\"%s\",\"planned\":%" PRIu64
            ",\"notRun\":%" PRIu64,
            agpu_verdict_name(run->verdict), run->planned, agpu_run_counts(run).not_run);
    write_pair(out, "build", run->build);
    write_pair(out, "device", run->device);
    write_pair(out, "judged", run->judged);
    write_pair(out, "abi", run->abi);
    write_pair(out, "require", run->require);
    write_pair(out, "expect", run->expect);
    write_pair(out, "again", report->again);
    write_pair(out, "qemu", report->qemu);
    write_number(out, "started", report->started_at);
    write_number(out, "wall", report->wall_s);
    write_number(out, "bootToEntry", report->boot_to_entry_s);
    write_number(out, "entryToRecord", report->entry_to_first_record_s);
    write_lists(out, report);
    write_cases(out, report);
    write_not_run(out, report);
    write_before(out, report);
    write_metrics(out, report->run);
    write_timeline(out, report->timeline);
    write_files(out, report);
    fputs("}</script>\n", out);
}

bool agpu_report_html(FILE *out, const struct agpu_report *report)
{
    write_parts(out, page_head);
    fprintf(out, "<title>%s ", agpu_verdict_name(report->run->verdict));
    agpu_text_write_xml(out, report->run->device != NULL ? report->run->device : "");
    fputs("</title>\n</head>\n<body>\n", out);
    write_plain(out, report);
    write_parts(out, page_body);
    write_data(out, report);
    fputs("<script>", out);
    write_parts(out, page_script);
    fputs("</script>\n</body>\n</html>\n", out);
    return fflush(out) == 0 && !ferror(out);
}
