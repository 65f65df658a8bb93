/* judge.h: what a right device must answer as the captured one did, and what it may answer otherwise (tests/capture/README.md,
 * Replay). */
#ifndef AGPU_HOST_REPLAY_JUDGE_H
#define AGPU_HOST_REPLAY_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

enum agpu_judge_rule {
    AGPU_JUDGE_FREE,    /* the device's choice, or a matter of time */
    AGPU_JUDGE_SAME,    /* at any time */
    AGPU_JUDGE_STORED,  /* the same once this case has written it: before, earlier cases have */
    AGPU_JUDGE_AT_REST, /* when all that was posted has finished */
    AGPU_JUDGE_FENCE,   /* reached, sooner or later; at rest the same */
    AGPU_JUDGE_COUNT,   /* at rest: it has grown since it was read last, or not */
    AGPU_JUDGE_ERROR,   /* at rest, where an error was counted: one of the codes that a fault may have */
};

struct agpu_judgement {
    enum agpu_judge_rule rule;
    uint64_t mask; /* of the bits that count */
};

/* How an answer to a read of BAR0 (space 0) or configuration space (AGPU_CAPTURE_CONFIG_SPACE) is judged. */
struct agpu_judgement agpu_judge_read(bool legacy, uint32_t space, uint64_t offset, uint32_t size);

/* ERROR_CODE as the specification takes it: all that a fault may be called count as one. */
uint32_t agpu_judge_error_class(uint32_t code);

#endif
