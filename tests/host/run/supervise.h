/* supervise.h: a run from its first machine to its last: a case that crashes or hangs the machine, or its device,
 * does not end the run. */
#ifndef AGPU_HOST_RUN_SUPERVISE_H
#define AGPU_HOST_RUN_SUPERVISE_H

#include "tests/host/run/machine.h"
#include "tests/host/run/run_options.h"
#include "tests/host/run/session.h"

struct agpu_supervision {
    struct agpu_session *session;
    const struct agpu_run_options *options;
    const char *accel; /* NULL with --machine */
    int signal_fd;     /* SIGINT, SIGTERM, SIGHUP */
    /* Called after a machine was started, and after it ended, before its files are removed; boot starts at 0. A
     * failed start may call ended without started. NULL: no callback. */
    void (*started)(struct agpu_supervision *run, struct agpu_machine *machine, unsigned boot);
    void (*ended)(struct agpu_supervision *run, struct agpu_machine *machine, unsigned boot);
    void *machines_ctx;

    /* out */
    int signal; /* signal that ended the run, 0 if none */
    /* times that each device was saved and restored */
    uint64_t restores[1 + AGPU_MORE_DEVICES_MAX];
    uint64_t started_us;   /* host time of the first machine's start; 0: none started */
    char work[96];         /* directory of the last machine's files; "": none */
    char qemu_version[80]; /* "" if not known */
    char *command; /* command line of the last machine, for a shell; malloc'd; NULL: none was started */
};

/* Starts device and machine and watches them until they end, repeatedly as options->restarts allows; the session
 * then has its ending. */
void agpu_supervise(struct agpu_supervision *run);

#endif
