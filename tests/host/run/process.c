/* process.c: fork, exec and pidfd for child processes that die with this one. */
#include "tests/host/run/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILD_FDS_MAX 8
/* descriptors are first moved above this, so that none is overwritten before it is placed */
#define PARK_FD 64

/* Does everything between fork() and exec. Reports a failure as an errno on error_fd. */
static void become_program(char *const argv[], const struct agpu_child_fd *fds, size_t fd_count, pid_t parent,
                           void (*in_child)(void), int error_fd)
{
    int parked[CHILD_FDS_MAX];
    sigset_t none;

    sigemptyset(&none);
    int reporting = fcntl(error_fd, F_DUPFD_CLOEXEC, PARK_FD);
    bool good = reporting >= 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    good = good && null >= 0 && dup2(null, 0) == 0 && setpgid(0, 0) == 0;
    for (size_t i = 0; i < fd_count && good; i++) {
        parked[i] = fcntl(fds[i].from, F_DUPFD_CLOEXEC, PARK_FD);
        good = parked[i] >= 0;
    }
    /* All other descriptors belong to this program; a child with the other end of a pipe would prevent its EOF. */
    good = good && close_range(3, PARK_FD - 1, CLOSE_RANGE_CLOEXEC) == 0;
    for (size_t i = 0; i < fd_count && good; i++) {
        good = dup2(parked[i], fds[i].to) == fds[i].to; /* dup2 clears close-on-exec */
    }
    if (good) {
        signal(SIGPIPE, SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (in_child != NULL) {
            in_child();
        }
        execvp(argv[0], argv);
    }
    int failure = errno;
    ssize_t written = write(reporting >= 0 ? reporting : error_fd, &failure, sizeof failure);
    _exit(written == sizeof failure ? 127 : 126);
}

bool agpu_process_start(struct agpu_process *process, char *const argv[], const struct agpu_child_fd *fds,
                        size_t fd_count)
{
    return agpu_process_start_with(process, argv, fds, fd_count, NULL);
}

bool agpu_process_start_with(struct agpu_process *process, char *const argv[],
                             const struct agpu_child_fd *fds, size_t fd_count, void (*in_child)(void))
{
    int errors[2];

    *process = AGPU_PROCESS_NONE;
    if (fd_count > CHILD_FDS_MAX || pipe2(errors, O_CLOEXEC) != 0) {
        errno = fd_count > CHILD_FDS_MAX ? EINVAL : errno;
        return false;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        become_program(argv, fds, fd_count, parent, in_child, errors[1]);
    }
    close(errors[1]);
    int failure = errno;
    if (pid > 0) {
        setpgid(pid, pid); /* the child does the same: the first one wins */
        failure = 0;
        if (read(errors[0], &failure, sizeof failure) != sizeof failure) {
            failure = 0; /* end of file: exec closed it */
        }
        process->pid = pid;
        process->pidfd = failure ? -1 : pidfd_open(pid, 0);
        if (!failure && process->pidfd < 0) {
            failure = errno;
            kill(pid, SIGKILL);
        }
        if (failure) {
            waitpid(pid, NULL, 0);
            *process = AGPU_PROCESS_NONE;
        }
    }
    close(errors[0]);
    errno = failure;
    return process->pid > 0;
}

bool agpu_process_poll(struct agpu_process *process)
{
    if (process->pid > 0 && !process->ended &&
        waitpid(process->pid, &process->status, WNOHANG) == process->pid) {
        process->ended = true;
        close(process->pidfd);
        process->pidfd = -1;
    }
    return process->ended;
}

/* Signals the whole process group. */
static void signal_process(const struct agpu_process *process, int signal)
{
    if (process->pid > 0 && !process->ended) {
        kill(-process->pid, signal);
    }
}

static void nap_until_end(struct agpu_process *process, int timeout_ms)
{
    struct pollfd end = {.fd = process->pidfd, .events = POLLIN};

    while (poll(&end, 1, timeout_ms) < 0 && errno == EINTR) {
    }
}

bool agpu_process_wait(struct agpu_process *process, int timeout_ms)
{
    if (process->pid > 0 && !agpu_process_poll(process)) {
        nap_until_end(process, timeout_ms);
        agpu_process_poll(process);
    }
    return process->pid == 0 || process->ended;
}

void agpu_process_kill(struct agpu_process *process)
{
    signal_process(process, SIGKILL);
    agpu_process_wait(process, 5000); /* after SIGKILL; takes longer only when the kernel hangs in I/O */
}

void agpu_process_describe(const struct agpu_process *process, char *text, size_t size)
{
    if (WIFSIGNALED(process->status)) {
        snprintf(text, size, "signal %d (%s)", WTERMSIG(process->status),
                 strsignal(WTERMSIG(process->status)));
    } else {
        snprintf(text, size, "exit status %d", WEXITSTATUS(process->status));
    }
}

bool agpu_process_text(char *const argv[], int timeout_ms, char *text, size_t size)
{
    int out[2];

    text[0] = '\0';
    if (pipe2(out, O_CLOEXEC) != 0) {
        return false;
    }
    struct agpu_process process;
    struct agpu_child_fd fds[] = {{out[1], 1}, {out[1], 2}};
    bool good = agpu_process_start(&process, argv, fds, 2);
    int failure = errno;
    close(out[1]);
    /* Output that exceeds a pipe would block the command: none of the commands used here writes that much. */
    good = good && agpu_process_wait(&process, timeout_ms) && WIFEXITED(process.status) &&
           WEXITSTATUS(process.status) == 0;
    agpu_process_kill(&process);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    ssize_t length = read(out[0], text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    close(out[0]);
    errno = failure;
    return good;
}

bool agpu_process_output(char *const argv[], int timeout_ms, char *text, size_t size)
{
    const bool good = agpu_process_text(argv, timeout_ms, text, size);

    text[strcspn(text, "\n")] = '\0';
    return good;
}
