/* report.h: what a comparison found, as text, JSON and an HTML fragment. */
#ifndef AGPU_HOST_COMPARE_REPORT_H
#define AGPU_HOST_COMPARE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/compare/catalogue.h"
#include "tests/host/compare/lockstep.h"

struct agpu_cmp_report {
    const char *specs[2];
    const struct agpu_cmp_probe *probes;        /* two */
    const struct agpu_cmp_catalogue *catalogue; /* NULL: not run */
    const struct agpu_cmp_lockstep *parts;      /* random work, part_count of them */
    size_t part_count;
    const char *command; /* that does it again */
    bool model;          /* choices of the model are compared */
};

/* Nothing differs, and both devices are alive. */
bool agpu_cmp_report_good(const struct agpu_cmp_report *report);

void agpu_cmp_report_text(const struct agpu_cmp_report *report, FILE *out);
/* False when memory is exhausted or the file could not be written. */
bool agpu_cmp_report_json(const struct agpu_cmp_report *report, FILE *out);
/* One <section>, to be put into a page. */
void agpu_cmp_report_html(const struct agpu_cmp_report *report, FILE *out);

/* A program step by step, for a person. */
void agpu_cmp_program_text(const struct agpu_cmp_program *program, FILE *out);

#endif
