/* leak_check.h: the leak check of a case: compares the memory allocated before and after it, and checks the margins of that
 * memory. Allocations that stay from case to case are excluded. */
#ifndef AGPU_CASES_HARNESS_LEAK_CHECK_H
#define AGPU_CASES_HARNESS_LEAK_CHECK_H

#include "tests/cases/harness/tracker.h"
#include "tests/cases/harness/fixture.h"

struct agpu_left {
    uint64_t dma_live, dma_bytes, heap_live;
};

/* Counts of the allocations that are live now. */
struct agpu_left agpu_left(const struct agpu_account *account);

/* Makes a case an ERROR if more or less memory is allocated after it than before. */
void agpu_left_check(struct agpu_test *test, const struct agpu_left *before, const struct agpu_left *after);

/* FAILs the case if the device wrote around memory that was freed since the last call. */
void agpu_left_check_margins(struct agpu_test *test, struct agpu_account *account);

#endif
