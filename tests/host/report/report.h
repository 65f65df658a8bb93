/* report.h: the finished run in the formats that people and tools read. */
#ifndef AGPU_HOST_REPORT_REPORT_H
#define AGPU_HOST_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/wire/collector.h"

#define AGPU_ENVIRONMENT_MAX 16

struct agpu_report {
    struct agpu_run *run; /* concluded */
    const struct agpu_collector_stats *stats;
    const struct agpu_gaps *gaps;
    double started_at; /* Unix time */
    double wall_s; /* from the start of the command (or the first packet) to the end of the last process */
    /* Each is negative where unknown. From QEMU's exec to the first record line of the image on debugcon
     * (else: on any source); from there to the first record on UDP (without one: to the plan record);
     * from QEMU's exec to the arrival of the summary record. */
    double boot_to_entry_s;
    double entry_to_first_record_s;
    double boot_to_summary_s;
    struct {
        const char *name;
        char value[256];
    } environment[AGPU_ENVIRONMENT_MAX];
    size_t environment_count;
};

/* Adds a line to the environment; empty values are left out. */
void agpu_report_environment(struct agpu_report *report, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "expected 5, actual 4" and the like; writes nothing for a check without values. The text is one line, not
 * escaped for any format. */
void agpu_report_check_line(FILE *out, const struct agpu_check *check);

/* "no record for 15.0 s" / "head == tail: expected 5, actual 4 (ring.c:12)": the first thing to know
 * about a case that did not pass. malloc'd, never empty for such a case; NULL when memory is exhausted. */
char *agpu_report_headline(const struct agpu_case_result *c);

/* False when the case has no reason, or one that only repeats its first failed check. */
bool agpu_report_has_reason(const struct agpu_case_result *c);

#endif
