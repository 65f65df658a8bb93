/* patient.c: preloaded by tests/coverage: a process that is to be killed gets the time to end by itself
 * first, as its closed socket tells it to, because one that is killed does not write down which of its lines
 * ran. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 2000

int kill(pid_t pid, int number)
{
    siginfo_t ended;

    for (int ms = 0; number == SIGKILL && pid > 0 && ms < PATIENCE_MS; ms += 5) {
        ended.si_pid = 0;
        if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0) {
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return (int)syscall(SYS_kill, pid, number);
}
