/* together.h: runs a machine and its device model on the same processor.
 *
 * A register access is a message: the machine's processor sleeps until the device model has answered. During
 * accesses only one of the two has work at any time, and the cost is three thread switches. These take 10 us on one
 * processor, but 30 to 60 us across two, each of which must be woken from idle. The price: when the device works for
 * long while the machine polls its fence, they share the processor.
 *
 * The reply must not end the device's turn. The device answers a doorbell and then does the work; a machine that
 * preempted it would poll its fence for its whole time slice, a third of a millisecond, without any progress.
 * Therefore the machine's threads that wait for the device have the policy SCHED_BATCH, so that waking them does not
 * preempt the device. */
#ifndef AGPU_HOST_RUN_TOGETHER_H
#define AGPU_HOST_RUN_TOGETHER_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/host/run/process.h"

/* Processor time of a thread since its start, and time that it waited for a processor; nanoseconds. */
struct agpu_together_use {
    uint64_t ran_ns, waited_ns;
};

struct agpu_kept_together {
    pid_t machine;    /* 0: the kernel places them */
    pid_t devices[8]; /* the serving thread of each device */
    unsigned device_count;
    cpu_set_t everywhere; /* processors on which they may run */
    bool apart;           /* currently released, so that the kernel can find a better processor */
    pid_t busiest;        /* the machine's busiest thread at the last check, and its figures then */
    struct agpu_together_use use;
    uint64_t checked_us, check_us; /* time of the last check and of the next; UINT64_MAX: never */
};

/* Initialises: nothing shares a processor. */
void agpu_together_init(struct agpu_kept_together *together);

/* Called in a child between fork() and exec: pins it to the processor on which it was started, which the kernel
 * chose as the most idle. */
void agpu_together_stay(void);

/* Moves the device model's serving thread to the processor of the machine, which was started with
 * agpu_together_stay(). Call it again for further devices; devices beyond the eighth are ignored. */
void agpu_together_add(struct agpu_kept_together *together, const struct agpu_process *machine,
                       const struct agpu_process *device, uint64_t now_us);

/* Returns true when a thread shares its processor with unrelated threads: it waited for the processor for at least
 * 4/10 of the elapsed time. With only its device it waits just for the device's work. */
bool agpu_together_is_crowded(const struct agpu_together_use *before, const struct agpu_together_use *now,
                              uint64_t passed_ns);

/* Returns true when the thread with this name in QEMU waits for the device: a virtual CPU, or the I/O thread of
 * vfio-user. */
bool agpu_together_steps_back(const char *name);

/* Once check_us has been reached, checks whether the processor is crowded (other runs may have chosen the same one).
 * If so, releases machine and device briefly to the kernel's scheduler, then pins both where the machine ended up.
 * Sets the scheduling policy of threads that wait for the device. */
void agpu_together_tick(struct agpu_kept_together *together, uint64_t now_us);

#endif
