/* listener.h: starts, observes and ends an `agpu listen`. */
#ifndef AGPU_TESTS_UNIT_HOST_LISTENER_H
#define AGPU_TESTS_UNIT_HOST_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct test_listener {
    const char *agpu;
    char folder[200]; /* its output is in folder/output, its results in folder/out */
    uint16_t port;    /* port on 127.0.0.1; 0: the listener finds one */
    pid_t pid;        /* 0: not running */
};

/* Counts text in the first 4 MiB of folder/name. */
unsigned listener_count(const struct test_listener *listener, const char *name, const char *text);

/* Starts agpu listen with these arguments after --bind, --port and --out; NULL ends them. Returns false if it is not up
 * within 20 s. */
bool listener_start(struct test_listener *listener, const char *const *words);
/* Waits for the listener's end. Returns its status, or -1 if it was killed or has not ended in time. */
int listener_wait(struct test_listener *listener, double seconds);
/* Kills the listener if it is running. */
void listener_kill(struct test_listener *listener);

#endif
