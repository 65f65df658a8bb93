/* left.h: what a case leaves: memory that is allocated before it and after it, but for what stays from case to case, and the
 * margins of that memory. */
#ifndef AGPU_CASES_HARNESS_LEFT_H
#define AGPU_CASES_HARNESS_LEFT_H

#include "tests/cases/harness/account.h"
#include "tests/cases/harness/fixture.h"

struct agpu_left {
    uint64_t dma_live, dma_bytes, heap_live;
};

/* Counts of the allocations that are live now. */
struct agpu_left agpu_left(const struct agpu_account *account);

/* A case that left more than it found, or less, is an ERROR. */
void agpu_left_check(struct agpu_test *test, const struct agpu_left *before, const struct agpu_left *after);

/* A device that wrote around memory which the case has given back since the last call FAILs it. */
void agpu_left_check_margins(struct agpu_test *test, struct agpu_account *account);

#endif
