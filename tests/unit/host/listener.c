/* listener.c: an `agpu listen` started by a test (listener.h). */
#include "tests/unit/host/listener.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX 23u
#define BEGIN_S   20

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns the port that the listener names in its first line; 0: it has not begun. */
static uint16_t read_port(const struct test_listener *listener)
{
    char path[500];
    unsigned port = 0;

    snprintf(path, sizeof path, "%s/output", listener->folder);
    FILE *output = fopen(path, "re");
    if (output != NULL) {
        if (fscanf(output, "listening on UDP 127.0.0.1 port %u", &port) != 1) {
            port = 0;
        }
        fclose(output);
    }
    return (uint16_t)port;
}

unsigned listener_count(const struct test_listener *listener, const char *name, const char *text)
{
    static char all[4 << 20];
    char path[500];
    unsigned count = 0;

    snprintf(path, sizeof path, "%s/%s", listener->folder, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd >= 0 ? read(fd, all, sizeof all - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    all[size > 0 ? size : 0] = '\0';
    for (const char *at = all; (at = strstr(at, text)) != NULL; at++) {
        count++;
    }
    return count;
}

bool listener_start(struct test_listener *listener, const char *const *words)
{
    char number[16], out[240], output[240];
    const char *argv[8 + WORDS_MAX + 1] = {listener->agpu, "listen", "--bind", "127.0.0.1",
                                           "--port",       number,   "--out",  out};

    for (size_t i = 0; i < WORDS_MAX && words[i] != NULL; i++) {
        argv[8 + i] = words[i];
    }
    snprintf(number, sizeof number, "%u", listener->port);
    snprintf(out, sizeof out, "%s/out", listener->folder);
    snprintf(output, sizeof output, "%s/output", listener->folder);
    unlink(output);
    listener->pid = fork();
    if (listener->pid == 0) {
        const int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        dup2(fd, 1);
        dup2(fd, 2);
        execv(listener->agpu, (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    uint16_t port;
    for (const double until = now_s() + BEGIN_S; (port = read_port(listener)) == 0; poll(NULL, 0, 5)) {
        if (now_s() > until) {
            return false;
        }
    }
    listener->port = port;
    return true;
}

int listener_wait(struct test_listener *listener, double seconds)
{
    int status;

    for (const double until = now_s() + seconds; now_s() < until; poll(NULL, 0, 10)) {
        if (waitpid(listener->pid, &status, WNOHANG) == listener->pid) {
            listener->pid = 0;
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
    }
    return -1;
}

void listener_kill(struct test_listener *listener)
{
    if (listener->pid > 0) {
        kill(listener->pid, SIGKILL);
        waitpid(listener->pid, NULL, 0);
        listener->pid = 0;
    }
}
