/* finisher.h: a thread that concludes runs and writes their reports, so that listening goes on meanwhile. */
#ifndef AGPU_HOST_LISTEN_FINISHER_H
#define AGPU_HOST_LISTEN_FINISHER_H

#include "tests/host/run/session.h"

struct agpu_finish_job {
    struct agpu_session *session; /* the thread's alone, until the job is done */
    uint64_t now_us;              /* when the run was over */
    bool written;                 /* once done: every report is */
    struct agpu_finish_job *next;
};

struct agpu_finisher;

/* note, unless it is NULL, is called on the thread for each run with a plan whose reports are written: with results, which
 * stays the caller's, and the run's folder. NULL with errno set. */
struct agpu_finisher *agpu_finisher_open(void (*note)(const char *results, const char *folder),
                                         const char *results);

/* Becomes readable when a job is done. */
int agpu_finisher_fd(const struct agpu_finisher *finisher);

void agpu_finisher_add(struct agpu_finisher *finisher, struct agpu_finish_job *job);

/* A job that is done, or NULL. With wait: one that was added and not given back yet, however long it takes. */
struct agpu_finish_job *agpu_finisher_done(struct agpu_finisher *finisher, bool wait);

/* Ends the thread. Every job must have been given back. */
void agpu_finisher_close(struct agpu_finisher *finisher);

#endif
