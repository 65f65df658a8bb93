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

static bool is_traced(void)
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

static void wait_for(pid_t copy)
{
    char how[160];
    int status = 0;

    do {
        if (waitpid(copy, &status, WUNTRACED) < 0) {
            if (errno == EINTR) {
                continue;
            }
            fprintf(stderr, "agpu: cannot wait for the process of the device: %s\n", strerror(errno));
            _exit(EXIT_FAILURE);
        }
        if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP) { /* terminals send others, to both */
            vgpu_guard_say(" stopped the process of the tool");
            kill(copy, SIGKILL);
            _exit(EXIT_FAILURE);
        }
    } while (!WIFEXITED(status) && !WIFSIGNALED(status));
    if (WIFEXITED(status) && atomic_load(dismissed)) {
        _exit(WEXITSTATUS(status));
    }
    if (WIFSIGNALED(status)) {
        snprintf(how, sizeof how, " ended the process of the tool: signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
        vgpu_guard_say(how);
        end_by(WTERMSIG(status));
    }
    snprintf(how, sizeof how,
             " ended the process of the tool, or prevented its work: exit status %d before it was complete",
             WEXITSTATUS(status));
    vgpu_guard_say(how);
    _exit(EXIT_FAILURE);
}

bool vgpu_warden_set(void)
{
    const pid_t original = getpid();
    pid_t copy;

    if (is_traced()) {
        return true;
    }
    dismissed = mmap(NULL, sizeof *dismissed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (dismissed == MAP_FAILED || !vgpu_guard_share()) {
        return false;
    }
    copy = fork();
    if (copy > 0) {
        wait_for(copy);
    }
    /* The child must not outlive its parent. */
    return copy == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == original;
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
