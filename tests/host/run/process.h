/* process.h: child processes whose end makes a descriptor readable, and which never outlive this process. */
#ifndef AGPU_HOST_RUN_PROCESS_H
#define AGPU_HOST_RUN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A descriptor for the child: from is ours, to is its number in the child (3 or more, or 0 to 2). */
struct agpu_child_fd {
    int from;
    int to;
};

struct agpu_process {
    pid_t pid;  /* 0: not started */
    int pidfd;  /* readable when it has ended; -1: not started */
    bool ended; /* it has ended, and was reaped */
    int status; /* as waitpid() gives it */
};

/* A process that was never started: every call below ignores it. */
#define AGPU_PROCESS_NONE ((struct agpu_process){.pidfd = -1})

/* Starts argv[0] (found in PATH) in a process group of its own, with stdin from /dev/null and the given descriptors;
 * of the other descriptors it inherits only stdout and stderr. The kernel kills it when this process dies. Returns
 * false with errno set, also when the program cannot be executed. */
bool agpu_process_start(struct agpu_process *process, char *const argv[], const struct agpu_child_fd *fds,
                        size_t fd_count);

/* Like agpu_process_start(), but calls in_child (NULL: nothing) in the child, last before exec; the program inherits
 * process attributes that it changes. */
bool agpu_process_start_with(struct agpu_process *process, char *const argv[],
                             const struct agpu_child_fd *fds, size_t fd_count, void (*in_child)(void));

/* Returns true when the process has ended; reaps it then, and kills the rest of its group. Never blocks. */
bool agpu_process_poll(struct agpu_process *process);

/* Kills the group and reaps; returns at once when it has already ended. */
void agpu_process_kill(struct agpu_process *process);

/* Waits until it has ended or timeout_ms have passed; returns true when it has ended. */
bool agpu_process_wait(struct agpu_process *process, int timeout_ms);

/* Describes how a process ended: "signal 9 (Killed)" or "exit status 1". */
void agpu_process_describe(const struct agpu_process *process, char *text, size_t size);

/* Reads the output of a command, which must be shorter than a pipe's capacity, into text (truncated to size,
 * NUL-terminated). Returns true when it exited with status 0 within timeout_ms. */
bool agpu_process_text(char *const argv[], int timeout_ms, char *text, size_t size);

/* Like agpu_process_text(), but returns only the first line, without its newline. */
bool agpu_process_output(char *const argv[], int timeout_ms, char *text, size_t size);

#endif
