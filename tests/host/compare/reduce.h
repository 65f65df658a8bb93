/* reduce.h: reduces a program to a minimum that still fails: delta debugging over steps, packets, table entries,
 * then over bytes and values. */
#ifndef AGPU_HOST_COMPARE_REDUCE_H
#define AGPU_HOST_COMPARE_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/cases/random/program.h"

/* Returns true when the program still fails in the same way. */
typedef bool agpu_cmp_fails(void *ctx, const struct agpu_gen_program *program);

struct agpu_cmp_reduction {
    agpu_cmp_fails *fails;
    void *ctx;
    uint32_t pinned; /* number of leading steps that are not removed */
    uint32_t most_tries;
    uint64_t until_ns; /* agpu_monotonic_ns() deadline; 0: none */
    uint32_t tries;    /* so far */
};

/* Reduces program, which must fail; the result fails, too. */
void agpu_cmp_reduce(struct agpu_cmp_reduction *reduction, struct agpu_gen_program *program);

/* Counts submissions and packets of a program, for reports. */
void agpu_cmp_size(const struct agpu_gen_program *program, uint32_t *submissions, uint32_t *packets);

#endif
