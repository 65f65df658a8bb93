/* reduce.h: shrinks a program to the least that still fails: delta debugging over steps, packets, table entries, then over
 * bytes and values. */
#ifndef AGPU_HOST_COMPARE_REDUCE_H
#define AGPU_HOST_COMPARE_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/program.h"

/* Does the program still fail in the way that is looked for? */
typedef bool agpu_cmp_fails(void *ctx, const struct agpu_cmp_program *program);

struct agpu_cmp_reduction {
    agpu_cmp_fails *fails;
    void *ctx;
    uint32_t pinned; /* steps at the start that stay */
    uint32_t most_tries;
    uint64_t until_ns; /* agpu_monotonic_ns() at which it is enough; 0: no such time */
    uint32_t tries;    /* so far */
};

/* program fails; what is left of it does too. */
void agpu_cmp_reduce(struct agpu_cmp_reduction *reduction, struct agpu_cmp_program *program);

/* Steps and packets of a program, for reports. */
void agpu_cmp_size(const struct agpu_cmp_program *program, uint32_t *submissions, uint32_t *packets);

#endif
