/* report_junit.c: junit.xml: a suite for each subject, a test case for each case, and the suite "run" for the run as
 * a whole. */
#include "tests/host/report/report_junit.h"
#include "tests/host/report/known.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/run_verdict.h"
#include "tests/host/wire/tally.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The subject is the part before the first dot of an id, with the device in front if there are several. */
static size_t subject_length(const struct agpu_case_result *c)
{
    return c->subject + strcspn(c->id + c->subject, ".");
}

struct tally {
    size_t tests, failures, errors, skipped;
    double seconds;
};

static void tally_case(struct tally *t, const struct agpu_case_result *c)
{
    enum agpu_verdict verdict = agpu_case_verdict(c);

    t->tests++;
    t->failures += verdict == AGPU_VERDICT_FAIL;
    t->skipped += verdict == AGPU_VERDICT_SKIP;
    t->errors += verdict > AGPU_VERDICT_SKIP && verdict != AGPU_VERDICT_FAIL;
    t->seconds += (double)c->duration_us / 1e6;
}

static void junit_counts(FILE *out, const struct tally *t)
{
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\"", t->tests,
            t->failures, t->errors, t->skipped, t->seconds);
}

/* Writes text of a record. Readers take a line "[[ATTACHMENT|/etc/passwd]]" as the name of a file to collect, and
 * [[PROPERTY|...]] as a property: only write_attachments() may write one. */
static void write_foreign(FILE *out, const char *text)
{
    char *copy = strdup(text);

    for (char *mark = copy; mark != NULL && (mark = strstr(mark, "[[")) != NULL; mark++) {
        mark[1] = '(';
    }
    agpu_text_write_xml(out, copy != NULL ? copy : "");
    free(copy);
}

static void write_headline(FILE *out, const struct agpu_case_result *c)
{
    char *headline = agpu_report_headline(c);

    fputs(" message=\"", out);
    write_foreign(out, headline != NULL ? headline : "");
    fputs("\"", out);
    free(headline);
}

/* Writes every failed check on its own line; escaped as a whole because the check writer does not know the format. */
static void junit_evidence(FILE *out, const struct agpu_case_result *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *lines = open_memstream(&text, &size);

    if (lines == NULL) {
        return;
    }
    for (size_t i = 0; i < c->checks_kept; i++) {
        agpu_report_check_line(lines, &c->checks[i]);
        putc('\n', lines);
    }
    if (c->checks_failed > c->checks_kept) {
        fprintf(lines, "and %zu more failed checks\n", c->checks_failed - c->checks_kept);
    }
    if (fclose(lines) == 0) {
        write_foreign(out, text);
    }
    free(text);
}

/* Writes the command that repeats it, in the body of the failure. */
static void junit_again(FILE *out, const struct agpu_report *report, const struct agpu_case_result *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = report->again != NULL ? open_memstream(&text, &size) : NULL;

    if (line == NULL) {
        return;
    }
    agpu_report_again(line, report, c);
    if (fclose(line) == 0 && size != 0) {
        fputs("again: ", out);
        agpu_text_write_xml(out, text);
        putc('\n', out);
    }
    free(text);
}

/* Escapes bytes that XML cannot represent, line by line. */
static void write_log(FILE *out, const struct agpu_case_result *c)
{
    for (size_t at = 0; at < c->log_size;) {
        const char *line = c->log + at;
        size_t length = (size_t)((const char *)memchr(line, '\n', c->log_size - at) - line);
        char *copy = strndup(line, length);

        write_foreign(out, copy != NULL ? copy : "");
        putc('\n', out);
        free(copy);
        at += length + 1;
    }
    if (c->log_left_out > 0) {
        fprintf(out, "and %zu more log records, in results.jsonl\n", c->log_left_out);
    }
}

static void write_verdict(FILE *out, const struct agpu_report *report, const struct agpu_case_result *c,
                          enum agpu_verdict verdict)
{
    const char *element = verdict == AGPU_VERDICT_SKIP   ? "skipped"
                          : verdict == AGPU_VERDICT_FAIL ? "failure"
                                                         : "error";

    fprintf(out, "      <%s", element);
    if (verdict != AGPU_VERDICT_SKIP) {
        fprintf(out, " type=\"%s\"", agpu_verdict_name(verdict));
    }
    write_headline(out, c);
    if (c->checks_kept > 0) {
        fputs(">", out);
        junit_evidence(out, c);
        if (verdict != AGPU_VERDICT_SKIP) {
            junit_again(out, report, c);
        }
        fprintf(out, "</%s>\n", element);
    } else {
        fputs("/>\n", out);
    }
}

