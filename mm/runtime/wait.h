/* wait.h: the only waits of mm/ (vidmm.md 4.3, 6.4): each polls the device, and each is bounded. */
#ifndef AGPU_MM_RUNTIME_WAIT_H
#define AGPU_MM_RUNTIME_WAIT_H

#include "mm/base/ntstatus.h"
#include "mm/kmd/hang_clock.h"
#include "pci/machine/wait.h"

struct agpu_runtime;

/* One bounded wait. The bound starts again whenever the device gets on, so a long queue is no timeout. */
struct agpu_runtime_wait {
    struct agpu_runtime *runtime;
    struct agpu_wait wait;
    struct agpu_hang_clock clock;
    uint64_t completed;
    uint64_t resets;
    enum agpu_relax_reason reason;
};

/* Services a pending interrupt, completes fences, detects a hang; every wait does this by itself. */
void agpu_runtime_poll(struct agpu_runtime *runtime);
/* Waits until everything submitted is complete; false when that did not happen within the bound. */
bool agpu_runtime_wait_idle(struct agpu_runtime *runtime);

/* agpu_runtime_poll when something is under way; costs nothing otherwise, where a register access may cost
 * an exit to the hypervisor. */
void agpu_runtime_poll_if_busy(struct agpu_runtime *runtime);

void agpu_runtime_wait_begin(struct agpu_runtime_wait *wait, struct agpu_runtime *runtime,
                             enum agpu_relax_reason reason);
/* Polls and relaxes once. STATUS_SUCCESS: try again; STATUS_DEVICE_REMOVED: a reset, an error or the bound
 * ended it. */
NTSTATUS agpu_runtime_wait_again(struct agpu_runtime_wait *wait);
/* Waits for one fence value. */
NTSTATUS agpu_runtime_wait_fence(struct agpu_runtime *runtime, uint64_t fence);

#endif
