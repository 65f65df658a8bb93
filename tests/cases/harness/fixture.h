/* fixture.h: the interface between the runner and a device: finding the device, preparing it for a case and restoring
 * it afterwards. The runner knows nothing else of devices. rig/prepare.h has the implementation for AeroGPU. */
#ifndef AGPU_CASES_HARNESS_FIXTURE_H
#define AGPU_CASES_HARNESS_FIXTURE_H

#include "pci/machine/text.h"
#include "pci/scan.h"
#include "tests/cases/harness/case.h"
#include "tests/cases/harness/trace.h"

/* The way in which the driver stack detects a completion: by polling in each wait, or by an interrupt handler. Same
 * order as enum agpu_irq_way. */
enum agpu_stack_mode { AGPU_STACK_POLLS, AGPU_STACK_LINE, AGPU_STACK_MSI, AGPU_STACK_MSIX };

struct agpu_settings; /* rig/settings.h */

/* The functions that are selected for a run (devices.h). Cases run on one of them. */
struct agpu_functions {
    const struct agpu_pci_found *all;
    unsigned count;
    unsigned driven; /* index of that one in all */
    unsigned number; /* its index among the machine's AeroGPU functions, from 0 */
    bool together;   /* this run is the group of cases about all functions at once */
};

/* Facts about the run that the runner passes to the fixture. */
struct agpu_fixture_config {
    const struct agpu_platform *platform;   /* the machine's, wrapped to count allocations */
    bool model;                             /* the device is known to be our device model */
    const char *require;                    /* required features, as in agpu.cfg; NULL or "": the default */
    struct agpu_trace trace;                /* trace lines that the user-mode driver sends */
    const struct agpu_functions *functions; /* NULL: use the first usable function */
    const struct agpu_settings *settings;   /* of the driver stack; NULL: all defaults */
    enum agpu_stack_mode stack_mode;
    bool all_evidence; /* collect evidence for every failed case, not just the first ones */
};

/* The properties of the device that decide which cases run. */
struct agpu_fixture_device {
    uint32_t device;   /* AGPU_CASE_DEVICE bits */
    uint64_t features; /* bits as in struct agpu_case */
    uint64_t reported; /* those of them that are reported to the driver stack */
    char abi[16];      /* as in the plan record's device: "1.4"; "": unknown */
    char missing[100]; /* missing required features, as words of require= */
};

/* The reason why a case cannot run. */
struct agpu_obstacle {
    enum agpu_result result; /* result of the case that found it */
    const char *cause;       /* the broken prerequisite, one word; NULL: none */
    bool known;              /* an earlier case failed because of it: this one is skipped */
    struct agpu_text text;   /* what was found, written to buffer */
    char buffer[240];
};

struct agpu_fixture {
    const char *timed; /* globs for the ids of cases that measure times (attempts.h); NULL: none */
    size_t env_bytes;  /* size of the fixture's struct agpu_env, which the runner allocates zeroed */
    /* Finds and opens the device. On error, why says what was found instead, and nothing stays allocated. */
    enum agpu_status (*open)(struct agpu_env *env, const struct agpu_fixture_config *config,
                             struct agpu_fixture_device *out, struct agpu_text *why);
    /* Leaves the device as open() found it. */
    void (*close)(struct agpu_env *env);
    /* Appends the value of the plan record's device key. */
    void (*describe)(const struct agpu_env *env, struct agpu_text *text);
    /* Appends those of the given features that the device lacks or that are not reported to the driver. Returns the
     * reason to skip the case, or AGPU_SKIP_NONE if one of them is required: the case has failed. */
    enum agpu_skip_code (*lacks)(const struct agpu_env *env, uint64_t features, struct agpu_text *text);
    /* Makes prepare() start its fence numbers for this case after previous, which is 0 at first. May be NULL. */
    void (*number_fences)(struct agpu_env *env, const struct agpu_case *item, uint64_t previous);
    /* Makes the device idle, whatever state it is in, and starts what the case needs. Returns false if that fails:
     * why says what happened, and nothing stays allocated. */
    bool (*prepare)(struct agpu_env *env, const struct agpu_case *item, struct agpu_obstacle *why);
    /* Appends the registers and memory words that show what the device waits for. */
    void (*show_state)(const struct agpu_env *env, struct agpu_text *text);
    /* Runs after the body: the checks that every case with the same needs must pass. */
    void (*finish)(struct agpu_test *test);
    /* Stops what prepare() started and makes the device idle again. Frees everything, also on error; leaks lists what
     * the driver had not freed, and is empty if there is nothing. */
    enum agpu_status (*restore)(struct agpu_env *env, enum agpu_need need, struct agpu_text *leaks);
    /* Replaces finish and restore when the runner terminated the case: its stack is gone, and its data may be half
     * written. Stops the device's use of memory and forgets what prepare() started and what the case opened, without
     * reading any of it. The runner frees the memory afterwards. */
    void (*abandon)(struct agpu_env *env, enum agpu_need need);
    /* Called at the end of a run in which nothing failed. Returns a case without records for a property that the run's
     * cases did not test: a required ability, or a device that becomes idle. NULL: none is needed. May be NULL. */
    const struct agpu_case *(*untested)(const struct agpu_env *env);
    /* Reports how the case ended. A failure invalidates what the device was proven to do. May run further diagnosis
     * on the restored device, and add to the reason. */
    void (*ended)(struct agpu_test *test);
};

#endif
