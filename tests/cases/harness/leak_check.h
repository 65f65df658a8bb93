/* leak_check.h: the leak check of a case: compares the memory allocated before and after it, and checks the redzones
 * of that memory. Allocations that stay from case to case are excluded. */
#ifndef AGPU_CASES_HARNESS_LEAK_CHECK_H
#define AGPU_CASES_HARNESS_LEAK_CHECK_H

#include "tests/cases/harness/tracker.h"
#include "tests/cases/harness/fixture.h"

struct agpu_leak_counts {
    uint64_t dma_live, dma_bytes, heap_live;
};

/* Counts of the allocations that are live now. */
struct agpu_leak_counts agpu_leak_counts(const struct agpu_tracker *tracker);

/* Makes a case an ERROR if more or less memory is allocated after it than before. */
void agpu_leak_check(struct agpu_test *test, const struct agpu_leak_counts *before,
                     const struct agpu_leak_counts *after);

/* FAILs the case if the device wrote around memory that was freed since the last call. */
void agpu_leak_check_redzones(struct agpu_test *test, struct agpu_tracker *tracker);

#endif
