/* report_ktap.c: ktap.txt: KTAP version 1 (Linux Documentation/dev-tools/ktap.rst), one result line per case, with
 * evidence in front of it. */
#include "tests/host/report/report_ktap.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/groups.h"
#include "tests/host/wire/run_verdict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void ktap_comment(FILE *out, const char *label, const char *text)
{
    fprintf(out, "# %s", label);
    agpu_text_write_line(out, text, strlen(text));
    putc('\n', out);
}

/* Escapes '#', which would start a directive. */
static void directive_text(FILE *out, const char *text)
{
    size_t length;

    for (; *text != '\0'; text += length) {
        length = strcspn(text, "#");
        agpu_text_write_line(out, text, length);
        if (text[length] == '#') {
            putc(' ', out);
            length++;
        }
    }
}

static void ktap_result(FILE *out, const struct agpu_report *report, size_t number,
                        const struct agpu_case_result *c)
{
    char *const *names;
    const size_t files = agpu_report_files(report, c, &names);
    enum agpu_verdict verdict = agpu_case_verdict(c);
    bool ok = verdict == AGPU_VERDICT_PASS || verdict == AGPU_VERDICT_SKIP;

    for (size_t i = 0; i < c->checks_kept; i++) {
        fputs("# ", out);
        agpu_report_check_line(out, &c->checks[i]);
        putc('\n', out);
    }
    if (c->checks_failed > c->checks_kept) {
        fprintf(out, "# and %zu more failed checks\n", c->checks_failed - c->checks_kept);
    }
    for (size_t i = 0; i < files; i++) {
        ktap_comment(out, "artifacts/", names[i]);
    }
    if (!ok && report->again != NULL) {
        fputs("# again: ", out);
        agpu_report_again(out, report, c);
        putc('\n', out);
    }
    fprintf(out, "%s %zu %s", ok ? "ok" : "not ok", number, c->id);
    char *headline = agpu_report_headline(c);
    switch (verdict) {
    case AGPU_VERDICT_SKIP:
    case AGPU_VERDICT_ERROR:
    case AGPU_VERDICT_TIMEOUT:
    case AGPU_VERDICT_CRASH:
    case AGPU_VERDICT_INTERRUPTED:
        /* KTAP has no CRASH: ERROR is the directive for a test that could not determine its result. */
        if (verdict == AGPU_VERDICT_CRASH || verdict == AGPU_VERDICT_INTERRUPTED) {
            fprintf(out, " # ERROR %s: ", agpu_verdict_name(verdict));
        } else {
            fprintf(out, " # %s ", agpu_verdict_name(verdict));
        }
        directive_text(out, headline != NULL ? headline : "");
        break;
    case AGPU_VERDICT_PASS:
    case AGPU_VERDICT_FAIL:
    case AGPU_VERDICT_COUNT:
        break;
    }
    putc('\n', out);
    free(headline);
}

static void write_not_tried(FILE *out, const struct agpu_run *run)
{
    struct agpu_case_groups groups;

    agpu_groups_of_skips(run, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        fprintf(out, "# not run%s: %zu because ", groups.items[i].first->skip_allowed ? ", acceptable" : "",
                groups.items[i].count);
        agpu_text_write_line(out, groups.items[i].reason, strlen(groups.items[i].reason));
        putc('\n', out);
    }
    agpu_groups_free(&groups);
}

bool agpu_report_ktap(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    struct agpu_counts counts = agpu_run_counts(run);
    const char *incomplete = agpu_report_incomplete(report);

    fputs("KTAP version 1\n", out);
    ktap_comment(out, "build ", run->build != NULL ? run->build : "unknown");
    ktap_comment(out, "device ", run->device != NULL ? run->device : "unknown");
    for (size_t i = 0; i < run->problem_count; i++) {
        ktap_comment(out, "", run->problems[i]);
    }
    for (size_t i = 0; i < run->choice_count; i++) {
        fputs("# choice ", out);
        agpu_text_write_line(out, run->choices[i].name, strlen(run->choices[i].name));
        fputs(": ", out);
        agpu_text_write_line(out, run->choices[i].value, strlen(run->choices[i].value));
        putc('\n', out);
    }
    write_not_tried(out, run);
    /* The plan includes the cases that never started: a reader then reports them missing. */
    fprintf(out, "1..%" PRIu64 "\n", (uint64_t)run->case_count + counts.not_run + (incomplete != NULL));
    for (size_t i = 0; i < run->case_count; i++) {
        ktap_result(out, report, i + 1, run->cases[i]);
    }
    if (incomplete != NULL) {
        fprintf(out, "not ok %" PRIu64 " " AGPU_REPORT_RUN " # ERROR ",
                (uint64_t)run->case_count + counts.not_run + 1);
        directive_text(out, incomplete);
        putc('\n', out);
    }
    fprintf(out,
            "# Totals: pass:%" PRIu64 " fail:%" PRIu64 " xfail:0 xpass:0 skip:%" PRIu64 " error:%" PRIu64
            "\n",
            counts.by_verdict[AGPU_VERDICT_PASS], counts.by_verdict[AGPU_VERDICT_FAIL],
            counts.by_verdict[AGPU_VERDICT_SKIP],
            counts.by_verdict[AGPU_VERDICT_ERROR] + counts.by_verdict[AGPU_VERDICT_TIMEOUT] +
                counts.by_verdict[AGPU_VERDICT_CRASH] + counts.by_verdict[AGPU_VERDICT_INTERRUPTED] +
                (incomplete != NULL));
    return fflush(out) == 0 && !ferror(out);
}
