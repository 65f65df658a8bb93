/* outcome.h: configuration and results of a replay. */
#ifndef AGPU_HOST_REPLAY_OUTCOME_H
#define AGPU_HOST_REPLAY_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"

struct agpu_replay_config {
    const struct agpu_device_plugin *table; /* checked (tests/device/plugin/table.h) */
    const char *options;
    /* skip the checks of the device's description: our model, possibly with an injected fault */
    bool trusted;
    uint64_t wait_ns; /* time limit for a fence, in the device's time; 0: 4 s */
};

enum agpu_replay_state {
    AGPU_REPLAY_GOES_ON,
    AGPU_REPLAY_DIFFERS,    /* the first difference: agpu_replay_found() */
    AGPU_REPLAY_IMPOSSIBLE, /* the capture contradicts itself, or needs a property that the device lacks */
};

enum agpu_replay_kind {
    AGPU_REPLAY_REGISTER,
    AGPU_REPLAY_FENCE,
    AGPU_REPLAY_MEMORY,
    AGPU_REPLAY_MESSAGE,
};

/* Number of differing bytes that are stored. */
#define AGPU_REPLAY_SHOWN 16u

struct agpu_replay_difference {
    enum agpu_replay_kind kind;
    char test[132];           /* id of the case; "" before the first */
    uint64_t record;          /* number of the record that shows it */
    uint64_t submission;      /* number of the last submission before it; 0: none */
    uint64_t fence;           /* its fence */
    uint64_t offset;          /* offset of the register in BAR0, or 0 */
    uint64_t expected, found; /* register, fence */
    uint64_t address;         /* memory: first differing byte */
    uint64_t bytes;           /* number of differing bytes from address to last */
    uint64_t last;
    uint8_t expected_bytes[AGPU_REPLAY_SHOWN], found_bytes[AGPU_REPLAY_SHOWN]; /* from address on */
    bool unexpected; /* memory: the captured device wrote nothing there */
    char text[400];  /* complete description for people; also why it is impossible */
};

/* Counts of a replay so far. */
struct agpu_replay_counts {
    uint64_t records, submissions, cases, compared_bytes;
    uint64_t tolerated; /* bytes of drawn pixels that differ by one step, and bytes of faulty submissions */
};

#endif
