/* run.h: one run of the long scenario with at most one failing callback: step by step, each step's outcome
 * kept, so that a run with a failure can be held against the run without. */
#ifndef AGPU_TESTS_UNIT_UMD_FAULTS_RUN_H
#define AGPU_TESTS_UNIT_UMD_FAULTS_RUN_H

#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"
#include "tests/unit/umd_faults/ledger.h"

#define RUN_STEPS 1024u

/* A machine to run on. */
struct setup {
    const char *name;
    enum agpu_backing_mode mode;
    bool dynamic_guest;                  /* Discard renames guest memory */
    bool async;                          /* fences complete when they are waited for */
    bool query;                          /* the fence can be asked without waiting */
    bool get_buffer;                     /* larger command buffers can be had */
    bool lean;                           /* list and stream give their memory back after each submission */
    bool deferred;                       /* the scenario of deferred contexts */
    uint32_t buffer_bytes, list_entries; /* 0 = as the fake has them */
};

/* The failure of a run: the nth call of the runtime and the heap, counted from 1. */
struct fault {
    uint64_t at; /* 0 = none */
    HRESULT code;
    bool lasting;  /* everything that asks for something keeps failing from then on */
    uint32_t room; /* bytes of packets that a bounded stream holds instead; 0 = it grows */
    bool late;     /* bounded only once everything is created */
};

struct run_outcome {
    const char *what;
    HRESULT hr;
    uint32_t errors; /* SetErrorCb calls */
    HRESULT error;   /* the first */
};

/* A deferred context, and what it reported through its own SetErrorCb. */
struct recording {
    D3D10DDI_HDEVICE handle;
    D3D11DDI_DEVICECONTEXTFUNCS fn;
    uint32_t error_count;
    HRESULT error; /* the first */
};
#define RUN_RECORDINGS 2u

struct fault_run {
    struct world world;
    struct ledger ledger;
    const struct setup *setup;
    struct fault fault;
    const struct fault_run *clean; /* the run without a fault; NULL = this is it */
    enum fake_call kind;           /* of the failing call */
    bool fired;
    bool doomed; /* memory ran out: nothing more is recorded before the next submission (umd.md 12.1, 12.2) */
    uint32_t calls; /* of the runtime and the heap, and which: enum fake_call */
    uint8_t call_kinds[FAKE_MAX_EVENTS];
    struct recording recordings[RUN_RECORDINGS];
    const struct recording *on; /* whose step it is; NULL: the device's */
    bool recording_lost;        /* its list was lost before the step */
    uint32_t steps;
    struct run_outcome outcomes[RUN_STEPS];
    uint32_t used_before, listed_before, accepted_before;
};

/* Opens adapter and device, runs the scenario, shows that the device still works, closes everything, and
 * checks that nothing is left. Outcomes that do not fit the fault fail the test. */
void run_scenario(struct fault_run *run, const struct setup *setup, struct fault fault,
                  const struct fault_run *clean);

/* Around every call of the driver; step_end gives the result (S_OK for functions without one). */
void step_begin(struct fault_run *run, const char *what);
HRESULT step_end(struct fault_run *run, HRESULT hr);
#define STEP_HR(run, call)   (step_begin((run), #call), step_end((run), (call)))
#define STEP_VOID(run, call) (step_begin((run), #call), (call), (void)step_end((run), S_OK))

/* The same for calls on a deferred context: only its SetErrorCb may be told. */
void step_begin_on(struct fault_run *run, const struct recording *recording, const char *what);
#define ON_HR(run, recording, call) (step_begin_on((run), (recording), #call), step_end((run), (call)))
#define ON_VOID(run, recording, call)                                                                        \
    (step_begin_on((run), (recording), #call), (call), (void)step_end((run), S_OK))

/* Bounds the stream, if this is the time for it; what is recorded goes first. */
void begin_room(struct fault_run *run, bool late);

/* scenario.c: what happens between opening and closing. */
void scenario(struct fault_run *run);
/* scenario_deferred.c: the same for setups with deferred contexts. */
void deferred_scenario(struct fault_run *run);
/* Fresh objects, a copy and its readback, a draw, a present: all must succeed. */
void prove_usable(struct fault_run *run);

#endif
