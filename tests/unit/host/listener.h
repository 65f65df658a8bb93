/* listener.h: an `agpu listen` of a test's own: begun, listened to, ended. */
#ifndef AGPU_TESTS_UNIT_HOST_LISTENER_H
#define AGPU_TESTS_UNIT_HOST_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct test_listener {
    const char *agpu;
    char folder[200]; /* what it says goes to folder/output, its results to folder/out */
    uint16_t port;    /* on 127.0.0.1 */
    pid_t pid;        /* 0: it does not run */
};

/* How often text is in folder/name, of which 4 MiB are looked at. */
unsigned listener_count(const struct test_listener *listener, const char *name, const char *text);

/* agpu listen with these words behind --bind, --port and --out; NULL ends them. False when it did not begin within 20 s. */
bool listener_start(struct test_listener *listener, const char *const *words);
/* Waits for its end: its status, -1 when it was killed, or has not ended within so many seconds. */
int listener_wait(struct test_listener *listener, double seconds);
/* Kills it, if it runs. */
void listener_kill(struct test_listener *listener);

#endif
