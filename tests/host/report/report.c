/* report.c: parts that all reports of a finished run share. */
#include "tests/host/report/report.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/run_verdict.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void agpu_report_environment(struct agpu_report *report, const char *name, const char *format, ...)
{
    if (report->environment_count == AGPU_ENVIRONMENT_MAX) {
        return;
    }
    char *value = report->environment[report->environment_count].value;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof report->environment[0].value, format, arguments);
    va_end(arguments);
    if (value[0] != '\0') {
        report->environment[report->environment_count++].name = name;
    }
}

const char *agpu_report_environment_of(const struct agpu_report *report, const char *name)
{
    for (size_t i = 0; i < report->environment_count; i++) {
        if (strcmp(report->environment[i].name, name) == 0) {
            return report->environment[i].value;
        }
    }
    return "";
}

const char *agpu_report_tree_path(const char *file)
{
    while (strncmp(file, "../", 3) == 0) {
        file += 3;
    }
    return file;
}

static void write_text(FILE *out, const char *text)
{
    agpu_text_write_line(out, text, strlen(text));
}

void agpu_report_check_line(FILE *out, const struct agpu_check *check)
{
    write_text(out, check->expr != NULL ? check->expr : "?");
    const char *separator = ":";
    if (check->expected != NULL) {
        fputs(": expected ", out);
        write_text(out, check->expected);
        separator = ",";
    }
    if (check->actual != NULL) {
        fprintf(out, "%s actual ", separator);
        write_text(out, check->actual);
    }
    if (check->note != NULL) {
        fputs("; ", out);
        write_text(out, check->note);
    }
    fputs(" (", out);
    write_text(out, check->file != NULL ? agpu_report_tree_path(check->file) : "?");
    fprintf(out, ":%llu)", (unsigned long long)check->line);
}

bool agpu_report_has_reason(const struct agpu_case_result *c)
{
    bool repeats = c->reason != NULL && c->checks_kept > 0 && c->checks[0].expr != NULL &&
                   strncmp(c->reason, c->checks[0].expr, strlen(c->checks[0].expr)) == 0;

    return c->reason != NULL && !repeats;
}

char *agpu_report_headline(const struct agpu_case_result *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL) {
        return NULL;
    }
    if (agpu_report_has_reason(c)) {
        write_text(out, c->reason);
    } else if (c->checks_kept > 0) {
        agpu_report_check_line(out, &c->checks[0]);
    } else {
        fprintf(out, "ended as %s without a reason", agpu_verdict_name(agpu_case_verdict(c)));
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

const char *agpu_report_incomplete(const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    const struct agpu_counts counts = agpu_run_counts(run);
    enum agpu_verdict worst = AGPU_VERDICT_PASS;

    for (size_t i = 0; i < run->case_count; i++) {
        if (agpu_case_verdict(run->cases[i]) > AGPU_VERDICT_SKIP &&
            run->cases[i]->quarantine != AGPU_QUARANTINE_KNOWN) {
            worst = agpu_verdict_worst(worst, agpu_case_verdict(run->cases[i]));
        }
    }
    if (run->ending != AGPU_ENDING_NONE) {
        return run->ending_text != NULL ? run->ending_text : agpu_ending_name(run->ending);
    }
    if (run->summary.seen && counts.not_run == 0 && counts.total > 0 && worst == run->verdict) {
        return NULL;
    }
    return run->verdict == AGPU_VERDICT_SKIP ? "passed, but cases could not be run: see the skipped cases"
           : run->problem_count != 0         ? run->problems[run->problem_count - 1]
                                             : "the run is not complete";
}

void agpu_report_missing(struct agpu_report *report, const char *name, const char *why)
{
    agpu_run_problem(report->run, "%s could not be written: %s; its output is not complete", name, why);
    report->run->verdict = agpu_verdict_worst(report->run->verdict, AGPU_VERDICT_ERROR);
}

void agpu_report_again(FILE *out, const struct agpu_report *report, const struct agpu_case_result *c)
{
    const char *place = report->again != NULL ? strstr(report->again, "{case}") : NULL;

    if (place == NULL) {
        return;
    }
    /* Ids are plain words; any other does not come from our image, and is not put into a shell command. */
    for (const char *p = c->id + c->subject; *p != '\0'; p++) {
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *p) == NULL) {
            return;
        }
    }
    fprintf(out, "%.*s--filter %s --trace calls,state,resources%s", (int)(place - report->again),
            report->again, c->id + c->subject, place + strlen("{case}"));
}

size_t agpu_report_files(const struct agpu_report *report, const struct agpu_case_result *c,
                         char *const **names)
{
    size_t first = 0;
    const size_t count =
        report->artifacts != NULL ? agpu_artifact_list_of(report->artifacts, c->id, &first) : 0;

    *names = count != 0 ? report->artifacts->names + first : NULL;
    return count;
}
