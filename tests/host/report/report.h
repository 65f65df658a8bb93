/* report.h: a finished run, and the parts that its reports share. */
#ifndef AGPU_HOST_REPORT_REPORT_H
#define AGPU_HOST_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/artifact_list.h"
#include "tests/host/report/timeline.h"
#include "tests/host/wire/collector.h"

#define AGPU_ENVIRONMENT_MAX 16

struct agpu_report {
    struct agpu_run *run; /* concluded */
    const struct agpu_source_stats *stats;
    const struct agpu_gaps *gaps;
    const char *folder;                         /* folder of the reports; NULL: none */
    const struct agpu_artifact_list *artifacts; /* files of that folder; NULL: none */
    const char *again;     /* the command that repeats a case, with the placeholder {case}; NULL: unknown */
    char *const *words;    /* arguments of agpu run that repeat this run, NULL at the end; NULL: unknown */
    const char *directory; /* the working directory of the run; NULL: unknown */
    const char *qemu;      /* QEMU's command line, quoted for a shell; NULL: none was started */
    const struct agpu_run *before; /* an earlier run to compare with, concluded; NULL: none */
    const char *before_name;
    const struct agpu_timeline *timeline; /* timeline of the submissions; NULL: there is no capture */
    double started_at;                    /* Unix time */
    double wall_s; /* from the start of the command (or the first packet) to the end of the last process */
    /* Durations; negative: unknown. The first is from QEMU's exec to the image's first record line on debugcon, else
     * on any source. The second is from there to the first record on UDP, else to the plan record. The third is from
     * QEMU's exec to the arrival of the summary record. */
    double boot_to_entry_s;
    double entry_to_first_record_s;
    double boot_to_summary_s;
    struct {
        const char *name;
        char value[256];
    } environment[AGPU_ENVIRONMENT_MAX];
    size_t environment_count;
};

/* Adds a line to the environment; ignores empty values. */
void agpu_report_environment(struct agpu_report *report, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns the value of a line of the environment; "": not present. */
const char *agpu_report_environment_of(const struct agpu_report *report, const char *name);

/* Writes "expected 5, actual 4" and the like; nothing for a check without values. The text is one line, not escaped
 * for any format. */
void agpu_report_check_line(FILE *out, const struct agpu_check *check);

/* Returns a source file's path relative to the tree, without the path from the build folder. */
const char *agpu_report_tree_path(const char *file);

/* Returns the most important fact about a case that did not pass: "no record for 15.0 s", or "head == tail: expected
 * 5, actual 4 (ring.c:12)". malloc'd, never empty for such a case; NULL when memory is exhausted. */
char *agpu_report_headline(const struct agpu_case_result *c);

/* Name of the pseudo-case by which reports represent the run as a whole. */
#define AGPU_REPORT_RUN "run.complete"

/* Returns why the run as a whole is not a PASS, apart from its cases; NULL: no such reason. Without it, a reader of
 * only the cases would show a run that died after three of them as green. */
const char *agpu_report_incomplete(const struct agpu_report *report);

/* A file of the run could not be written, for this reason: makes the run an ERROR at least, and adds a problem. */
void agpu_report_missing(struct agpu_report *report, const char *name, const char *why);

/* Writes the command that repeats the case with the driver's trace; nothing when it is unknown. */
void agpu_report_again(FILE *out, const struct agpu_report *report, const struct agpu_case_result *c);

/* Finds the files of the case, relative to FOLDER/artifacts/; returns how many. */
size_t agpu_report_files(const struct agpu_report *report, const struct agpu_case_result *c,
                         char *const **names);

/* Returns false when the case has no reason, or one that only repeats its first failed check. */
bool agpu_report_has_reason(const struct agpu_case_result *c);

#endif
