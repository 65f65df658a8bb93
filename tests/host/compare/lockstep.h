/* lockstep.h: random work on two devices side by side: many sessions, and each difference once, shrunk. */
#ifndef AGPU_HOST_COMPARE_LOCKSTEP_H
#define AGPU_HOST_COMPARE_LOCKSTEP_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/difference.h"
#include "tests/host/compare/generate.h"

struct agpu_cmp_finding {
    struct agpu_cmp_program program; /* shrunk */
    struct agpu_cmp_difference difference;
    char sentence[AGPU_CMP_TEXT], signature[AGPU_CMP_TEXT];
    const char *section;
    uint64_t session;  /* the first one */
    uint64_t shown_in; /* the one that the program is from */
    uint32_t left_out; /* areas that the sessions of that time were without */
    uint32_t times;    /* seen */
    uint32_t tries;    /* of the reducer */
    bool history;      /* only with the sessions before it: something outlives a function reset */
};

#define AGPU_CMP_FINDINGS 16u

/* Why the work ended before all streams. */
enum agpu_cmp_stop {
    AGPU_CMP_STOP_NONE,
    AGPU_CMP_STOP_MOST,    /* enough is found */
    AGPU_CMP_STOP_SECONDS, /* the user's */
    AGPU_CMP_STOP_KNOWN,   /* what is known hides what comes behind it, and cannot be avoided */
    AGPU_CMP_STOP_HANGS,
};

struct agpu_cmp_lockstep {
    struct agpu_cmp_pair *pair;
    struct agpu_cmp_plan plan;
    uint64_t first_session;
    uint64_t streams; /* at least so many, unless enough is found before */
    uint64_t seconds; /* at most; 0: no bound */
    uint32_t most;    /* findings, at most AGPU_CMP_FINDINGS */
    bool reduce;
    void (*progress)(void *ctx, const char *line);
    void *progress_ctx;
    /* Results. */
    struct agpu_cmp_finding findings[AGPU_CMP_FINDINGS];
    uint32_t finding_count;
    uint64_t sessions, ran; /* sessions and streams that both devices have run */
    uint64_t differing;     /* sessions that differ */
    uint64_t refused;       /* sessions in which the first device reports an error for valid work */
    double busy_seconds;    /* of the wall */
    uint32_t hangs;
    uint32_t
        left_out; /* areas that later sessions were without, since a known cause was in nearly all with them */
    uint64_t left_out_from; /* session */
    enum agpu_cmp_stop stop;
    uint64_t untried; /* streams, when stopped */
};

/* False when no process could be started; text says why. */
bool agpu_cmp_lockstep_run(struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT]);
/* "stopped early by --seconds: 900 of 1000 streams were not tried"; "" when it was not. */
void agpu_cmp_stop_text(const struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT]);
/* "without texture from session 12 on, since nearly every session showed what is known; ..."; "" with all. */
void agpu_cmp_without_text(const struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT]);
void agpu_cmp_lockstep_free(struct agpu_cmp_lockstep *lockstep);

/* Another finding of the same signature: counted, and kept in place of the first one when its program is smaller. What finding
 * held is gone behind it. */
void agpu_cmp_finding_merge(struct agpu_cmp_finding *into, struct agpu_cmp_finding *finding);

/* Looks at one program that fails: shrinks it, names it. False when it does not fail on new devices. */
bool agpu_cmp_investigate(struct agpu_cmp_pair *pair, const struct agpu_cmp_program *program, bool reduce,
                          uint64_t seconds, struct agpu_cmp_finding *out);

#endif
