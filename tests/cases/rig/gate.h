/* gate.h: a transport wrapper that keeps work in flight as long as the case wants, on every device. It works in one
 * of two ways. Either it hides the device's progress from the memory manager, while the device continues; or it
 * really stops the device by clearing Bus Master, so that the device can neither fetch nor complete (device.md 2.1). */
#ifndef AGPU_CASES_RIG_GATE_H
#define AGPU_CASES_RIG_GATE_H

#include "pci/function.h"
#include "ring/transport.h"
#include "tests/cases/harness/check.h"

/* Wraps a transport; the gate is open. With `stopped`, the gate stops that function. For stack cases that ask for a
 * gate, the harness installs it before the body and opens it afterwards. */
const struct agpu_transport *agpu_gate_init(const struct agpu_transport *inner,
                                            const struct agpu_function *stopped);

/* Hides everything that completes from now on; or waits until the device is idle, and stops it. */
void agpu_gate_hold(struct agpu_test *test);
/* Shows all completions, or restarts the device. */
void agpu_gate_open(struct agpu_test *test);
/* Shows one more fence at every polls-th poll, and pretends that the ring has this many slots; or stops the device
 * before each submission until the polls-th poll. */
void agpu_gate_crawl(struct agpu_test *test, uint32_t polls, uint32_t slots);
/* Simulates a hang until the memory manager resets the device: drops submissions; or passes them on and stops the
 * device. */
void agpu_gate_hang(struct agpu_test *test);
/* Like agpu_gate_hang(), for cases that measure how long the manager takes to detect the hang; in other cases its
 * timeout is 10 ms. */
void agpu_gate_hang_in_time(struct agpu_test *test);
/* Stops the device in the middle of its current work, which the case has arranged, until the reset. Only for a gate
 * that stops the device. */
void agpu_gate_hang_now(struct agpu_test *test);
/* Numbers of accepted submissions, of refusals for lack of room, and of resets. */
struct agpu_gate_counts {
    uint32_t submits, full, resets;
};
struct agpu_gate_counts agpu_gate_counts(void);

#endif
