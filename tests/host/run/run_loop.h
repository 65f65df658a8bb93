/* run_loop.h: watches a running machine until it is gone: records, deaths, bounds, signals. */
#ifndef AGPU_HOST_RUN_RUN_LOOP_H
#define AGPU_HOST_RUN_RUN_LOOP_H

#include "tests/host/run/machine.h"
#include "tests/host/run/run_stream.h"
#include "tests/host/run/session.h"

struct agpu_run_loop {
    struct agpu_session *session;
    struct agpu_machine *machine;
    int signal_fd;          /* SIGINT, SIGTERM, SIGHUP */
    uint64_t answer_us;     /* so long a device may take with what QEMU asks it before anything runs */
    const char *screenshot; /* absolute path, NULL: none wanted */
    bool names_device;      /* it is a program of somebody else's (--vdev): what it said last is evidence */
    bool may_reset;         /* after its summary */
    bool waits;             /* behind its cases the image waits to be told what next */
    bool streams;           /* the image may have a collector to wait for at its end */

    /* out */
    int signal; /* that ended the run, 0 if none */

    /* own */
    struct agpu_run_stream stream;
    struct agpu_line_stream qemu_lines;
    struct agpu_line_stream vdev_lines;
    char complaint[240];  /* QEMU's first line that is no warning */
    char last_words[320]; /* what the device model said of its crash; "" if nothing */
    char vdev_said[160];  /* the last line of the device's program */
    uint64_t
        orderly_until_us; /* device model gone with status 0, or summary seen: QEMU has until then to end */
    uint64_t gather_until_us; /* until then the debug console is left alone */
    unsigned shot;            /* id of the screendump command, 0 when none was sent */
    bool stopping;
    bool evidence_taken;
};

/* Returns when QEMU has ended or was ended; the session then has its ending, and every byte that was on its
 * way. From the death of QEMU or the device model, or a passed bound, to the return it takes less than two
 * seconds. */
void agpu_run_loop(struct agpu_run_loop *loop);

#endif
