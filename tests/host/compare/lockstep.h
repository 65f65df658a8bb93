/* lockstep.h: random work on two devices in lockstep: many sessions, each difference reported once and reduced. */
#ifndef AGPU_HOST_COMPARE_LOCKSTEP_H
#define AGPU_HOST_COMPARE_LOCKSTEP_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/difference.h"
#include "tests/cases/random/generate.h"

struct agpu_cmp_finding {
    struct agpu_gen_program program; /* reduced */
    struct agpu_cmp_difference difference;
    char sentence[AGPU_CMP_TEXT], signature[AGPU_CMP_TEXT];
    const char *section;
    uint64_t session;  /* first session that showed it */
    uint64_t shown_in; /* session that the program is from */
    uint32_t left_out; /* areas that the sessions left out at that time */
    uint32_t times;    /* number of sessions that showed it */
    uint32_t tries;    /* tries of the reducer */
    bool history;      /* needs the sessions before it: some state survives a function reset */
};

#define AGPU_CMP_FINDINGS 16u

/* Reason why the work ended before all streams. */
enum agpu_cmp_stop {
    AGPU_CMP_STOP_NONE,
    AGPU_CMP_STOP_MOST,    /* enough findings */
    AGPU_CMP_STOP_SECONDS, /* the user's time limit */
    AGPU_CMP_STOP_KNOWN,   /* a known difference hides others, and cannot be avoided */
    AGPU_CMP_STOP_HANGS,
};

struct agpu_cmp_lockstep {
    struct agpu_cmp_pair *pair;
    struct agpu_gen_plan plan;
    uint64_t first_session;
    uint64_t streams; /* minimum, unless enough is found earlier */
    uint64_t seconds; /* time limit; 0: none */
    uint32_t most;    /* limit of findings, at most AGPU_CMP_FINDINGS */
    bool reduce;
    uint64_t reduce_seconds; /* time limit for reducing one finding; 0: ten, and five for a hang */
    void (*progress)(void *ctx, const char *line);
    void *progress_ctx;
    /* Results. */
    struct agpu_cmp_finding findings[AGPU_CMP_FINDINGS];
    uint32_t finding_count;
    uint64_t sessions, ran; /* sessions and streams that both devices have run */
    uint64_t differing;     /* sessions that differ */
    uint64_t refused;       /* sessions in which the first device reported an error for valid work */
    double busy_seconds;    /* elapsed time */
    uint32_t hangs;
    /* areas that later sessions left out, since a known cause was in nearly all sessions with them */
    uint32_t left_out;
    uint64_t left_out_from; /* session */
    enum agpu_cmp_stop stop;
    uint64_t untried; /* streams left when stopped */
    uint32_t worked;  /* areas, one bit each, that generated anything in the first sessions */
};

/* Returns false when no process could be started; text says why. */
bool agpu_cmp_lockstep_run(struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT]);
/* Writes "stopped early by --seconds: 900 of 1000 streams were not run"; "" when it was not. */
void agpu_cmp_stop_text(const struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT]);
/* Writes "without texture from session 12 on, since nearly every session showed what is known; ..."; "" with all
 * areas. */
void agpu_cmp_without_text(const struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT]);
/* Writes the names of areas, separated by commas. */
void agpu_cmp_areas_text(uint32_t wanted, char *text, size_t size);
void agpu_cmp_lockstep_free(struct agpu_cmp_lockstep *lockstep);

/* Merges another finding with the same signature: counts it, and replaces the first one if its program is smaller.
 * Invalidates finding. */
void agpu_cmp_finding_merge(struct agpu_cmp_finding *into, struct agpu_cmp_finding *finding);

/* Investigates one failing program: reduces it, and computes its signature. Returns false when it does not fail on
 * new devices. */
bool agpu_cmp_investigate(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program, bool reduce,
                          uint64_t seconds, struct agpu_cmp_finding *out);

#endif
