/* running.h: the runs in progress in a folder of results, from their records so far. Locks and writes nothing. */
#ifndef AGPU_HOST_SERVE_RUNNING_H
#define AGPU_HOST_SERVE_RUNNING_H

#include <stdint.h>

#define AGPU_RUNNING_FOLDERS_MAX 100000u /* examined */

struct agpu_running {
    const char *folder; /* its name in the folder of results */
    uint64_t begun;     /* cases started, including the running one */
    uint64_t planned;   /* 0: not known yet */
    const char *now;    /* the case that started last; "": none */
};

/* Calls each for every run, sorted by name; the texts are valid during the call. */
void agpu_running_each(const char *results, void (*each)(void *ctx, const struct agpu_running *running),
                       void *ctx);

#endif
