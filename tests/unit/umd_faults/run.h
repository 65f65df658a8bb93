/* run.h: one run of the long scenario with at most one failing callback. The outcome of each step is stored, so that a
 * run with a failure can be compared with the one without. */
#ifndef AGPU_TESTS_UNIT_UMD_FAULTS_RUN_H
#define AGPU_TESTS_UNIT_UMD_FAULTS_RUN_H

#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"
#include "tests/unit/umd_faults/ledger.h"

#define RUN_STEPS 1024u

/* A machine. */
struct setup {
    const char *name;
    enum agpu_backing_mode mode;
    bool dynamic_guest;                  /* Discard renames guest memory */
    bool async;                          /* fences complete when the driver waits */
    bool query;                          /* fences can be queried without a wait */
    bool get_buffer;                     /* larger command buffers are available */
    bool lean;                           /* list and stream release their memory after each submission */
    bool deferred;                       /* the scenario of deferred contexts */
    uint32_t buffer_bytes, list_entries; /* 0: the fake's default */
};

/* The failure of a run: the number of the call to runtime or heap, from 1. */
struct fault {
    uint64_t at; /* 0: none */
    HRESULT code;
    bool lasting;  /* all later requests fail too */
    uint32_t room; /* bytes of packets in a bounded stream; 0: the stream grows */
    bool late;     /* bounded only after all objects are created */
};

struct run_outcome {
    const char *what;
    HRESULT hr;
    uint32_t errors; /* number of SetErrorCb calls */
    HRESULT error;   /* the first error */
};

/* A deferred context and the errors from its own SetErrorCb. */
struct recording {
    D3D10DDI_HDEVICE handle;
    struct agpu_api api;
    struct agpu_api_context fn;
    uint32_t error_count;
    HRESULT error; /* the first error */
};
#define RUN_RECORDINGS 2u

struct fault_run {
    struct world world;
    struct ledger ledger;
    const struct setup *setup;
    struct fault fault;
    const struct fault_run *clean; /* the run without a fault; NULL: this run is it */
    enum fake_call kind;           /* kind of the failing call */
    bool fired;
    bool doomed; /* out of memory: nothing more is recorded before the next submission (umd.md 12.1, 12.2) */
    uint32_t calls; /* calls of runtime and heap, and their kinds: enum fake_call */
    uint8_t call_kinds[FAKE_MAX_EVENTS];
    struct recording recordings[RUN_RECORDINGS];
    const struct recording *on; /* context of the step; NULL: the device */
    bool recording_lost;        /* its list was lost before the step */
    uint32_t steps;
    struct run_outcome outcomes[RUN_STEPS];
    uint32_t used_before, listed_before, accepted_before;
};

/* Opens adapter and device, runs the scenario, shows that the device still works, closes everything, and checks that
 * nothing leaked. Fails the test if an outcome does not fit the fault. */
void run_scenario(struct fault_run *run, const struct setup *setup, struct fault fault,
                  const struct fault_run *clean);

/* Around each call of the driver. step_end() gets the result, S_OK for functions without one. */
void step_begin(struct fault_run *run, const char *what);
HRESULT step_end(struct fault_run *run, HRESULT hr);
#define STEP_HR(run, call)   (step_begin((run), #call), step_end((run), (call)))
#define STEP_VOID(run, call) (step_begin((run), #call), (call), (void)step_end((run), S_OK))

/* Like step_begin(), for calls on a deferred context: errors may go only to its own SetErrorCb. */
void step_begin_on(struct fault_run *run, const struct recording *recording, const char *what);
#define ON_HR(run, recording, call) (step_begin_on((run), (recording), #call), step_end((run), (call)))
#define ON_VOID(run, recording, call)                                                                        \
    (step_begin_on((run), (recording), #call), (call), (void)step_end((run), S_OK))

/* Bounds the stream if this is the time for it. Submits the recorded packets first. */
void begin_room(struct fault_run *run, bool late);

/* scenario.c: the steps between opening and closing. */
void scenario(struct fault_run *run);
/* scenario_deferred.c: the same for setups with deferred contexts. */
void deferred_scenario(struct fault_run *run);
/* New objects, a copy and its readback, a draw, a present: all must succeed. */
void prove_usable(struct fault_run *run);

#endif
