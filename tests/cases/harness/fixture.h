/* fixture.h: what the runner asks of whatever the cases run on: finding the device, preparing it for a
 * case and restoring it afterwards. The runner knows nothing else of devices (rig/prepare.h has the one for
 * AeroGPU). */
#ifndef AGPU_CASES_HARNESS_FIXTURE_H
#define AGPU_CASES_HARNESS_FIXTURE_H

#include "pci/machine/text.h"
#include "pci/scan.h"
#include "tests/cases/harness/case.h"
#include "tests/cases/harness/trace.h"

/* How the driver stack learns that the device is done: it looks in each wait, or a handler is called (the ways of enum
 * agpu_irq_way, in its order). */
enum agpu_stack_mode { AGPU_STACK_POLLS, AGPU_STACK_LINE, AGPU_STACK_MSI, AGPU_STACK_MSIX };

struct agpu_settings; /* rig/settings.h */

/* The functions that somebody picked for a run (devices.h): one of them is the one that cases run on. */
struct agpu_functions {
    const struct agpu_pci_found *all;
    unsigned count;
    unsigned driven; /* which of all */
    unsigned number; /* which of the machine's AeroGPU functions that is, from 0 */
    bool together;   /* the group of cases that are about all of them at once */
};

/* What the runner knows about the run. */
struct agpu_fixture_config {
    const struct agpu_platform *platform;   /* the machine's, wrapped so that allocations are counted */
    bool model;                             /* the device is known to be our model */
    const char *require;                    /* what must be there, as in agpu.cfg; NULL or "": the default */
    struct agpu_trace trace;                /* trace lines that the user-mode driver sends */
    const struct agpu_functions *functions; /* NULL: the first usable function is the one */
    const struct agpu_settings *settings;   /* of the driver stack; NULL: all defaults */
    enum agpu_stack_mode stack_mode;
    bool all_evidence; /* of every case that fails, not of the first ones alone */
};

/* What decides which cases are for a device. */
struct agpu_fixture_device {
    uint32_t device;   /* AGPU_CASE_DEVICE bits */
    uint64_t features; /* bits as in struct agpu_case */
    uint64_t told;     /* those of them that the driver stack is told of */
    char abi[16];      /* as the plan record's device has it: "1.4"; "": not known */
    char missing[100]; /* required features that the device lacks, as words of require= */
};

/* Why a case cannot be tried. */
struct agpu_obstacle {
    enum agpu_result result; /* what it means for the case that found out */
    const char *cause;       /* the basic thing that is broken, one word; NULL: none */
    bool known;              /* an earlier case found out and failed: this one was not tried */
    struct agpu_text text;   /* what was seen, on buffer */
    char buffer[240];
};

struct agpu_fixture {
    const char *timed; /* globs over the ids of the cases that measure times (attempts.h); NULL: none */
    size_t env_bytes;  /* of the fixture's struct agpu_env; the runner allocates it, zeroed */
    /* Finds and opens the device. On error why says what was found instead, and nothing is kept. */
    enum agpu_status (*open)(struct agpu_env *env, const struct agpu_fixture_config *config,
                             struct agpu_fixture_device *out, struct agpu_text *why);
    /* Leaves the device as open() found it. */
    void (*close)(struct agpu_env *env);
    /* Appends the plan record's device value. */
    void (*describe)(const struct agpu_env *env, struct agpu_text *text);
    /* Appends which of these features of a case the device lacks, or the driver is not told of. Returns the reason to skip the
     * case, or AGPU_SKIP_NONE when one of them is required: the case has failed. */
    enum agpu_skip_code (*lacks)(const struct agpu_env *env, uint64_t features, struct agpu_text *text);
    /* What prepare() brings up for the case takes fence numbers after this one; 0 at first. May be NULL. */
    void (*number_fences)(struct agpu_env *env, const struct agpu_case *item, uint64_t previous);
    /* Makes the device quiet, whatever state it is in, and brings up what the case needs. False when that is
     * not possible: why is filled in and nothing is kept. */
    bool (*prepare)(struct agpu_env *env, const struct agpu_case *item, struct agpu_obstacle *why);
    /* Appends registers and memory words that tell what the device waits for. */
    void (*show_state)(const struct agpu_env *env, struct agpu_text *text);
    /* At the end of a body: the checks that every case of its need is to pass. */
    void (*finish)(struct agpu_test *test);
    /* Takes down what prepare() brought up and makes the device quiet again. Frees everything in any case;
     * leaks says what the driver had kept, and stays empty when that is nothing. */
    enum agpu_status (*restore)(struct agpu_env *env, enum agpu_need need, struct agpu_text *leaks);
    /* Instead of finish and restore when the case was ended by force: its stack is gone, and what it held may be half
     * written. Stops the device's use of memory and forgets what prepare() brought up and what the case opened, without
     * looking at it; the runner frees the memory afterwards. */
    void (*abandon)(struct agpu_env *env, enum agpu_need need);
    /* At the end of a run in which nothing failed: a case without records that tries what the cases of the run have not shown,
     * a required ability or a device that gets quiet; NULL: there is none. May be NULL. */
    const struct agpu_case *(*owed)(const struct agpu_env *env);
    /* How the case ended: what failed makes what the device was proven to do doubtful again. May find out more, of a device
     * that is restored, and add to the reason. */
    void (*ended)(struct agpu_test *test);
};

#endif
