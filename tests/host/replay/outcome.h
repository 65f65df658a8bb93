/* outcome.h: what a replay is asked to do, and what comes of it. */
#ifndef AGPU_HOST_REPLAY_OUTCOME_H
#define AGPU_HOST_REPLAY_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"

struct agpu_replay_config {
    const struct agpu_device_plugin *table; /* checked (tests/device/plugin/table.h) */
    const char *options;
    bool trusted;     /* what the device says of itself is not checked: our model, made wrong on purpose */
    uint64_t wait_ns; /* that a fence may take, of the device's time; 0: 4 s */
};

enum agpu_replay_state {
    AGPU_REPLAY_GOES_ON,
    AGPU_REPLAY_DIFFERS,    /* the first difference: agpu_replay_found() */
    AGPU_REPLAY_IMPOSSIBLE, /* the capture contradicts itself, or asks for what the device does not have */
};

enum agpu_replay_kind {
    AGPU_REPLAY_REGISTER,
    AGPU_REPLAY_FENCE,
    AGPU_REPLAY_MEMORY,
    AGPU_REPLAY_MESSAGE,
};

/* Bytes of a difference in memory that are kept. */
#define AGPU_REPLAY_SHOWN 16u

struct agpu_replay_difference {
    enum agpu_replay_kind kind;
    char test[132];           /* id of the case; "" before the first */
    uint64_t record;          /* number of the record that showed it */
    uint64_t submission;      /* number of the last one before; 0: none */
    uint64_t fence;           /* its fence */
    uint64_t offset;          /* of the register in BAR0, or 0 */
    uint64_t expected, found; /* register, fence */
    uint64_t address;         /* memory: of the first byte that differs */
    uint64_t bytes;           /* how many differ between address and last */
    uint64_t last;
    uint8_t expected_bytes[AGPU_REPLAY_SHOWN], found_bytes[AGPU_REPLAY_SHOWN]; /* from address on */
    bool unexpected; /* memory: the capture says that nothing was written there */
    char text[400];  /* all of it, for a person; also why it is impossible */
};

/* What was played so far. */
struct agpu_replay_counts {
    uint64_t records, submissions, cases, compared_bytes;
    uint64_t tolerated; /* bytes of drawn pixels that are one step off, and of faulty submissions */
};

#endif
