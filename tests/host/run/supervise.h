/* supervise.h: a run from its first machine to its last: a case that ends or hangs the machine, or its device, does not end
 * the run. */
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
    /* When a machine was started, and after it was watched to its end, before its files go; boot counts from 0. One that was
     * not started whole may end without the first. NULL: nobody wants to know. */
    void (*started)(struct agpu_supervision *run, struct agpu_machine *machine, unsigned boot);
    void (*ended)(struct agpu_supervision *run, struct agpu_machine *machine, unsigned boot);
    void *machines_ctx;

    /* out */
    int signal;            /* that ended the run, 0 if none */
    uint64_t started_us;   /* host time of the first machine's start; 0: none started */
    char evidence[4300];   /* file with the device's state as of the first failure; "": none was taken */
    char work[96];         /* folder of the last machine's files; "": none */
    char qemu_version[80]; /* "" if it was not heard */
    char *command;         /* that started the last machine, for a shell; malloc'd; NULL: none did */
};

/* Starts device and machine and watches them to their end, again and again as options->restarts allows; the session then has
 * its ending. */
void agpu_supervise(struct agpu_supervision *run);

#endif
