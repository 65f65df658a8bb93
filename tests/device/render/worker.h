/* worker.h: a helper process that does what may crash or hang: started on demand, spoken to over a socket
 * with a deadline, killed and started again when it fails. */
#ifndef VGPU_TESTS_DEVICE_RENDER_WORKER_H
#define VGPU_TESTS_DEVICE_RENDER_WORKER_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct vgpu_worker {
    pid_t pid;            /* 0 = not running */
    int fd;               /* our end of its socket, which is its standard input */
    int status;           /* as waitpid gave it, of the last one that ended */
    bool started;         /* at some time */
    bool late;            /* it was ended because its time was up */
    cpu_set_t processors; /* where it runs; none: where the thread does that starts it */
};

/* The time that something may take. A worker's time is the processor's: that the machine has none for it is not its doing. But
 * one that waits for nothing uses none, so patience_ns bounds what passes on the clock. */
struct vgpu_worker_bound {
    uint64_t limit_ns, patience_ns;
    uint64_t began_ns, processor_ns; /* when it began: the clock, and what the worker had used */
};

/* From now on. */
struct vgpu_worker_bound vgpu_worker_bound(const struct vgpu_worker *worker, uint64_t limit_ns,
                                           uint64_t patience_ns);
/* What of limit_ns is used up: never more than has passed. */
uint64_t vgpu_worker_spent_ns(const struct vgpu_worker *worker, const struct vgpu_worker_bound *bound);

/* Writes the path of the helper program `name` to path: the file that the environment variable names, else
 * the one beside the running program, else the one of the build tree. False when none can be executed. */
bool vgpu_worker_find(const char *name, const char *variable, const char *built, char *path, size_t size);

/* The worker will run where the calling thread may run now: a server may be kept on one processor later, which is not for those
 * who work beside it. */
void vgpu_worker_remember_processors(struct vgpu_worker *worker);

/* Starts the program. shared becomes its file descriptor 3 unless it is -1; of everything else it inherits
 * standard output and error only, and of the environment what is for drivers and for itself, and variable ("NAME=value",
 * NULL: none). False when it cannot be started. */
bool vgpu_worker_start(struct vgpu_worker *worker, const char *path, int shared, const char *variable);

/* Sends or receives exactly size bytes within the bound. False, and the worker killed, when it is too late or the worker is
 * gone. */
bool vgpu_worker_send(struct vgpu_worker *worker, const void *bytes, size_t size,
                      const struct vgpu_worker_bound *bound);
bool vgpu_worker_receive(struct vgpu_worker *worker, void *bytes, size_t size,
                         const struct vgpu_worker_bound *bound);

/* Closes its socket, upon which it ends, waits a second for that, then kills and reaps it; nothing when
 * it does not run. One that missed its deadline is killed at once. */
void vgpu_worker_stop(struct vgpu_worker *worker);

/* Writes how the last one ended: "signal 11", "exit status 1". */
void vgpu_worker_describe_end(const struct vgpu_worker *worker, char *text, size_t size);

#endif
