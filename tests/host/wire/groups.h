/* groups.h: groups the cases that were skipped, or failed, for the same reason: one defect with hundreds of
 * consequences becomes one line. */
#ifndef AGPU_HOST_WIRE_GROUPS_H
#define AGPU_HOST_WIRE_GROUPS_H

#include "tests/host/wire/run_model.h"

/* Cases with the same reason. The run owns the texts. */
struct agpu_case_group {
    const char *reason;
    size_t number;     /* in `of` */
    const char *cause; /* the broken prerequisite that these cases found; NULL if none */
    size_t count;
    size_t blocked; /* further cases, which were skipped because of the cause */
    const struct agpu_case_result *first;
};

struct agpu_case_groups {
    struct agpu_case_group *items; /* causes first, then the largest */
    size_t count;
    size_t capacity;
    size_t *of; /* of each case of the run: the number of its group, from 1; 0: none */
};

/* Groups SKIPs by reason; skip_allowed and blocked_by of the first case apply to the whole group. */
bool agpu_groups_of_skips(const struct agpu_run *run, struct agpu_case_groups *out);

/* Groups cases that are neither PASS nor SKIP by the broken prerequisite that they found; others by the one of their
 * failed checks that most cases share, or by their reason. Texts that differ only in numbers, or in the byte of the
 * first difference, fall into one group. */
bool agpu_groups_of_failures(const struct agpu_run *run, struct agpu_case_groups *out);

/* Returns the text by which a case alone is grouped: that of its first failed check. */
const char *agpu_failure_key(const struct agpu_case_result *c);

void agpu_groups_free(struct agpu_case_groups *groups);

/* Copies text, truncated to size, and replaces each number (also 0x1f) with #, so that texts that differ only in a
 * row, a byte or a count become equal. Returns out. */
const char *agpu_without_numbers(const char *text, char *out, size_t size);

/* Returns the number of skips that are not acceptable. */
uint64_t agpu_run_untried(const struct agpu_run *run);

#endif
