/* catalogue.h: runs the catalogue on two devices, and compares verdicts, choices and metrics of each case. */
#ifndef AGPU_HOST_COMPARE_CATALOGUE_H
#define AGPU_HOST_COMPARE_CATALOGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/worker.h"

/* More than the cases and metrics of a catalogue. */
#define AGPU_CMP_CASE_DIFFERENCES 4000u

struct agpu_cmp_case_difference {
    const char *kind; /* "verdict", "choice", "metric", "tried" */
    char id[160];
    char values[2][200];
};

struct agpu_cmp_catalogue {
    uint32_t cases[2];
    bool broken[2];        /* the run did not complete; text says how */
    char ended_in[2][160]; /* the case that was running then; "": none */
    uint32_t not_tried[2]; /* later cases of the other run, which do not count as differences */
    char text[2][AGPU_CMP_TEXT];
    char absurd[2][AGPU_CMP_TEXT]; /* absurd DMA that it requested, and in which case; "": none */
    /* differing verdicts, and differing choices that both should have made alike */
    uint32_t difference_count;
    uint32_t choice_count; /* differing choices that each may make */
    uint32_t tried_count;  /* cases that only one of them can run, for information */
    uint32_t metric_count; /* numbers that differ by more than a factor of 4, for information */
    uint32_t listed;
    struct agpu_cmp_case_difference differences[AGPU_CMP_CASE_DIFFERENCES];
};

struct agpu_cmp_catalogue_setup {
    const char *specs[2];
    bool model;         /* both are checked with the expectations for our model, including its choices */
    bool legacy;        /* generation of a model whose spec does not name it */
    bool apart;         /* their properties differ: some cases can run on only one of them */
    const char *filter; /* NULL: all cases */
    unsigned seconds;   /* time limit */
};

/* Runs program (agpu_inprocess) on both specs in parallel. Returns false with the reason in text when it could not
 * be started. */
bool agpu_cmp_catalogue_run(const char *program, const struct agpu_cmp_catalogue_setup *setup,
                            struct agpu_cmp_catalogue *out, char text[AGPU_CMP_TEXT]);

#endif
