/* warden.c: waits for the process that the device runs in. */
#include "tests/device/plugin/warden.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/plugin/guard.h"

static atomic_bool *dismissed; /* shared with the child; NULL: no parent waits */

bool vgpu_warden_is_traced(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    char line[128];
    long tracer = 0;

    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "TracerPid:", 10) == 0) {
            tracer = strtol(line + 10, NULL, 10);
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return tracer != 0;
}

/* Ends like the child, but without a second core file. */
static void end_by(int number)
{
    const struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    raise(number);
}

bool vgpu_warden_ended(int child, int options, struct vgpu_warden_end *end)
{
    char how[160];
    int status = 0;
    pid_t ended;

    *end = (struct vgpu_warden_end){0};
    do {
        ended = waitpid(child, &status, options | WUNTRACED);
    } while ((ended < 0 && errno == EINTR) ||
             (ended > 0 && WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP)); /* terminals stop both */
    if (ended == 0) {
        return false;
    }
    if (ended < 0) {
        fprintf(stderr, "agpu: cannot wait for the process of the device: %s\n", strerror(errno));
    } else if (WIFSTOPPED(status)) {
        vgpu_guard_say(" stopped the process of the tool");
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    } else if (WIFSIGNALED(status)) {
        end->signal = WTERMSIG(status);
        snprintf(how, sizeof how, " ended the process of the tool: signal %d (%s)", end->signal,
                 strsignal(end->signal));
        vgpu_guard_say(how);
    } else {
        end->status = WEXITSTATUS(status);
        end->finished = atomic_load(dismissed);
        snprintf(
            how, sizeof how,
            " ended the process of the tool, or prevented its work: exit status %d before it was complete",
            end->status);
        if (!end->finished) {
            vgpu_guard_say(how);
        }
    }
    return true;
}

bool vgpu_warden_fork(int *child)
{
    const pid_t original = getpid();

    if (dismissed == NULL) {
        dismissed = mmap(NULL, sizeof *dismissed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    if (dismissed == MAP_FAILED || !vgpu_guard_share()) {
        *child = -1;
        return false;
    }
    atomic_store(dismissed, false);
    fflush(NULL);
    *child = fork();
    /* The child must not outlive its parent. */
    return *child > 0 || (*child == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == original);
}

bool vgpu_warden_set(void)
{
    struct vgpu_warden_end end;
    int child = 0;
    const bool good = vgpu_warden_is_traced() || vgpu_warden_fork(&child);

    if (!good || child == 0) {
        return good;
    }
    vgpu_warden_ended(child, 0, &end);
    if (end.signal != 0) {
        end_by(end.signal);
    }
    _exit(end.finished ? end.status : EXIT_FAILURE);
}

bool vgpu_warden_dismiss(void)
{
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        fputs("agpu: not all records could be written to standard output\n", stderr);
        return false;
    }
    if (dismissed != NULL) {
        atomic_store(dismissed, true);
    }
    return true;
}
