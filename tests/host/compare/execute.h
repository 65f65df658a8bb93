/* execute.h: runs a program on a device and notes what the device shows: registers, fences, interrupts, error information,
 * memory. Two devices that do the same note the same. */
#ifndef AGPU_HOST_COMPARE_EXECUTE_H
#define AGPU_HOST_COMPARE_EXECUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/machine.h"
#include "tests/host/compare/plan.h"
#include "tests/host/compare/program.h"

/* What was seen. */
enum agpu_cmp_what {
    AGPU_CMP_SAW_VALUE, /* of a read that is a step */
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
    AGPU_CMP_SAW_ORDER,    /* data written behind the fence that covers them */
    AGPU_CMP_SAW_MESSAGES, /* while MSI or MSI-X is enabled */
    AGPU_CMP_SAW_PENDING,  /* of MSI-X */
    AGPU_CMP_SAW_POWER,    /* state, and what the function answers in it */
    AGPU_CMP_SAW_MEMORY,
    AGPU_CMP_SAWS,
};

struct agpu_cmp_observation {
    uint32_t step;
    uint32_t what; /* enum agpu_cmp_what */
    uint64_t value;
};

/* What a run showed. list, when it is not NULL, takes the first room of them; hash is of all. */
struct agpu_cmp_trace {
    struct agpu_cmp_observation *list;
    uint32_t room;
    uint32_t count;
    uint32_t streams;   /* submissions that the device was given */
    uint32_t errors_at; /* step + 1 of the first valid submission with an error; 0: none */
    uint32_t absurd_at; /* step + 1 in which the device first asked for absurd DMA; 0: it did not */
    uint32_t step;      /* in progress: for whoever sees the process die */
    uint64_t hash;
};

/* Runs the program from its first step to the last (up_to: at most so many), on a device in whatever state. */
void agpu_cmp_execute(struct agpu_cmp_machine *machine, const struct agpu_cmp_common *common,
                      const struct agpu_cmp_program *program, uint32_t up_to, struct agpu_cmp_trace *trace);

/* "COMPLETED_FENCE", ..., and the section that says what it shows. */
const char *agpu_cmp_what_name(enum agpu_cmp_what what);
const char *agpu_cmp_what_section(enum agpu_cmp_what what);

#endif
