/* report.h: the findings of a comparison, as text and JSON. */
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
    uint32_t asked;      /* areas, one bit each, that the user named; 0: none */
    const char *command; /* command line that repeats it */
};

/* Numbers of differences, by where they were found. */
struct agpu_cmp_sums {
    uint32_t rules;     /* rules that a single device breaks */
    uint32_t insisted;  /* differing choices for which the user requires equality */
    uint32_t catalogue; /* including a run that did not complete */
    uint32_t random;
    uint64_t streams;
    uint64_t untried; /* streams not run because the work was stopped */
    uint32_t idle;    /* areas that the user named, one bit each, for which nothing was generated */
};
void agpu_cmp_report_count(const struct agpu_cmp_report *report, struct agpu_cmp_sums *sums);

/* "1 stream", "2 streams". */
void agpu_cmp_count(uint64_t count, const char *one, FILE *out);

/* Returns true when nothing differs, both devices are alive, and each area that the user named was tried. */
bool agpu_cmp_report_good(const struct agpu_cmp_report *report);
/* Writes one sentence about the whole comparison. */
void agpu_cmp_report_verdict(const struct agpu_cmp_report *report, char text[AGPU_CMP_TEXT]);

/* agpu_cmp_report_devices() writes what is known before the work starts: the devices, their differing choices, what
 * is left out because of them, the rules that one breaks. agpu_cmp_report_text() writes the findings and the
 * verdict. */
void agpu_cmp_report_devices(const struct agpu_cmp_report *report, FILE *out);
void agpu_cmp_report_text(const struct agpu_cmp_report *report, FILE *out);
/* Returns false when memory is exhausted or the file could not be written. */
bool agpu_cmp_report_json(const struct agpu_cmp_report *report, FILE *out);

/* Lists what is left out: areas of random work that need a property only one device has, and choices that are not
 * compared because they differ. "" when there are none. */
void agpu_cmp_report_left_out(const struct agpu_cmp_report *report, char areas[AGPU_CMP_TEXT],
                              char choices[AGPU_CMP_TEXT]);

/* Writes a program step by step, for people. */
void agpu_cmp_program_text(const struct agpu_gen_program *program, FILE *out);

#endif
