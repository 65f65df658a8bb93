/* execute.h: runs a program on a device and records what the device shows: registers, fences, interrupts, error
 * information, memory. Equal behaviour gives equal records. */
#ifndef AGPU_HOST_COMPARE_EXECUTE_H
#define AGPU_HOST_COMPARE_EXECUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/machine.h"
#include "tests/cases/random/plan.h"
#include "tests/cases/random/program.h"

/* Kinds of observations. */
enum agpu_cmp_what {
    AGPU_CMP_SAW_VALUE, /* value of a read step */
    AGPU_CMP_SAW_COMPLETED,
    AGPU_CMP_SAW_IRQ_STATUS,
    AGPU_CMP_SAW_INT_STATUS, /* legacy */
    AGPU_CMP_SAW_ERROR_CODE,
    AGPU_CMP_SAW_ERROR_FENCE,
    AGPU_CMP_SAW_ERROR_COUNT,
    AGPU_CMP_SAW_LINE,
    AGPU_CMP_SAW_HEAD, /* legacy: a register */
    AGPU_CMP_SAW_VBLANK_SEQ,
    AGPU_CMP_SAW_VBLANK_TIME,
    AGPU_CMP_SAW_ORDER,    /* data written after the fence that covers them */
    AGPU_CMP_SAW_MESSAGES, /* while MSI or MSI-X is enabled */
    AGPU_CMP_SAW_PENDING,  /* pending bit of MSI-X */
    AGPU_CMP_SAW_POWER,    /* power state, and what the function answers in it */
    AGPU_CMP_SAW_MEMORY,
    AGPU_CMP_SAWS,
};

struct agpu_cmp_observation {
    uint32_t step;
    uint32_t what; /* enum agpu_cmp_what */
    uint64_t value;
};

/* The observations of a run. list, if not NULL, receives the first `room` of them; hash covers all. */
struct agpu_cmp_trace {
    struct agpu_cmp_observation *list;
    uint32_t room;
    uint32_t count;
    uint32_t streams;   /* submissions passed to the device */
    uint32_t errors_at; /* step + 1 of the first valid submission with an error; 0: none */
    uint32_t absurd_at; /* step + 1 in which the device first requested absurd DMA; 0: none */
    uint32_t step;      /* current step, readable after the process has died */
    uint64_t hash;
};

/* Runs the program from its first step to the last (at most up_to steps), on a device in any state. */
void agpu_cmp_execute(struct agpu_cmp_machine *machine, const struct agpu_gen_common *common,
                      const struct agpu_gen_program *program, uint32_t up_to, struct agpu_cmp_trace *trace);

/* Returns "COMPLETED_FENCE", ..., and the section of the specification about it. */
const char *agpu_cmp_what_name(enum agpu_cmp_what what);
const char *agpu_cmp_what_section(enum agpu_cmp_what what);

#endif
