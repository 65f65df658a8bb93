/* report.h: what a comparison found, as text and JSON. */
#ifndef AGPU_HOST_COMPARE_REPORT_H
#define AGPU_HOST_COMPARE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/compare/catalogue.h"
#include "tests/host/compare/lockstep.h"
#include "tests/host/compare/meet.h"

struct agpu_cmp_report {
    const struct agpu_cmp_meeting *meeting;
    const struct agpu_cmp_catalogue *catalogue; /* NULL: not run */
    const struct agpu_cmp_lockstep *parts;      /* random work, part_count of them */
    size_t part_count;
    const char *command; /* that does it again */
};

/* How many differences there are, by where they were found. */
struct agpu_cmp_sums {
    uint32_t rules;     /* that a device breaks all by itself */
    uint32_t insisted;  /* choices that the user wants to be alike, and are not */
    uint32_t catalogue; /* with a run that did not end */
    uint32_t random;
    uint64_t streams;
    uint64_t untried; /* streams, since the work was stopped */
};
void agpu_cmp_report_count(const struct agpu_cmp_report *report, struct agpu_cmp_sums *sums);

/* "1 stream", "2 streams". */
void agpu_cmp_count(uint64_t count, const char *one, FILE *out);

/* Nothing differs, and both devices are alive. */
bool agpu_cmp_report_good(const struct agpu_cmp_report *report);
/* One sentence, of all that was compared. */
void agpu_cmp_report_verdict(const struct agpu_cmp_report *report, char text[AGPU_CMP_TEXT]);

/* What is known before the work begins: the devices, what they chose otherwise, what is left out for it, the rules that one
 * breaks. Then what the work found, and the verdict. */
void agpu_cmp_report_devices(const struct agpu_cmp_report *report, FILE *out);
void agpu_cmp_report_text(const struct agpu_cmp_report *report, FILE *out);
/* False when memory is exhausted or the file could not be written. */
bool agpu_cmp_report_json(const struct agpu_cmp_report *report, FILE *out);

/* Words for what is left out: areas of random work that both devices do not have, and choices that are not compared because
 * they made them otherwise. "" when there are none. */
void agpu_cmp_report_left_out(const struct agpu_cmp_report *report, char areas[AGPU_CMP_TEXT],
                              char choices[AGPU_CMP_TEXT]);

/* A program step by step, for a person. */
void agpu_cmp_program_text(const struct agpu_cmp_program *program, FILE *out);

#endif