/* Writes attachments in the form that GitLab and Jenkins (JUnit Attachments) read: a path relative to the working
 * directory, if it lies below. */
static void write_attachments(FILE *out, const struct agpu_report *report, char *const *names, size_t count)
{
    char here[PATH_MAX];
    const char *folder = report->folder != NULL ? report->folder : ".";
    const size_t length = getcwd(here, sizeof here) != NULL ? strlen(here) : 0;

    if (length != 0 && strncmp(folder, here, length) == 0 && folder[length] == '/') {
        folder += length + 1;
    }
    for (size_t i = 0; i < count; i++) {
        fputs("[[ATTACHMENT|", out);
        agpu_text_write_xml(out, folder);
        fputs("/artifacts/", out);
        agpu_text_write_xml(out, names[i]);
        fputs("]]\n", out);
    }
}

/* Writes the location of the case, for readers that link it. */
static void write_place(FILE *out, const struct agpu_listed_case *known)
{
    if (known != NULL) {
        fputs(" file=\"", out);
        agpu_text_write_xml(out, known->file);
        fprintf(out, "\" line=\"%u\"", known->line);
    }
}

/* Writes a suite of the cases that the run did not reach: a reader that only counts cases must not miss them. */
static void write_not_run(FILE *out, const struct agpu_report *report, const struct agpu_listed_case **items,
                          size_t count, const char *timestamp)
{
    const char *why = report->run->ending_text != NULL ? report->run->ending_text : "the run ended before it";
    const struct tally t = {.tests = count, .skipped = count};

    if (count == 0) {
        return;
    }
    fprintf(out, "  <testsuite name=\"not run\" timestamp=\"%s\"", timestamp);
    junit_counts(out, &t);
    fputs(">\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "    <testcase classname=\"%.*s\" name=\"%s\"", (int)strcspn(items[i]->id, "."),
                items[i]->id, items[i]->id);
        write_place(out, items[i]);
        fputs(" time=\"0\">\n      <skipped message=\"not run: ", out);
        agpu_text_write_xml(out, why);
        fputs("\"/>\n    </testcase>\n", out);
    }
    fputs("  </testsuite>\n", out);
}

