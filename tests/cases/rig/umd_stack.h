/* umd_stack.h: cases that need more of the driver stack than the rig opens: a runtime of their own making, a
 * transport that shows completions when the case says so, a second device, an own kernel-side client.
 *
 *     AGPU_STACK_CASE("vidmm...", "vidmm.md 4.4", AEROGPU_FEATURE_TRANSFER, 0, .body = body, .gate = true) */
#ifndef AGPU_CASES_RIG_UMD_STACK_H
#define AGPU_CASES_RIG_UMD_STACK_H

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/case.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/packets.h"

/* What is prepared before body and taken down after it, however it ends. */
struct agpu_stack_case {
    void (*body)(struct agpu_test *test);
    /* Opens the stack again on a ring of its own with a changed configuration. */
    void (*configure)(struct agpu_runtime_config *config);
    bool gate;           /* opens the stack again over the gate below */
    uint32_t peer;       /* opens the peer (umd_peer.h): interface version, 0 = none */
    bool act_as_peer;    /* body runs as the peer from the start */
    bool client;         /* opens the client (vidmm_client.h) */
    const void *variant; /* for bodies that serve several cases */
};

void agpu_run_stack_case(struct agpu_test *test);
const struct agpu_stack_case *agpu_stack_case(const struct agpu_test *test);

#define AGPU_STACK_CASE(name, section, feature_bits, case_flags, ...)                                        \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_UMD, .flags = (case_flags),                      \
        .features = (feature_bits), .run = agpu_run_stack_case,                                              \
        .arg = &(const struct agpu_stack_case){__VA_ARGS__},                                                 \
    }

/* --- the gate: what the memory manager is shown of the device's progress ---
 *
 * Work is in flight, for the driver, exactly as long as the case wants, on every device. The gate is open
 * when a body begins and is opened again when it returns. */

/* Nothing that completes from now on is shown; the device itself goes on. */
void agpu_gate_hold(struct agpu_test *test);
/* Shows everything. */
void agpu_gate_open(struct agpu_test *test);
/* Shows one more fence at every polls-th look, and pretends to a ring of that many slots. */
void agpu_gate_crawl(struct agpu_test *test, uint32_t polls, uint32_t slots);
/* Submissions do not reach the device any more, which so hangs, until the memory manager resets it. */
void agpu_gate_hang(struct agpu_test *test);
/* Submissions that were accepted; times that no room was found; resets. */
struct agpu_gate_counts {
    uint32_t submits, full, resets;
};
struct agpu_gate_counts agpu_gate_counts(void);

/* The allocation table of the newest submission that is shown as unfinished; NULL when it has none. */
const struct aerogpu_alloc_entry *agpu_pending_table(struct agpu_test *test, uint32_t *count);
/* Its entry for an id; NULL when it has none. */
const struct aerogpu_alloc_entry *agpu_pending_entry(struct agpu_test *test, uint32_t alloc_id);

#endif
