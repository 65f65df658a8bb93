/* cost.h: what a case costs, by phase: accesses to the device, each of which may be a trip to another process or over a
 * bus, and time. */
#ifndef AGPU_CASES_HARNESS_COST_H
#define AGPU_CASES_HARNESS_COST_H

#include "tests/cases/harness/stream.h"

enum agpu_phase {
    AGPU_PHASE_UP,   /* the device is made quiet and brought up */
    AGPU_PHASE_BODY, /* the case itself */
    AGPU_PHASE_DOWN, /* taken down, and quiet again */
    AGPU_PHASE_COUNT
};

struct agpu_cost {
    uint64_t accesses[AGPU_PHASE_COUNT];
    uint64_t ns[AGPU_PHASE_COUNT];
    enum agpu_phase phase; /* the running one, since these two */
    uint64_t from_accesses, from_ns;
};

/* Ends the running phase and begins another; accesses and ns count from an arbitrary start. The first is UP, with
 * agpu_cost_begin(). */
void agpu_cost_begin(struct agpu_cost *cost, uint64_t accesses, uint64_t ns);
void agpu_cost_enter(struct agpu_cost *cost, enum agpu_phase phase, uint64_t accesses, uint64_t ns);

/* Adds one case's to the run's. */
void agpu_cost_add(struct agpu_cost *run, const struct agpu_cost *of_case);

/* Appends io_up, io, io_down to a case's end record: accesses. */
void agpu_cost_append(struct agpu_record *record, const struct agpu_cost *cost);

/* Sends the run's as metrics run.accesses.* and run.time.*. */
void agpu_cost_send(struct agpu_stream *stream, const struct agpu_cost *run);

#endif
