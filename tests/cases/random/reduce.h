/* reduce.h: reduces a program to a minimum that still fails: delta debugging over steps, packets, table entries,
 * then over bytes and values. */
#ifndef AGPU_CASES_RANDOM_REDUCE_H
#define AGPU_CASES_RANDOM_REDUCE_H

#include "tests/cases/random/program.h"

/* A part of a program that can be removed: internal to reduce.c. */
struct agpu_gen_part {
    uint8_t kind, gone;
    uint32_t step;
    uint32_t at, size;
};

struct agpu_gen_reduction {
    /* Returns true when the program still fails in the same way. */
    bool (*fails)(void *ctx, const struct agpu_gen_program *program);
    /* Returns true when there is no time for another try; NULL: there always is. */
    bool (*late)(void *ctx);
    void *ctx;
    uint32_t pinned; /* number of leading steps that are not removed */
    uint32_t most_tries;
    uint32_t tries;                   /* so far */
    struct agpu_gen_program *scratch; /* as large as the program */
    struct agpu_gen_part *parts;      /* parts beyond part_room stay */
    uint32_t part_room;
};

/* Reduces program, which must fail; the result fails, too. */
void agpu_gen_reduce(struct agpu_gen_reduction *reduction, struct agpu_gen_program *program);

#endif
