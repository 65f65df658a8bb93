/* report_kcidb.c: kcidb.json: the run as KCIDB I/O, major version 5: one checkout, one build, a test for each case. */
#include "tests/host/report/report_kcidb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/host/report/html_text.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/run_verdict.h"

/* "2026-11-22T10:00:00.000000+00:00". */
static void kcidb_time(FILE *out, double unix_time)
{
    const time_t whole = (time_t)unix_time;
    char text[32] = "1970-01-01T00:00:00";
    struct tm utc;

    if (gmtime_r(&whole, &utc) != NULL) {
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    }
    fprintf(out, "\"%s.%06u+00:00\"", text, (unsigned)((unix_time - (double)whole) * 1e6) % 1000000u);
}

/* Ids and paths are plain words: of what is none, each byte becomes an underscore. */
static void kcidb_word(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        putc(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", *text) != NULL
                 ? *text
                 : '_',
             out);
    }
}

static void kcidb_id(FILE *out, const struct agpu_report *report, const char *suffix)
{
    fputs("\"agpu:", out);
    kcidb_word(out, report->run->build != NULL ? report->run->build : "unknown");
    fprintf(out, "-%.0f", report->started_at);
    if (suffix != NULL) {
        putc('.', out);
        kcidb_word(out, suffix);
    }
    putc('"', out);
}

static const char *kcidb_status(enum agpu_verdict verdict)
{
    switch (verdict) {
    case AGPU_VERDICT_PASS:
        return "PASS";
    case AGPU_VERDICT_SKIP:
        return "SKIP";
    case AGPU_VERDICT_FAIL:
    case AGPU_VERDICT_TIMEOUT:
    case AGPU_VERDICT_CRASH:
        return "FAIL";
    case AGPU_VERDICT_INTERRUPTED:
        return "MISS";
    case AGPU_VERDICT_ERROR:
    case AGPU_VERDICT_COUNT:
        break;
    }
    return "ERROR";
}

/* One test: a case, or the run as a whole. */
static void kcidb_test(FILE *out, const struct agpu_report *report, const char *id, enum agpu_verdict verdict,
                       uint64_t start_us, uint64_t duration_us, const char *message)
{
    fputs("{\"id\":", out);
    kcidb_id(out, report, id);
    fputs(",\"origin\":\"agpu\",\"build_id\":", out);
    kcidb_id(out, report, NULL);
    fputs(",\"path\":\"agpu.", out);
    kcidb_word(out, id);
    fprintf(out, "\",\"status\":\"%s\",\"duration\":%.6f,\"start_time\":", kcidb_status(verdict),
            (double)duration_us / 1e6);
    kcidb_time(out, report->started_at + (double)start_us / 1e6);
    fputs(",\"environment\":{\"comment\":", out);
    agpu_html_json_text(out, report->run->device != NULL ? report->run->device : "no device");
    fprintf(out, "},\"misc\":{\"status\":\"%s\"", agpu_verdict_name(verdict));
    if (message != NULL) {
        fputs(",\"message\":", out);
        agpu_html_json_text(out, message);
    }
    fputs("}}", out);
}

static void kcidb_case(FILE *out, const struct agpu_report *report, const struct agpu_case_result *c,
                       uint64_t first_us)
{
    const enum agpu_verdict verdict = agpu_case_verdict(c);
    char *headline = verdict != AGPU_VERDICT_PASS ? agpu_report_headline(c) : NULL;

    kcidb_test(out, report, c->id, verdict,
               c->started && c->started_us > first_us ? c->started_us - first_us : 0, c->duration_us,
               headline);
    free(headline);
}

bool agpu_report_kcidb(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    const char *incomplete = agpu_report_incomplete(report);
    uint64_t first_us = UINT64_MAX;

    fputs("{\"version\":{\"major\":5,\"minor\":0},\n\"checkouts\":[{\"id\":", out);
    kcidb_id(out, report, NULL);
    fputs(",\"origin\":\"agpu\",\"tree_name\":\"agpu\"}],\n\"builds\":[{\"id\":", out);
    kcidb_id(out, report, NULL);
    fputs(",\"checkout_id\":", out);
    kcidb_id(out, report, NULL);
    fputs(",\"origin\":\"agpu\",\"comment\":", out);
    agpu_html_json_text(out, run->build != NULL ? run->build : "unknown");
    fputs(",\"start_time\":", out);
    kcidb_time(out, report->started_at);
    fputs("}],\n\"tests\":[\n", out);
    for (size_t i = 0; i < run->case_count; i++) {
        if (run->cases[i]->started && run->cases[i]->started_us < first_us) {
            first_us = run->cases[i]->started_us;
        }
    }
    for (size_t i = 0; i < run->case_count; i++) {
        fputs(i == 0 ? "" : ",\n", out);
        kcidb_case(out, report, run->cases[i], first_us);
    }
    if (incomplete != NULL) {
        fputs(run->case_count == 0 ? "" : ",\n", out);
        kcidb_test(out, report, AGPU_REPORT_RUN, AGPU_VERDICT_ERROR, 0, 0, incomplete);
    }
    fputs("]}\n", out);
    return fflush(out) == 0 && !ferror(out);
}
