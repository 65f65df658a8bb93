/* process.h: child processes that are noticed when they end, by a descriptor, and that never outlive this
 * one. */
#ifndef AGPU_HOST_RUN_PROCESS_H
#define AGPU_HOST_RUN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A descriptor the child gets: from is ours, to is the child's number for it (3 or more, or 0 to 2). */
struct agpu_child_fd {
    int from;
    int to;
};

struct agpu_process {
    pid_t pid;  /* 0 when there is none */
    int pidfd;  /* readable when it ended; -1 when there is none */
    bool ended; /* and reaped */
    int status; /* as waitpid() gives it */
};

/* A process that was never started: every call below does nothing with it. */
#define AGPU_PROCESS_NONE ((struct agpu_process){.pidfd = -1})

/* Starts argv[0] (looked up in PATH) in a process group of its own, stdin from /dev/null, with the given
 * descriptors and, of the rest, only stdout and stderr. The kernel kills it when this process dies. False
 * with errno set, also when the program cannot be executed. */
bool agpu_process_start(struct agpu_process *process, char *const argv[], const struct agpu_child_fd *fds,
                        size_t fd_count);

/* The same; in_child is called in the child, last before exec: what it changes of itself the program keeps. NULL: nothing. */
bool agpu_process_start_with(struct agpu_process *process, char *const argv[],
                             const struct agpu_child_fd *fds, size_t fd_count, void (*in_child)(void));

/* Reaps it, and kills what is left of its group, if it ended; true when it has ended. Never blocks. */
bool agpu_process_poll(struct agpu_process *process);

/* Kills the group and reaps; returns at once when it ended before. */
void agpu_process_kill(struct agpu_process *process);

/* Waits until it ended or timeout_ms passed; true when it ended. */
bool agpu_process_wait(struct agpu_process *process, int timeout_ms);

/* "signal 9 (Killed)" or "exit status 1" of a process that ended. */
void agpu_process_describe(const struct agpu_process *process, char *text, size_t size);

/* Reads the output of a command, less than a pipe holds, into text (cut to size, NUL-terminated). True when it exited with
 * status 0 within timeout_ms. */
bool agpu_process_text(char *const argv[], int timeout_ms, char *text, size_t size);

/* The same, of the output only the first line, without its newline. */
bool agpu_process_output(char *const argv[], int timeout_ms, char *text, size_t size);

#endif
