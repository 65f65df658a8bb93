/* worker.c: helper processes: start, communication with a deadline, kill. */
#include "tests/device/render/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/monotonic.h"

extern char **environ;

/* Longer than the drawing process needs to close its Vulkan device: a killed process loses its coverage data
 * and its exit status. */
enum { PATIENCE_MS = 1000 };

/* Environment variables that a helper inherits: those that select and debug drivers, sanitizers, and the
 * helper itself. */
static const char *const passed_on[] = {
    "AGPU_RENDER_", "AGPU_SHADERC_", "ASAN_OPTIONS=",  "GALLIUM_", "LD_LIBRARY_PATH=",
    "LP_",          "MESA_",         "UBSAN_OPTIONS=", "VK_",      "VKD3D_"};
enum { PASSED_ON_MOST = 64 };

static bool is_passed_on(const char *variable)
{
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++) {
        if (strncmp(variable, passed_on[i], strlen(passed_on[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Writes the helper's environment. A restarted helper does not report missing features of the system again. */
static void helper_environment(bool again, const char *added, char *out[PASSED_ON_MOST])
{
    static char quiet[] = "AGPU_HELPER_AGAIN=1";
    size_t count = 0;

    if (again) {
        out[count++] = quiet;
    }
    if (added != NULL) {
        out[count++] = (char *)(uintptr_t)added;
    }
    for (char **variable = environ; *variable != NULL && count + 1 < PASSED_ON_MOST; variable++) {
        if (is_passed_on(*variable)) {
            out[count++] = *variable;
        }
    }
    out[count] = NULL;
}

/* Returns the milliseconds until the deadline, rounded up, for poll(). */
static int remaining_ms(uint64_t deadline_ns)
{
    uint64_t now = vgpu_monotonic_ns();

    return now >= deadline_ns ? 0 : (int)((deadline_ns - now) / 1000000 + 1);
}

bool vgpu_worker_find(const char *name, const char *variable, const char *built, char *path, size_t size)
{
    const char *named = getenv(variable);

    if (named != NULL && *named) {
        return snprintf(path, size, "%s", named) < (int)size && access(path, X_OK) == 0;
    }
    ssize_t length = readlink("/proc/self/exe", path, size);
    if (length > 0 && (size_t)length < size) {
        path[length] = 0;
        char *slash = strrchr(path, '/');
        size_t room = slash != NULL ? size - (size_t)(slash + 1 - path) : 0;
        if (slash != NULL && snprintf(slash + 1, room, "%s", name) < (int)room && access(path, X_OK) == 0) {
            return true;
        }
    }
    return snprintf(path, size, "%s", built) < (int)size && access(path, X_OK) == 0;
}

void vgpu_worker_remember_processors(struct vgpu_worker *worker)
{
    if (sched_getaffinity(0, sizeof worker->processors, &worker->processors) != 0) {
        CPU_ZERO(&worker->processors);
    }
}

/* posix_spawn() has no attribute for processors: the child inherits those of the thread. */
static bool spawn_widely(struct vgpu_worker *worker, const char *path,
                         const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                         char *const arguments[], char *const environment[])
{
    cpu_set_t ours;
    const bool wide = CPU_COUNT(&worker->processors) != 0 && sched_getaffinity(0, sizeof ours, &ours) == 0 &&
                      !CPU_EQUAL(&ours, &worker->processors) &&
                      sched_setaffinity(0, sizeof worker->processors, &worker->processors) == 0;
    const bool started = posix_spawn(&worker->pid, path, actions, attributes, arguments, environment) == 0;

    if (wide) {
        (void)sched_setaffinity(0, sizeof ours, &ours);
    }
    return started;
}

bool vgpu_worker_start(struct vgpu_worker *worker, const char *path, int shared, const char *variable)
{
    int pair[2], last = shared < 0 ? 3 : 4;
    char *arguments[] = {(char *)(uintptr_t)path, NULL};
    char *environment[PASSED_ON_MOST];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, standard;

    worker->pid = 0;
    helper_environment(worker->started, variable, environment);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return false;
    }
    /* A descriptor that already has the target number would keep its close-on-exec flag: move it away
     * first. */
    int theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 8), memory = shared;
    close(pair[1]);
    if (shared >= 0) {
        memory = fcntl(shared, F_DUPFD_CLOEXEC, 8);
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, theirs, 0);
    if (shared >= 0) {
        posix_spawn_file_actions_adddup2(&actions, memory, 3);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, last);
    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE);
    sigaddset(&standard, SIGTERM);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &standard);
    /* A separate process group: the terminal's interrupt reaches only the parent, which then closes the
     * socket. */
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    bool started = theirs >= 0 && (shared < 0 || memory >= 0) &&
                   spawn_widely(worker, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (theirs >= 0) {
        close(theirs);
    }
    if (shared >= 0 && memory >= 0) {
        close(memory);
    }
    if (!started) {
        close(pair[0]);
        worker->pid = 0;
        return false;
    }
    worker->fd = pair[0];
    worker->started = true;
    worker->late = false;
    return true;
}

/* Closes the socket, waits up to patience_ms for the process to end, then kills it. */
static void end_process(struct vgpu_worker *worker, uint64_t patience_ms)
{
    uint64_t deadline = vgpu_monotonic_ns() + patience_ms * 1000000ull;

    close(worker->fd);
    int ended = patience_ms ? (int)syscall(SYS_pidfd_open, worker->pid, 0) : -1;
    if (ended >= 0) {
        struct pollfd poll_fd = {.fd = ended, .events = POLLIN};

        while (poll(&poll_fd, 1, remaining_ms(deadline)) < 0 && errno == EINTR) {
        }
        close(ended);
    }
    kill(worker->pid, SIGKILL);
    while (waitpid(worker->pid, &worker->status, 0) < 0 && errno == EINTR) {
    }
    worker->pid = 0;
}

void vgpu_worker_stop(struct vgpu_worker *worker)
{
    if (worker->pid != 0) {
        end_process(worker, PATIENCE_MS);
    }
}

void vgpu_worker_describe_end(const struct vgpu_worker *worker, char *text, size_t size)
{
    if (WIFSIGNALED(worker->status)) {
        snprintf(text, size, "signal %d", WTERMSIG(worker->status));
    } else {
        snprintf(text, size, "exit status %d", WEXITSTATUS(worker->status));
    }
}

/* Returns the worker's processor time, UINT64_MAX when it is unknown. */
static uint64_t processor_ns(const struct vgpu_worker *worker)
{
    clockid_t clock;
    struct timespec used;

    if (worker->pid == 0 || clock_getcpuclockid(worker->pid, &clock) != 0 ||
        clock_gettime(clock, &used) != 0) {
        return UINT64_MAX;
    }
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

struct vgpu_worker_bound vgpu_worker_bound(const struct vgpu_worker *worker, uint64_t limit_ns,
                                           uint64_t patience_ns)
{
    const uint64_t processor = processor_ns(worker);

    return (struct vgpu_worker_bound){.limit_ns = limit_ns,
                                      .patience_ns = patience_ns,
                                      .began_ns = vgpu_monotonic_ns(),
                                      .processor_ns = processor == UINT64_MAX ? 0 : processor};
}

uint64_t vgpu_worker_spent_ns(const struct vgpu_worker *worker, const struct vgpu_worker_bound *bound)
{
    const uint64_t passed = vgpu_monotonic_ns() - bound->began_ns;
    const uint64_t processor = processor_ns(worker);

    if (processor == UINT64_MAX || processor < bound->processor_ns) {
        return passed;
    }
    return processor - bound->processor_ns < passed ? processor - bound->processor_ns : passed;
}

/* Returns the earliest time at which the limit may be reached. */
static uint64_t earliest_end(const struct vgpu_worker *worker, const struct vgpu_worker_bound *bound)
{
    const uint64_t spent = vgpu_worker_spent_ns(worker, bound), now = vgpu_monotonic_ns();
    const uint64_t end = bound->began_ns + bound->patience_ns;

    if (spent >= bound->limit_ns || now >= end) {
        return now;
    }
    return bound->limit_ns - spent < end - now ? now + bound->limit_ns - spent : end;
}

/* Waits until the socket is ready for events. Returns false, with the worker killed, after the limit. */
static bool wait_ready(struct vgpu_worker *worker, short events, const struct vgpu_worker_bound *bound)
{
    for (;;) {
        struct pollfd poll_fd = {.fd = worker->fd, .events = events};
        int count = poll(&poll_fd, 1, remaining_ms(earliest_end(worker, bound)));

        if (count > 0) {
            return true;
        }
        worker->late = count == 0 && earliest_end(worker, bound) <= vgpu_monotonic_ns();
        if (worker->late || (count < 0 && errno != EINTR)) {
            end_process(worker, 0); /* its time is used up */
            return false;
        }
    }
}

static bool transfer_to_worker(struct vgpu_worker *worker, uint8_t *in, const uint8_t *out, size_t size,
                               const struct vgpu_worker_bound *bound)
{
    if (worker->pid == 0) {
        return false;
    }
    for (size_t done = 0; done < size;) {
        if (!wait_ready(worker, in != NULL ? POLLIN : POLLOUT, bound)) {
            return false;
        }
        ssize_t count = in != NULL ? recv(worker->fd, in + done, size - done, MSG_DONTWAIT)
                                   : send(worker->fd, out + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0) {
            done += (size_t)count;
        } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
            vgpu_worker_stop(worker);
            return false;
        }
    }
    return true;
}

bool vgpu_worker_send(struct vgpu_worker *worker, const void *bytes, size_t size,
                      const struct vgpu_worker_bound *bound)
{
    return transfer_to_worker(worker, NULL, bytes, size, bound);
}

bool vgpu_worker_receive(struct vgpu_worker *worker, void *bytes, size_t size,
                         const struct vgpu_worker_bound *bound)
{
    return transfer_to_worker(worker, bytes, NULL, size, bound);
}
