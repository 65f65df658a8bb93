/* stack_case.h: cases that need more of the driver stack than the rig opens: a configured runtime, a transport with
 * controlled completion, a second device, or a separate kernel-side client.
 *
 *     AGPU_STACK_CASE("vidmm...", "vidmm.md 4.4", AEROGPU_FEATURE_TRANSFER, 0, .body = body, .gate = true) */
#ifndef AGPU_CASES_RIG_STACK_CASE_H
#define AGPU_CASES_RIG_STACK_CASE_H

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/gate.h"
#include "tests/cases/rig/resource_packets.h"

/* The preparation for body, which is undone after it, however it ends. */
struct agpu_stack_case {
    void (*body)(struct agpu_test *test);
    /* Reopens the stack on a new ring with a changed configuration. */
    void (*configure)(struct agpu_runtime_config *config);
    bool interrupts;     /* reopens the stack with completion signaled by line interrupts */
    bool gate;           /* reopens the stack over the gate (gate.h) */
    bool stop;           /* the gate stops the device itself */
    uint32_t peer;       /* opens the peer (umd_peer.h): interface version, 0 = none */
    bool act_as_peer;    /* body runs as the peer from the start */
    bool client;         /* opens the client (vidmm_client.h) */
    const void *variant; /* for bodies that several cases share */
};

void agpu_run_stack_case(struct agpu_test *test);
const struct agpu_stack_case *agpu_stack_case(const struct agpu_test *test);

#define AGPU_STACK_CASE(name, section, feature_bits, case_flags, ...)                                        \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_UMD, .flags = (case_flags),                      \
        .features = (feature_bits), .run = agpu_run_stack_case,                                              \
        .arg = &(const struct agpu_stack_case){__VA_ARGS__},                                                 \
    }

/* Returns the allocation table of the newest submission that is shown as unfinished; NULL if it has none. */
const struct aerogpu_alloc_entry *agpu_pending_table(struct agpu_test *test, uint32_t *count);
/* Returns the entry for alloc_id in that table; NULL if there is none. */
const struct aerogpu_alloc_entry *agpu_pending_entry(struct agpu_test *test, uint32_t alloc_id);

#endif
