/* gate.h: a transport in front of the ring's that decides what the memory manager is shown of the device's
 * progress: work is in flight, for the driver, exactly as long as the case wants, on every device. */
#ifndef AGPU_CASES_RIG_GATE_H
#define AGPU_CASES_RIG_GATE_H

#include "ring/transport.h"
#include "tests/cases/harness/check.h"

/* The gate, open, in front of this transport. Stack cases that ask for it have it when the body begins,
 * and have it opened again when it returns. */
const struct agpu_transport *agpu_gate_init(const struct agpu_transport *inner);

/* Nothing that completes from now on is shown; the device itself goes on. */
void agpu_gate_hold(struct agpu_test *test);
/* Shows everything. */
void agpu_gate_open(struct agpu_test *test);
/* Shows one more fence at every polls-th poll, and pretends a ring of that many slots. */
void agpu_gate_crawl(struct agpu_test *test, uint32_t polls, uint32_t slots);
/* Submissions do not reach the device any more, which so hangs, until the memory manager resets it. */
void agpu_gate_hang(struct agpu_test *test);
/* Submissions that were accepted; times that no room was found; resets. */
struct agpu_gate_counts {
    uint32_t submits, full, resets;
};
struct agpu_gate_counts agpu_gate_counts(void);

#endif
