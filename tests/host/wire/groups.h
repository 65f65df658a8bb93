/* groups.h: what cases that were not tried, or that failed alike, have in common: a reader wants the hundreds
 * of consequences of one defect as one line. */
#ifndef AGPU_HOST_WIRE_GROUPS_H
#define AGPU_HOST_WIRE_GROUPS_H

#include "tests/host/wire/run_model.h"

/* Cases with the same reason. Texts belong to the run. */
struct agpu_case_group {
    const char *reason;
    size_t count;
    const struct agpu_case_result *first;
};

struct agpu_case_groups {
    struct agpu_case_group *items; /* the largest first */
    size_t count;
    size_t capacity;
};

/* SKIPs by reason: first->skip_allowed and first->blocked_by hold for the whole group. */
bool agpu_groups_of_skips(const struct agpu_run *run, struct agpu_case_groups *out);

/* Cases that are neither PASS nor SKIP, by the expression of their first failed check, or their reason; what differs
 * in its numbers only is one group. */
bool agpu_groups_of_failures(const struct agpu_run *run, struct agpu_case_groups *out);

/* What the second groups by. */
const char *agpu_failure_key(const struct agpu_case_result *c);

void agpu_groups_free(struct agpu_case_groups *groups);

/* text, cut to size, with # for each number in it, 0x1f too: what says the same but for which row, which byte, how many, is
 * one. Returns out. */
const char *agpu_without_numbers(const char *text, char *out, size_t size);

/* Skips that are not acceptable. */
uint64_t agpu_run_untried(const struct agpu_run *run);

#endif
