/* finisher.h: a thread that concludes runs and writes their reports, while collection continues. */
#ifndef AGPU_HOST_LISTEN_FINISHER_H
#define AGPU_HOST_LISTEN_FINISHER_H

#include "tests/host/run/session.h"

struct agpu_finish_job {
    struct agpu_session *session; /* only the thread uses it, until the job is done */
    uint64_t now_us;              /* when the run ended */
    bool written;                 /* when done: all reports are written */
    struct agpu_finish_job *next;
};

struct agpu_finisher;

/* note, unless NULL, is called on the thread for each run with a plan whose reports are written: with results, which
 * stays the caller's, and the run's folder. Returns NULL with errno set. */
struct agpu_finisher *agpu_finisher_open(void (*note)(const char *results, const char *folder),
                                         const char *results);

/* Returns a descriptor that is readable when a job is done. */
int agpu_finisher_fd(const struct agpu_finisher *finisher);

void agpu_finisher_add(struct agpu_finisher *finisher, struct agpu_finish_job *job);

/* Returns a job that is done, or NULL. wait: blocks, without a limit, while a job is pending. */
struct agpu_finish_job *agpu_finisher_done(struct agpu_finisher *finisher, bool wait);

/* Stops the thread. Every job must have been returned. */
void agpu_finisher_close(struct agpu_finisher *finisher);

#endif
