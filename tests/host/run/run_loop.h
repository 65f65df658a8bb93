/* run_loop.h: watches a running machine until it has ended: records, crashes, time limits, signals. */
#ifndef AGPU_HOST_RUN_RUN_LOOP_H
#define AGPU_HOST_RUN_RUN_LOOP_H

#include "tests/host/run/machine.h"
#include "tests/host/run/run_stream.h"
#include "tests/host/run/session.h"

struct agpu_run_loop {
    struct agpu_session *session;
    struct agpu_machine *machine;
    int signal_fd;          /* SIGINT, SIGTERM, SIGHUP */
    uint64_t answer_us;     /* time limit for the device's answer to QEMU's requests before anything runs */
    const char *screenshot; /* absolute path, NULL: none wanted */
    bool names_device;      /* a program of --vdev: its last output is evidence */
    bool may_reset;         /* may reset after its summary */
    bool waits;             /* the image waits for commands after its cases */
    bool streams;           /* the image may wait for a collector at its end */

    /* out */
    int signal; /* signal that ended the run, 0 if none */
    /* times that each device was saved and restored, as its process reported at its end */
    uint64_t restores[1 + AGPU_MORE_DEVICES_MAX];

    /* own */
    struct agpu_run_stream stream;
    struct agpu_line_stream qemu_lines;
    struct agpu_line_stream vdev_lines;
    char complaint[240];   /* QEMU's first line that is not a warning */
    char last_words[320];  /* the device model's report of its crash; "" if none */
    char vdev_output[160]; /* last line of output of the device's program */
    /* deadline for QEMU's end after the device model exited with status 0, or the summary arrived */
    uint64_t orderly_until_us;
    uint64_t gather_until_us; /* the debug console is not read until then */
    unsigned shot;            /* id of the screendump command, 0 when none was sent */
    bool stopping;
    bool evidence_taken;
};

/* Returns when QEMU has ended or was terminated; the session then has its ending, and all input that was on its way.
 * After the death of QEMU or the device model, or an expired time limit, it returns within two seconds. */
void agpu_run_loop(struct agpu_run_loop *loop);

#endif
