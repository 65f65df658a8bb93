/* report_tap.c: tap.txt: TAP version 14 (testanything.org), a test point a case, its evidence as a YAML block. */
#include "tests/host/report/report_tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/report/html_text.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/run_verdict.h"

/* A JSON string is a YAML one. */
static void tap_field(FILE *out, const char *name, const char *text)
{
    if (text != NULL) {
        fprintf(out, "  %s: ", name);
        agpu_html_json_text(out, text);
        putc('\n', out);
    }
}

static void tap_checks(FILE *out, const struct agpu_case_result *c)
{
    if (c->checks_kept == 0) {
        return;
    }
    fputs("  checks:\n", out);
    for (size_t i = 0; i < c->checks_kept; i++) {
        const struct agpu_check *check = &c->checks[i];

        fputs("  - expr: ", out);
        agpu_html_json_text(out, check->expr != NULL ? check->expr : "?");
        putc('\n', out);
        if (check->expected != NULL) {
            fputs("    expected: ", out);
            agpu_html_json_text(out, check->expected);
            putc('\n', out);
        }
        if (check->actual != NULL) {
            fputs("    actual: ", out);
            agpu_html_json_text(out, check->actual);
            putc('\n', out);
        }
        fputs("    at: ", out);
        agpu_html_json_text(out, check->file != NULL ? agpu_report_tree_path(check->file) : "?");
        fprintf(out, "\n    line: %" PRIu64 "\n", check->line);
    }
}

static void tap_block(FILE *out, const struct agpu_report *report, const struct agpu_case_result *c)
{
    char *const *names;
    const size_t files = agpu_report_files(report, c, &names);
    char *headline = agpu_report_headline(c);

    fputs("  ---\n", out);
    tap_field(out, "status", agpu_verdict_name(agpu_case_verdict(c)));
    tap_field(out, "message", headline);
    fprintf(out, "  duration_ms: %.3f\n", (double)c->duration_us / 1000);
    tap_checks(out, c);
    if (files != 0) {
        fputs("  files:\n", out);
    }
    for (size_t i = 0; i < files; i++) {
        fputs("  - ", out);
        agpu_html_json_text(out, names[i]);
        putc('\n', out);
    }
    fputs("  ...\n", out);
    free(headline);
}

static void tap_words(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '#' || *text == '\\') {
            putc('\\', out); /* else it would begin a directive, or an escape */
        }
        agpu_text_write_line(out, text, 1);
    }
}

static void tap_point(FILE *out, const struct agpu_report *report, size_t number,
                      const struct agpu_case_result *c)
{
    const enum agpu_verdict verdict = agpu_case_verdict(c);

    fprintf(out, "%s %zu - ", verdict <= AGPU_VERDICT_SKIP ? "ok" : "not ok", number);
    tap_words(out, c->id);
    if (verdict == AGPU_VERDICT_SKIP) {
        fputs(" # SKIP ", out);
        tap_words(out, c->reason != NULL ? c->reason : "no reason");
    }
    putc('\n', out);
    if (verdict > AGPU_VERDICT_SKIP) {
        tap_block(out, report, c);
    }
}

bool agpu_report_tap(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    const uint64_t cases = (uint64_t)run->case_count + agpu_run_counts(run).not_run;
    const char *incomplete = agpu_report_incomplete(report);

    fprintf(out, "TAP version 14\n1..%" PRIu64 "\n", cases + (incomplete != NULL));
    for (size_t i = 0; i < run->case_count; i++) {
        tap_point(out, report, i + 1, run->cases[i]);
    }
    if (incomplete != NULL) {
        fprintf(out, "not ok %" PRIu64 " - " AGPU_REPORT_RUN ": ", cases + 1);
        tap_words(out, incomplete);
        putc('\n', out);
    }
    if (run->ending != AGPU_ENDING_NONE) {
        fputs("Bail out! ", out);
        tap_words(out, run->ending_text != NULL ? run->ending_text : agpu_ending_name(run->ending));
        putc('\n', out);
    }
    return fflush(out) == 0 && !ferror(out);
}
