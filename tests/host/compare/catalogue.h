/* catalogue.h: the catalogue on two devices side by side: verdicts, choices and what was measured of each case. */
#ifndef AGPU_HOST_COMPARE_CATALOGUE_H
#define AGPU_HOST_COMPARE_CATALOGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/worker.h"

/* As many as a catalogue has cases and figures, and some. */
#define AGPU_CMP_CASE_DIFFERENCES 4000u

struct agpu_cmp_case_difference {
    const char *kind; /* "verdict", "choice", "metric", "tried" */
    char id[160];
    char values[2][200];
};

struct agpu_cmp_catalogue {
    uint32_t cases[2];
    bool broken[2];        /* the run did not end; text says how */
    char ended_in[2][160]; /* the case that ran then; "": none did */
    uint32_t not_tried[2]; /* cases of the other, since then, of which none is a difference */
    char text[2][AGPU_CMP_TEXT];
    char absurd[2][AGPU_CMP_TEXT]; /* absurd DMA that it asked for, and in which case; "": none */
    uint32_t difference_count;     /* of verdicts; of choices that both should have made alike */
    uint32_t choice_count;         /* of choices that each may make */
    uint32_t tried_count;          /* cases about what only one of them has, for information */
    uint32_t metric_count;         /* numbers that differ by more than a factor of 4: for information */
    uint32_t listed;
    struct agpu_cmp_case_difference differences[AGPU_CMP_CASE_DIFFERENCES];
};

struct agpu_cmp_catalogue_setup {
    const char *specs[2];
    bool model;         /* both are judged as our model, and have made its choices */
    bool legacy;        /* the generation of a model that says none */
    bool apart;         /* what they have is not the same: a case may be tried on one of them alone */
    const char *filter; /* NULL: all cases */
    unsigned seconds;   /* at most */
};

/* Runs program (agpu_inprocess) on both specs at the same time. False with the reason in text when it could not be started. */
bool agpu_cmp_catalogue_run(const char *program, const struct agpu_cmp_catalogue_setup *setup,
                            struct agpu_cmp_catalogue *out, char text[AGPU_CMP_TEXT]);

#endif
