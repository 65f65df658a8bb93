/* cost.h: the cost of a case, by phase: time, and accesses to the device, each of which may be a round trip to
 * another process or over a bus. */
#ifndef AGPU_CASES_HARNESS_COST_H
#define AGPU_CASES_HARNESS_COST_H

#include "tests/cases/harness/stream.h"

enum agpu_phase {
    AGPU_PHASE_UP,   /* make the device idle and start it */
    AGPU_PHASE_BODY, /* the body of the case */
    AGPU_PHASE_DOWN, /* stop it, and make it idle again */
    AGPU_PHASE_COUNT
};

struct agpu_cost {
    uint64_t accesses[AGPU_PHASE_COUNT];
    uint64_t ns[AGPU_PHASE_COUNT];
    enum agpu_phase phase; /* the current phase, and the readings at its start */
    uint64_t from_accesses, from_ns;
};

/* Ends the current phase and starts another; accesses and ns count from an arbitrary start. agpu_cost_begin() starts
 * the first phase, UP. */
void agpu_cost_begin(struct agpu_cost *cost, uint64_t accesses, uint64_t ns);
void agpu_cost_enter(struct agpu_cost *cost, enum agpu_phase phase, uint64_t accesses, uint64_t ns);

/* Adds the cost of one case to that of the run. */
void agpu_cost_add(struct agpu_cost *run, const struct agpu_cost *of_case);

/* Appends the access counts io_up, io, io_down to a case's end record. */
void agpu_cost_append(struct agpu_record *record, const struct agpu_cost *cost);

/* Sends the cost of the run as metrics run.accesses.* and run.time.*. */
void agpu_cost_send(struct agpu_stream *stream, const struct agpu_cost *run);

#endif
