/* wait.h: the only waits of mm/ (vidmm.md 4.3, 6.4): each polls the device and is bounded. */
#ifndef AGPU_MM_RUNTIME_WAIT_H
#define AGPU_MM_RUNTIME_WAIT_H

#include "mm/base/ntstatus.h"
#include "mm/kmd/hang_clock.h"
#include "pci/machine/wait.h"

struct agpu_runtime;

/* One bounded wait. Progress of the device restarts the bound, so that a long queue does not time out. */
struct agpu_runtime_wait {
    struct agpu_runtime *runtime;
    struct agpu_wait wait;
    struct agpu_hang_clock clock;
    uint64_t completed;
    uint64_t resets;
    enum agpu_relax_reason reason;
};

/* Services a pending interrupt, completes fences, detects a hang. Every wait calls it. */
void agpu_runtime_poll(struct agpu_runtime *runtime);
/* Waits until everything submitted is complete; false when the bound expires first. */
bool agpu_runtime_wait_idle(struct agpu_runtime *runtime);

/* Calls agpu_runtime_poll when something is pending. Otherwise it costs nothing, whereas a register access may cost an
 * exit to the hypervisor. */
void agpu_runtime_poll_if_busy(struct agpu_runtime *runtime);

void agpu_runtime_wait_begin(struct agpu_runtime_wait *wait, struct agpu_runtime *runtime,
                             enum agpu_relax_reason reason);
/* Polls and relaxes once. STATUS_SUCCESS: try again; STATUS_DEVICE_REMOVED: a reset, an error or the bound ended the
 * wait. */
NTSTATUS agpu_runtime_wait_again(struct agpu_runtime_wait *wait);
/* Waits for one fence value. */
NTSTATUS agpu_runtime_wait_fence(struct agpu_runtime *runtime, uint64_t fence);

#endif
