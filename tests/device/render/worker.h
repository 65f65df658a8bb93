/* worker.h: a helper process for work that may crash or hang: started on demand, used over a socket with a
 * deadline, killed and restarted when it fails. */
#ifndef VGPU_TESTS_DEVICE_RENDER_WORKER_H
#define VGPU_TESTS_DEVICE_RENDER_WORKER_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct vgpu_worker {
    pid_t pid;            /* 0 = not running */
    int fd;               /* this side of its socket, which is its standard input */
    int status;           /* waitpid() status of the last one that ended */
    bool started;         /* was started at least once */
    bool late;            /* was ended because it exceeded its time */
    cpu_set_t processors; /* processors to run on; none: those of the starting thread */
};

/* Limit of the time that a request may take. limit_ns is the worker's processor time, so that load of the
 * machine does not count. A worker that only waits uses no processor time, so patience_ns limits the elapsed
 * time. */
struct vgpu_worker_bound {
    uint64_t limit_ns, patience_ns;
    uint64_t began_ns, processor_ns; /* at the start: the clock, and the worker's processor time */
};

/* Starts a limit now. */
struct vgpu_worker_bound vgpu_worker_bound(const struct vgpu_worker *worker, uint64_t limit_ns,
                                           uint64_t patience_ns);
/* Returns how much of limit_ns is used up; never more than the elapsed time. */
uint64_t vgpu_worker_spent_ns(const struct vgpu_worker *worker, const struct vgpu_worker_bound *bound);

/* Writes the path of the helper program `name`: the file in the environment variable, else the one beside the
 * running program, else the one of the build tree. Returns false when none can be executed. */
bool vgpu_worker_find(const char *name, const char *variable, const char *built, char *path, size_t size);

/* Makes the worker run on the processors that the calling thread may use now: a server may later be pinned to
 * one processor, which must not pin its helpers. */
void vgpu_worker_remember_processors(struct vgpu_worker *worker);

/* Starts the program. shared becomes its file descriptor 3 unless it is -1. It inherits only standard output
 * and error, and from the environment only variables for drivers and for itself, and variable ("NAME=value",
 * NULL: none). Returns false when it cannot be started. */
bool vgpu_worker_start(struct vgpu_worker *worker, const char *path, int shared, const char *variable);

/* Sends or receives exactly size bytes within the limit. Returns false, with the worker killed, when it is too
 * late or the worker is gone. */
bool vgpu_worker_send(struct vgpu_worker *worker, const void *bytes, size_t size,
                      const struct vgpu_worker_bound *bound);
bool vgpu_worker_receive(struct vgpu_worker *worker, void *bytes, size_t size,
                         const struct vgpu_worker_bound *bound);

/* Closes the socket, which makes the worker end, waits up to a second, then kills and reaps it; no effect when
 * it is not running. A worker that missed its deadline is killed at once. */
void vgpu_worker_stop(struct vgpu_worker *worker);

/* Writes how the last worker ended: "signal 11", "exit status 1". */
void vgpu_worker_describe_end(const struct vgpu_worker *worker, char *text, size_t size);

#endif
