/* env.h: the state that a running case has access to: the machine, the device function, the ring and the rig. */
#ifndef AGPU_CASES_RIG_ENV_H
#define AGPU_CASES_RIG_ENV_H

#include "mm/kmd/isr.h"
#include "pci/function.h"
#include "pci/identify.h"
#include "pci/machine/platform.h"
#include "ring/legacy.h"
#include "ring/ring.h"
#include "ring/transport.h"
#include "tests/cases/harness/fixture.h"
#include "tests/cases/harness/trace.h"
#include "tests/cases/rig/prerequisites.h"
#include "tests/cases/rig/latency.h"
#include "tests/cases/rig/require.h"
#include "tests/cases/rig/rig.h"
#include "tests/cases/rig/settings.h"
#include "tests/cases/rig/umd_rig.h"

/* The case is for the legacy (ARGP) device, whose ring is env->legacy. Cases without this flag are for the versioned
 * device. */
#define AGPU_CASE_LEGACY 0x100u

/* The device's reaction to a draw that is known to be valid. */
enum agpu_draws {
    AGPU_DRAWS_UNKNOWN,   /* not yet tested in this run */
    AGPU_DRAWS,           /* it executes shaders */
    AGPU_DRAWS_TRIANGLES, /* it draws vertex data without running shaders (commands.md 14) */
    AGPU_DRAWS_REFUSED,   /* ERROR_BACKEND */
    AGPU_DRAWS_NOTHING,   /* no error, but no texel either */
};

/* The known executor that a foreign device behaves like (executor.h); our model must follow the specification. */
struct agpu_executor {
    bool known;    /* determined in this run */
    bool recorded; /* recorded as choices */
    bool tried;    /* the test did not complete: do not repeat it */
    /* like SW: updates guest memory without WRITEBACK_DST, whole textures at the end; copies and clears 32-bit formats
     * only, and clears the first target only */
    bool implicit;
    bool first_only; /* like D11: writes back only mip 0 and layer 0 of colour formats */
    bool no_depth;   /* like MIN: has no depth formats */
    bool six_layers; /* like D9: textures of 1 or 6 layers only; a clear respects the scissor */
    bool no_views;   /* like all of them: ignores the packets of texture views */
};

/* The kind of error in the device's fences (fence_diagnosis.h). */
struct agpu_fence_diagnosis {
    bool missed;     /* the last case waited for a fence that did not complete */
    unsigned held;   /* diagnoses so far */
    char found[200]; /* the diagnosis, one sentence; "": none */
};

/* Facts determined once in a run. */
enum agpu_answer { AGPU_NOT_ASKED, AGPU_NO, AGPU_YES };

/* Errors seen by the running case (submit.h). */
struct agpu_case_errors {
    bool read;      /* count is valid */
    uint32_t count; /* ERROR_COUNT at the case's last reading */
    bool late;      /* it increased while no submission ran */
    bool pending;   /* the ERROR of an expected fault is not yet acknowledged */
};

struct agpu_env {
    const struct agpu_platform *platform;   /* the machine's, wrapped to count allocations */
    const struct agpu_functions *functions; /* the selected ones; NULL: none were selected */
    bool model;                             /* the device is known to be our device model */
    bool proof_missed;             /* a submission before the case did not complete, although others did */
    char missed[240];              /* the device state at that time */
    uint64_t previous_fence;       /* the first submission uses the number after it */
    struct agpu_trace trace;       /* trace lines that the user-mode driver sends */
    struct agpu_settings settings; /* of the driver stack */
    bool draws_shown;              /* a texel of the probe's triangle was visible */
    enum agpu_draws draws;         /* determined by the first case that draws (draws.h) */
    struct agpu_latency latency;   /* of empty submissions in this run */
    struct agpu_prerequisites prerequisites; /* proven and broken prerequisites */
    struct agpu_fence_diagnosis fence_diagnosis;
    bool all_evidence;      /* for every case that fails (evidence.h) */
    unsigned evidence_sent; /* number of cases with evidence in this run */
    bool dirty;             /* the device is not known to be idle */
    struct agpu_case_errors errors;
    uint32_t vblank_period;        /* as the case has read it; 0: not yet (vblank.h) */
    unsigned recoveries;           /* recoveries of a hung device in this run (recover.h) */
    struct agpu_executor executor; /* determined by the first case that needs it (executor.h) */

    enum agpu_answer works_at[3]; /* with all DMA memory at this enum agpu_dma_place (dma_place.c) */

    /* Valid from AGPU_NEED_FUNCTION on. */
    struct agpu_function function;
    struct agpu_abi abi;
    struct agpu_abi reported;            /* as reported to the driver stack: reduced if settings say so */
    struct agpu_requirement requirement; /* what this device is required to have */
    struct agpu_kmd_adapter adapter; /* function, abi and the ring below, as the kernel driver drives them */

    /* Valid from AGPU_NEED_RING on. */
    struct agpu_ring ring;
    struct agpu_legacy_ring legacy; /* instead of ring when abi.legacy */
    struct agpu_transport transport;

    /* For AGPU_NEED_RING only: the memory manager has its own fence numbers. */
    struct agpu_rig rig;

    enum agpu_stack_mode stack_mode; /* for driver stacks that are opened from now on */
    struct agpu_kmd_isr isr;         /* open from the first stack with interrupts to the end of the case */

    /* For AGPU_NEED_UMD. Number of errors in ERROR_COUNT that the running case allows; each makes the stack lose its
     * devices. */
    uint32_t device_errors;
    struct agpu_umd_rig umd;
};

#endif
