/* gate.h: a transport in front of the ring's by which work is in flight exactly as long as the case wants, on every
 * device. Either the memory manager is not shown the device's progress, while that goes on; or the device itself
 * does not get on: its Bus Master is off, and it can neither fetch nor complete (device.md 2.1). */
#ifndef AGPU_CASES_RIG_GATE_H
#define AGPU_CASES_RIG_GATE_H

#include "pci/function.h"
#include "ring/transport.h"
#include "tests/cases/harness/check.h"

/* The gate, open, in front of this transport; with a function it stops the device. Stack cases that ask for it
 * have it when the body begins, and have it opened again when it returns. */
const struct agpu_transport *agpu_gate_init(const struct agpu_transport *inner,
                                            const struct agpu_function *stopped);

/* Nothing that completes from now on is shown while the device goes on; or, after what is under way, the device
 * stops. */
void agpu_gate_hold(struct agpu_test *test);
/* Shows everything. */
void agpu_gate_open(struct agpu_test *test);
/* Shows one more fence at every polls-th poll, and pretends a ring of that many slots; or the device stops before
 * each submission until the polls-th poll. */
void agpu_gate_crawl(struct agpu_test *test, uint32_t polls, uint32_t slots);
/* Submissions do not reach the device any more, which so hangs, until the memory manager resets it; or they do, and
 * the device is stopped until the reset. */
void agpu_gate_hang(struct agpu_test *test);
/* The same, where the case measures how long it takes until that is found; after the others it takes 10 ms. */
void agpu_gate_hang_in_time(struct agpu_test *test);
/* The device is stopped at what it is at, for which the case has seen to it, until the reset. For a gate that stops it. */
void agpu_gate_hang_now(struct agpu_test *test);
/* Submissions that were accepted; times that no room was found; resets. */
struct agpu_gate_counts {
    uint32_t submits, full, resets;
};
struct agpu_gate_counts agpu_gate_counts(void);

#endif
