/* emit.h: a program as a case of the catalogue, in C, using tests/cases/rig/steps.h. */
#ifndef AGPU_CASES_RANDOM_EMIT_H
#define AGPU_CASES_RANDOM_EMIT_H

#include "tests/cases/random/program.h"

enum agpu_gen_checked {
    AGPU_GEN_CHECK_REGISTER,
    AGPU_GEN_CHECK_PAIR, /* LO at offset, then HI */
    AGPU_GEN_CHECK_CONFIG,
    AGPU_GEN_CHECK_MEMORY,
    AGPU_GEN_CHECK_LINE,
};

/* The check at the end of a case. */
struct agpu_gen_check {
    enum agpu_gen_checked kind;
    uint32_t region; /* of memory */
    uint32_t offset, size;
    uint64_t value;       /* registers, configuration space; the line: not 0 is asserted */
    const uint8_t *bytes; /* memory: size of them, at most 16 */
};

struct agpu_gen_case {
    const char *id, *name; /* of the case; of its C function and file */
    const char *section, *sentence;
    const struct agpu_gen_program *program;
    uint32_t steps; /* number of steps that the case does */
    struct agpu_gen_check check;
    /* Returns the fence that must be complete after a doorbell, 0: unknown. */
    uint64_t (*completed)(void *ctx, uint32_t step);
    void (*line)(void *ctx, const char *text); /* gets each line of the file */
    void *ctx;
};

/* Returns why the first steps of a program cannot be a case; NULL: they can. */
const char *agpu_gen_emit_refuses(const struct agpu_gen_program *program, uint32_t steps);
/* Writes a file that compiles together with other cases. */
void agpu_gen_emit(const struct agpu_gen_case *item);

#endif
