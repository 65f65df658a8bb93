/* beside.h: the device under test with the reference beside it, and their memory. */
#ifndef AGPU_CASES_EXPLORE_BESIDE_H
#define AGPU_CASES_EXPLORE_BESIDE_H

#include "tests/cases/random/emit.h"
#include "tests/cases/random/plan.h"
#include "tests/cases/random/post.h"
#include "tests/cases/reference/reference.h"
#include "tests/cases/reference/state.h"
#include "tests/cases/rig/env.h"

/* An observation that the reference excludes. */
struct agpu_explore_mismatch {
    bool found;
    uint32_t step;       /* of the program; its step_count: at the end */
    const char *what;    /* name of a register, "memory", "the interrupt line" */
    const char *section; /* of the specification */
    /* Least value that is expected, and where. Size 0: a check of one value would be wrong. */
    struct agpu_gen_check check;
    uint64_t most, actual;
};

/* Ranges that the CPU has written in one step. */
struct agpu_explore_range {
    uint32_t region, offset, size;
};
#define AGPU_EXPLORE_RANGES   8u
#define AGPU_EXPLORE_RETIRED  16u /* handles of destroyed resources */
#define AGPU_EXPLORE_MEETINGS 54u /* rows of meetings.def */

struct agpu_explore {
    struct agpu_test *test;
    const struct agpu_platform *platform;
    const struct agpu_function *function;
    uint64_t features;
    bool any;   /* the device need not be our model */
    bool lax;   /* the device need not notice faulty work, as in cases about errors */
    bool exact; /* simulated time, shared with our model: the reference knows the time of each access */

    struct agpu_dma regions[AGPU_GEN_REGIONS];
    uint8_t *shadow[AGPU_GEN_REGIONS];  /* contents that memory must have where nothing is predicted */
    uint32_t written[AGPU_GEN_REGIONS]; /* end of the part that anything has written */
    struct agpu_explore_range ranges[AGPU_EXPLORE_RANGES];
    uint32_t range_count;
    struct agpu_gen_memory memory;
    struct agpu_gen_posting posting;

    void *arena;
    struct agpu_ref *ref;
    bool settled, predicted;
    bool was_lost; /* the reference was lost for a time: the device may have written more than is predicted */
    bool work_posted; /* after the last doorbell */
    uint16_t command; /* last value of the command register */

    /* The reference's clock, unless exact: it advances by a period with each edge that VBLANK_SEQ shows. */
    uint64_t virtual_ns;
    uint64_t seq, seq_base; /* last value; at the start of the session */
    uint32_t edges_left;    /* that this session may still wait for */
    uint64_t time_left_ns;  /* exact: simulated time that this session may still spend */
    int32_t stalls_left;    /* exact: long times without service that the case may still let pass */
    uint32_t error_base;    /* errors that a device counted beyond the prediction, which it may */
    bool over;              /* the session ends early: what follows is not predicted */
    bool unobserved;        /* the device may work on what it has begun */

    uint64_t bound_ns; /* time for the device to complete its work */
    uint64_t until_ns; /* on a real clock: no session begins later, and the current one ends early */
    const struct agpu_gen_program *program;
    struct agpu_gen_program *recorded; /* NULL, or the program: its doorbells get the fences that complete */
    uint32_t step;
    struct agpu_explore_mismatch mismatch;

    uint32_t field; /* of random/fields.def, which the next work is for; UINT32_MAX: no such session */
    bool objects, effective; /* the objects exist; the field changed a byte that is predicted exactly */
    uint32_t unpredicted;    /* results that the work writes without prediction, one bit each */

    /* Totals of all sessions. */
    uint64_t steps, worked, early, submissions, lost, fields_effective;
    uint32_t meetings[AGPU_EXPLORE_MEETINGS];

    /* For the meetings of this session. */
    bool edge_due;          /* simulated time has passed, and the device has not run */
    uint32_t table_entries; /* of the last submission's table */
    bool repeated;          /* the step is one of a long run */
    uint32_t retired[AGPU_EXPLORE_RETIRED], retired_next;
};

#endif
