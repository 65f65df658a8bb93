/* catalogue.h: the catalogue on two devices side by side: verdicts, choices and what was measured of each case. */
#ifndef AGPU_HOST_COMPARE_CATALOGUE_H
#define AGPU_HOST_COMPARE_CATALOGUE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/worker.h"

#define AGPU_CMP_CASE_DIFFERENCES 400u

struct agpu_cmp_case_difference {
    const char *kind; /* "verdict", "choice", "metric" */
    char id[160];
    char values[2][200];
};

struct agpu_cmp_catalogue {
    uint32_t cases[2];
    bool broken[2]; /* the run did not end; text says how */
    char text[2][AGPU_CMP_TEXT];
    uint32_t difference_count; /* of verdicts and choices */
    uint32_t metric_count;     /* numbers that differ by more than a factor of 4: for information */
    uint32_t listed;
    struct agpu_cmp_case_difference differences[AGPU_CMP_CASE_DIFFERENCES];
};

/* Runs program (agpu_inprocess) on both specs at the same time. filter may be NULL. False with the reason in text when it
 * could not be started. */
bool agpu_cmp_catalogue_run(const char *program, const char *const specs[2], bool model, bool legacy,
                            const char *filter, unsigned seconds, struct agpu_cmp_catalogue *out,
                            char text[AGPU_CMP_TEXT]);

#endif
