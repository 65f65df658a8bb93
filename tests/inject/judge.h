/* judge.h: reads the records of one run as they are sent, and says what is wrong with them: a report that is not
 * complete, or a case that passed though what it judges was taken from it. */
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
    uint64_t unserved_before; /* doorbells, when it started */
    bool gone_before;         /* the device, likewise */
    /* Passed all the same: the driver had another way (memory, callbacks), or the case does not look at what was
     * lost (commands). No problem by itself. */
    char passed[300];
    char problems[AGPU_JUDGE_PROBLEMS_MAX][300];
    unsigned problem_count;
    bool (*needs_device)(const char *id);
};

/* For struct agpu_sink; ctx is the judge. */
void agpu_judge_packet(void *ctx, const char *packet, size_t length);

/* After the run: true when nothing is wrong. */
bool agpu_judge_conclude(struct agpu_judge *judge, enum agpu_result worst);

#endif
