/* judge.h: reads the records of one run as they are sent, and finds errors in them: an incomplete report, or a
 * case that passed although what it checks was removed. */
#ifndef AGPU_INJECT_JUDGE_H
#define AGPU_INJECT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/cases/harness/runner.h"

#define AGPU_JUDGE_PROBLEMS_MAX 8

struct agpu_judge {
    unsigned planned, started, ended;
    unsigned counts[AGPU_RESULT_COUNT];
    bool plan_seen, summary_seen;
    char running[100];        /* "" between cases */
    uint64_t unserved_before; /* doorbells that were not served before it started */
    bool gone_before;         /* the device was gone before it started */
    /* Cases that passed in spite of the injection: the driver had another way (memory, callbacks), or the case
     * does not check what was lost (commands). Not a problem by itself. */
    char passed[300];
    char problems[AGPU_JUDGE_PROBLEMS_MAX][300];
    unsigned problem_count;
    bool (*needs_device)(const char *id);
};

/* Callback for struct agpu_sink; ctx is the judge. */
void agpu_judge_packet(void *ctx, const char *packet, size_t length);

/* Call after the run. Returns true when there is no problem. */
bool agpu_judge_conclude(struct agpu_judge *judge, enum agpu_result worst);

#endif