static void write_case(FILE *out, const struct agpu_report *report, const struct agpu_case_result *c)
{
    char *const *names;
    const size_t files = agpu_report_files(report, c, &names);
    enum agpu_verdict verdict = agpu_case_verdict(c);

    fprintf(out, "    <testcase classname=\"");
    char subject[AGPU_CASE_NAME_MAX + 1];
    snprintf(subject, sizeof subject, "%.*s", (int)subject_length(c), c->id);
    agpu_text_write_xml(out, subject);
    fputs("\" name=\"", out);
    agpu_text_write_xml(out, c->id);
    putc('"', out);
    write_place(out, agpu_report_known(c));
    fprintf(out, " time=\"%.6f\"", (double)c->duration_us / 1e6);
    if (verdict == AGPU_VERDICT_PASS && !c->log_size && !files) {
        fputs("/>\n", out);
        return;
    }
    fputs(">\n", out);
    if (verdict != AGPU_VERDICT_PASS) {
        write_verdict(out, report, c, verdict);
    }
    if (c->log_size || files) {
        fputs("      <system-out>", out);
        write_attachments(out, report, names, files);
        write_log(out, c);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

/* A case and its suite. */
struct catalogue_place {
    size_t suite;
    size_t position; /* in the run */
    const struct agpu_case_result *c;
};

static int by_suite(const void *a, const void *b)
{
    const struct catalogue_place *x = a;
    const struct catalogue_place *y = b;

    if (x->suite != y->suite) {
        return x->suite < y->suite ? -1 : 1;
    }
    return (x->position > y->position) - (x->position < y->position);
}

/* Returns the cases grouped by subject, subjects and cases in the order of the run; malloc'd, NULL when memory is
 * exhausted. */
static struct catalogue_place *sort_cases(const struct agpu_run *run)
{
    struct catalogue_place *places = calloc(run->case_count + 1, sizeof *places);
    struct agpu_tally subjects = {0};
    bool good = places != NULL;

    for (size_t i = 0; i < run->case_count && good; i++) {
        char subject[AGPU_CASE_NAME_MAX + 1];
        const struct agpu_tally_entry *entry;

        snprintf(subject, sizeof subject, "%.*s", (int)subject_length(run->cases[i]), run->cases[i]->id);
        entry = agpu_tally_of(&subjects, subject, false);
        good = entry != NULL;
        places[i] = (struct catalogue_place){entry != NULL ? entry->number : 0, i, run->cases[i]};
    }
    agpu_tally_free(&subjects);
    if (!good) {
        free(places);
        return NULL;
    }
    qsort(places, run->case_count, sizeof *places, by_suite);
    return places;
}

/* Writes the suite that starts at the first of these places; returns how many are in it. */
static size_t write_suite(FILE *out, const struct agpu_report *report, const struct catalogue_place *places,
                          size_t count, const char *timestamp)
{
    const struct agpu_case_result *head = places[0].c;
    struct tally t = {0};
    size_t size;

    for (size = 0; size < count && places[size].suite == places[0].suite; size++) {
        tally_case(&t, places[size].c);
    }
    char subject[AGPU_CASE_NAME_MAX + 1];
    snprintf(subject, sizeof subject, "%.*s", (int)subject_length(head), head->id);
    fputs("  <testsuite name=\"", out);
    agpu_text_write_xml(out, subject);
    fprintf(out, "\" timestamp=\"%s\"", timestamp);
    junit_counts(out, &t);
    fputs(">\n", out);
    for (size_t i = 0; i < size; i++) {
        write_case(out, report, places[i].c);
    }
    fputs("  </testsuite>\n", out);
    return size;
}

static void write_property(FILE *out, const char *prefix, const char *name, const char *value)
{
    fprintf(out, "      <property name=\"%s", prefix);
    agpu_text_write_xml(out, name);
    fputs("\" value=\"", out);
    agpu_text_write_xml(out, value != NULL ? value : "");
    fputs("\"/>\n", out);
}

/* Writes the tested device, and its choices where the specification allows alternatives. */
static void write_properties(FILE *out, const struct agpu_run *run)
{
    fputs("    <properties>\n", out);
    write_property(out, "", "build", run->build);
    write_property(out, "", "device", run->device);
    for (size_t i = 0; i < run->device_count; i++) {
        write_property(out, "verdict.", run->devices[i]->name, agpu_verdict_name(run->devices[i]->verdict));
    }
    if (run->judged != NULL) {
        write_property(out, "judged.", "device", run->judged);
        write_property(out, "judged.", "abi", run->abi);
        write_property(out, "judged.", "require", run->require);
        write_property(out, "judged.", "expect", run->expect);
    }
    for (size_t i = 0; i < run->choice_count; i++) {
        write_property(out, "choice.", run->choices[i].name, run->choices[i].value);
    }
    fputs("    </properties>\n", out);
}

static void write_run_suite(FILE *out, const struct agpu_report *report, const char *timestamp)
{
    const struct agpu_run *run = report->run;
    const char *incomplete = agpu_report_incomplete(report);
    struct tally t = {.tests = 1, .errors = incomplete != NULL};

    fprintf(out, "  <testsuite name=\"run\" timestamp=\"%s\"", timestamp);
    junit_counts(out, &t);
    fputs(">\n", out);
    write_properties(out, run);
    fputs("    <testcase classname=\"run\" name=\"" AGPU_REPORT_RUN "\" time=\"0\">\n", out);
    if (incomplete != NULL) {
        fprintf(out, "      <error type=\"%s\" message=\"", agpu_verdict_name(run->verdict));
        agpu_text_write_xml(out, incomplete);
        fputs("\"/>\n", out);
    }
    if (run->problem_count > 0) {
        fputs("      <system-err>", out);
        for (size_t i = 0; i < run->problem_count; i++) {
            write_foreign(out, run->problems[i]);
            putc('\n', out);
        }
        fputs("</system-err>\n", out);
    }
    fputs("    </testcase>\n  </testsuite>\n", out);
}

bool agpu_report_junit(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    size_t not_run;
    const struct agpu_listed_case **items = agpu_report_not_run(report, &not_run);
    struct tally all = {
        .tests = 1 + not_run, .errors = agpu_report_incomplete(report) != NULL, .skipped = not_run};

    for (size_t i = 0; i < run->case_count; i++) {
        tally_case(&all, run->cases[i]);
    }
    char timestamp[32] = "";
    time_t started = (time_t)report->started_at;
    struct tm utc;
    if (gmtime_r(&started, &utc) != NULL) {
        strftime(timestamp, sizeof timestamp, "%Y-%m-%dT%H:%M:%S", &utc);
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"agpu\"", out);
    junit_counts(out, &all);
    fputs(">\n", out);
    write_run_suite(out, report, timestamp);
    struct catalogue_place *places = sort_cases(run);
    for (size_t i = 0; places != NULL && i < run->case_count;) {
        i += write_suite(out, report, &places[i], run->case_count - i, timestamp);
    }
    write_not_run(out, report, items, not_run, timestamp);
    free(items);
    fputs("</testsuites>\n", out);
    const bool good = places != NULL;
    free(places);
    return good && fflush(out) == 0 && !ferror(out);
}
