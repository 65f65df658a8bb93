/* together.h: keeps a machine and its device model on one processor.
 *
 * A register access is a message: the machine's processor sleeps until the device model has answered. So the two never have
 * work at the same time while accesses are made, and what an access costs is handing over: three changes of thread. On one
 * processor that is 10 us, across two, each of which must be woken from idling, 30 to 60 us. The price is a device that works
 * for long while the machine looks at its fence: they share the processor then. And the reply must not end the device's turn: it
 * answers a doorbell and then works on it, and a machine that is woken by the answer would look at its fence for as long as its
 * turn lasts, a third of a millisecond, with nobody working. So the threads that wait for the device are batch threads to the
 * kernel, which take the processor when it is free. */
#ifndef AGPU_HOST_RUN_TOGETHER_H
#define AGPU_HOST_RUN_TOGETHER_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/host/run/process.h"

/* What a thread had of its processor since it began, and how long it waited for one; nanoseconds. */
struct agpu_together_use {
    uint64_t ran_ns, waited_ns;
};

struct agpu_kept_together {
    pid_t machine;    /* 0: they run where the kernel puts them */
    pid_t devices[8]; /* the thread that serves each */
    unsigned device_count;
    cpu_set_t everywhere; /* where they might run */
    bool apart;           /* for the moment: the kernel is to find them a better processor */
    pid_t busiest;        /* thread of the machine when last looked, and its figures then */
    struct agpu_together_use use;
    uint64_t looked_us, look_us; /* when it was looked last, and is to be the next time; UINT64_MAX: never */
};

/* Nothing is kept together. */
void agpu_together_init(struct agpu_kept_together *together);

/* In a child between fork() and exec: it stays on the processor on which it was started, the one that the kernel found the idlest. */
void agpu_together_stay(void);

/* From now on the device model's serving thread runs where the machine does, which was started with agpu_together_stay(). Call
 * it again for further devices; those over eight are left alone. */
void agpu_together_add(struct agpu_kept_together *together, const struct agpu_process *machine,
                       const struct agpu_process *device, uint64_t now_us);

/* Whether a thread shares its processor with strangers: it waited for it for 4/10 or more of the time that passed. Alone with
 * its device it waits for the device's work only. */
bool agpu_together_is_crowded(const struct agpu_together_use *before, const struct agpu_together_use *now,
                              uint64_t passed_ns);

/* Does the thread of this name, as QEMU calls its own, wait for the device: a processor of the guest, the I/O thread of vfio-user? */
bool agpu_together_steps_back(const char *name);

/* Looks, when look_us has come, whether the processor is crowded (other runs may have chosen the same one): then they run for a
 * moment where the kernel puts them, and stay together where the machine is after it. Threads that wait for the device step back. */
void agpu_together_tick(struct agpu_kept_together *together, uint64_t now_us);

#endif
