/* env.h: what a running case can reach: the machine, the device function, the ring and the rig. */
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
#include "tests/cases/rig/basics.h"
#include "tests/cases/rig/latency.h"
#include "tests/cases/rig/require.h"
#include "tests/cases/rig/rig.h"
#include "tests/cases/rig/settings.h"
#include "tests/cases/rig/umd_rig.h"

/* The case is for the legacy (ARGP) device: env->legacy is its ring. Cases without it are for the versioned device. */
#define AGPU_CASE_LEGACY 0x100u

/* What the device does with a draw that is known to be good. */
enum agpu_draws {
    AGPU_DRAWS_UNKNOWN,   /* not tried in this run */
    AGPU_DRAWS,           /* it executes shaders */
    AGPU_DRAWS_TRIANGLES, /* it draws vertex data, without them (commands.md 14) */
    AGPU_DRAWS_REFUSED,   /* ERROR_BACKEND */
    AGPU_DRAWS_NOTHING,   /* no error, and no texel */
};

/* Which of the known executors a foreign device is like (executor.h); our model is held to the text. */
struct agpu_executor {
    bool known;      /* found out in this run */
    bool told;       /* recorded as choices */
    bool tried;      /* without an end: not again */
    bool implicit;   /* like SW: guest memory follows without WRITEBACK_DST, whole textures at the end; 32-bit
                        formats are copied and cleared only, and the first target */
    bool first_only; /* like D11: writes back mip 0 and layer 0 of colour formats only */
    bool no_depth;   /* like MIN: has no depth formats */
    bool six_layers; /* like D9: textures of 1 or 6 layers only; a clear keeps to the scissor */
    bool no_views;   /* like all of them: skips the packets of texture views */
};

/* In which way its fences are wrong (fence_exam.h). */
struct agpu_fence_exam {
    bool missed;     /* the case that just ran waited for a fence that was not there */
    unsigned held;   /* examinations so far */
    char found[200]; /* the sentence; "": none */
};

/* What was found out once in a run. */
enum agpu_answer { AGPU_NOT_ASKED, AGPU_NO, AGPU_YES };

/* Errors that the running case has seen (submit.h). */
struct agpu_case_errors {
    bool read;      /* count holds a value */
    uint32_t count; /* ERROR_COUNT when the case read it last */
    bool late;      /* it grew while no submission ran */
    bool pending;   /* ERROR of an expected fault is not acknowledged yet */
};

struct agpu_env {
    const struct agpu_platform *platform;   /* the machine's, wrapped so that allocations are counted */
    const struct agpu_functions *functions; /* that were picked; NULL: nobody did */
    bool model;                             /* the device is known to be our model */
    bool proof_missed;             /* a submission before the case did not complete, though others did */
    char missed[240];              /* what was seen then */
    uint64_t previous_fence;       /* the first submission's number is the next */
    struct agpu_trace trace;       /* trace lines that the user-mode driver sends */
    struct agpu_settings settings; /* of the driver stack */
    bool draws_shown;              /* a texel of the probe's triangle was seen */
    enum agpu_draws draws;         /* found out by the first case that draws (draws.h) */
    struct agpu_latency latency;   /* of empty submissions in this run */
    struct agpu_basics basics;     /* what was proven, what is broken */
    struct agpu_fence_exam fence_exam;
    bool all_evidence;      /* of every case that fails (evidence.h) */
    unsigned evidence_sent; /* of so many in this run */
    bool dirty;             /* the device is not known to be quiet */
    struct agpu_case_errors errors;
    uint32_t vblank_period;        /* that the case has read; 0: not yet (vblank.h) */
    unsigned recoveries;           /* of a hung device, in this run (recover.h) */
    struct agpu_executor executor; /* found out by the first case that asks (executor.h) */

    enum agpu_answer works_at[3]; /* with all DMA memory at this enum agpu_dma_place (dma_place.c) */

    /* From AGPU_NEED_FUNCTION on. */
    struct agpu_function function;
    struct agpu_abi abi;
    struct agpu_abi told; /* the same as the driver stack is told: less, when settings say so */
    struct agpu_requirement requirement; /* what this device must have */
    struct agpu_kmd_adapter adapter; /* function, abi and the ring below, as the kernel driver drives them */

    /* From AGPU_NEED_RING on. */
    struct agpu_ring ring;
    struct agpu_legacy_ring legacy; /* instead of ring when abi.legacy */
    struct agpu_transport transport;

    /* For AGPU_NEED_RING only: the memory manager numbers its own fences. */
    struct agpu_rig rig;

    enum agpu_stack_mode stack_mode; /* of driver stacks that are opened from now on */
    struct agpu_kmd_isr isr; /* open from the first of them that is no polling one to the end of the case */

    /* For AGPU_NEED_UMD. Errors in ERROR_COUNT that the running case allows; each costs it the stack's devices. */
    uint32_t device_errors;
    struct agpu_umd_rig umd;
};

#endif
