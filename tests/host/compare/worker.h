/* worker.h: runs each device of a comparison in its own process: it may crash, hang, or keep state that it should
 * discard, and the comparison continues. */
#ifndef AGPU_HOST_COMPARE_WORKER_H
#define AGPU_HOST_COMPARE_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/host/compare/execute.h"
#include "tests/cases/random/generate.h"
#include "tests/host/compare/shape.h"

#define AGPU_CMP_TEXT 512

/* A device's description of itself. */
struct agpu_cmp_probe {
    char name[72];
    bool legacy;
    bool both;    /* it supports the other generation, too: our model */
    uint32_t abi; /* value of the register */
    uint64_t features;
    uint64_t bar1_bytes;
    struct agpu_cmp_shape shape;
    struct agpu_cmp_wrongs wrongs;
};

/* One session of a free run, as the worker reports it. */
struct agpu_cmp_record {
    uint64_t session;
    uint64_t hash;
    uint32_t streams;
    uint32_t invalid; /* errors for valid work */
    uint32_t absurd;  /* the device requested absurd DMA */
};

struct agpu_cmp_shared;

/* One device: its source and its process. */
struct agpu_cmp_side {
    const char *spec; /* "model[,OPTIONS]", or FILE[,OPTIONS] of a plug-in */
    bool draws;       /* our model gets a renderer */
    unsigned hang_s;
    uint64_t until_ns; /* agpu_monotonic_ns() deadline at which finish kills a running program; 0: none */
    bool stood_still;  /* its process made no progress, and was killed */
    bool shaped;       /* it was probed, and its capabilities can be used */
    struct agpu_cmp_shape shape;
    struct agpu_cmp_shared *shared;
    pid_t pid;
    int process; /* pidfd; -1: none */
    int from;    /* pipe of a free run */
    int errors;  /* the process's standard error */
};

enum agpu_cmp_outcome {
    AGPU_CMP_RAN,
    AGPU_CMP_NO_DEVICE, /* it could not be created: text says why */
    AGPU_CMP_DIED,      /* crashed, or hung: text says where */
};

/* Returns false when memory is exhausted. */
bool agpu_cmp_side_open(struct agpu_cmp_side *side, const char *spec, unsigned hang_s);
void agpu_cmp_side_close(struct agpu_cmp_side *side);

/* Probes the device; the side stores its shape. */
enum agpu_cmp_outcome agpu_cmp_probe(struct agpu_cmp_side *side, struct agpu_cmp_probe *out,
                                     char text[AGPU_CMP_TEXT]);

/* agpu_cmp_start() starts a program on a new device; agpu_cmp_finish() waits for its end, and text then names a
 * violation by this device that is forbidden to every device, if there was one. The trace stays valid until the next
 * start. */
void agpu_cmp_start(struct agpu_cmp_side *side, const struct agpu_gen_common *common,
                    const struct agpu_gen_program *program, uint32_t up_to);
enum agpu_cmp_outcome agpu_cmp_finish(struct agpu_cmp_side *side, char text[AGPU_CMP_TEXT]);
const struct agpu_cmp_trace *agpu_cmp_trace_of(const struct agpu_cmp_side *side);
/* Returns the device's guest memory after the last program: AGPU_CMP_RAM_BYTES. */
const uint8_t *agpu_cmp_ram_of(const struct agpu_cmp_side *side);

/* Runs sessions [first, end) of a plan, in sequence, on one device; next returns their records in order. */
void agpu_cmp_free_start(struct agpu_cmp_side *side, const struct agpu_gen_plan *plan, uint64_t first,
                         uint64_t end);
/* Returns false when there are no more; finish says why. */
bool agpu_cmp_free_next(struct agpu_cmp_side *side, struct agpu_cmp_record *out);
/* Returns the session that the process was in. */
uint64_t agpu_cmp_session_of(const struct agpu_cmp_side *side);
/* Kills the process. */
void agpu_cmp_stop(struct agpu_cmp_side *side);

#endif
