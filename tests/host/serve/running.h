/* running.h: the runs of a folder of results that go on, as far as their records tell so far. Nothing is locked or written. */
#ifndef AGPU_HOST_SERVE_RUNNING_H
#define AGPU_HOST_SERVE_RUNNING_H

#include <stdint.h>

#define AGPU_RUNNING_FOLDERS_MAX 100000u /* looked at */

struct agpu_running {
    const char *folder; /* its name in the folder of results */
    uint64_t begun;     /* cases, the one that runs now too */
    uint64_t planned;   /* 0: not said yet */
    const char *now;    /* the case that began last; "": none */
};

/* Calls each for every run, in the order of their names; the texts hold for the call. */
void agpu_running_each(const char *results, void (*each)(void *ctx, const struct agpu_running *running),
                       void *ctx);

#endif
