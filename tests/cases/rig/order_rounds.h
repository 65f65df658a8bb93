/* order_rounds.h: rounds of work that is watched while the device does it: fresh data each time, and what must be there
 * when its fence is seen (ring.md 9). */
#ifndef AGPU_CASES_RIG_ORDER_ROUNDS_H
#define AGPU_CASES_RIG_ORDER_ROUNDS_H

#include "tests/cases/rig/watch.h"

/* Rounds where the processor races the device, each with much data. Where every step of the device is observed
 * (watch.h), a few rounds with much data show a constant error, and many with little data a rare one. */
#define AGPU_ORDER_RACE_ROUNDS 60u
#define AGPU_ORDER_STEP_ROUNDS 150u
#define AGPU_ORDER_LARGE_STEPS 6u

/* The work: a copy between two guest-backed resources with write-back. Each cache line of the source carries the
 * round and its own number at its begin and the complement at its end, so that a line of an earlier round shows. */
#define AGPU_ORDER_BYTES 65536u
#define AGPU_ORDER_LINE  64u
#define AGPU_ORDER_LINES (AGPU_ORDER_BYTES / AGPU_ORDER_LINE)
#define AGPU_ORDER_FEW   (AGPU_ORDER_BATCH * 4u) /* lines of a round with little data */
#define AGPU_ORDER_PITCH 256u
#define AGPU_ORDER_BATCH 8u

/* Handles and allocation ids of what is copied and where to; rig memory 0 and 1. Cases take theirs from 3 on. */
enum { AGPU_ORDER_SOURCE = 1, AGPU_ORDER_DESTINATION };

enum agpu_order_source { AGPU_SEEN_IN_PAGE, AGPU_SEEN_IN_REGISTER, AGPU_SEEN_BY_INTERRUPT };

struct agpu_order {
    struct agpu_test *t;
    enum agpu_order_source source;
    uint32_t round;
    uint32_t lines; /* of this round */
    uint64_t first; /* fence of the first submission of this round */
    unsigned count; /* submissions */
    unsigned judged;
    uint64_t highest;                                        /* fence that was seen in this round */
    void (*judge)(struct agpu_order *order, unsigned index); /* the index-th fence was just seen */
    bool wrong;                                              /* said already: the case ends */
    struct agpu_error_info errors;                           /* before the round */
    bool created;                                            /* source and destination */
    bool line_was_low;                                       /* before the round, where it can be judged */
    uint32_t slots;                                          /* of this round, that the head has passed */
};

struct agpu_order_kind {
    enum agpu_order_source source;
    unsigned count;
    bool (*post)(struct agpu_order *order);
    void (*judge)(struct agpu_order *order, unsigned index);
    bool (*look)(void *ctx, bool registers);
    uint32_t irqs; /* causes that are enabled; 0 = FENCE */
};

/* Rig memory as words. */
uint32_t *agpu_order_words(struct agpu_test *test, unsigned memory);
/* The source of this round, and how much of it there is. */
void agpu_order_fill(struct agpu_order *order);
/* Lines [from, to) of the destination are this round's; what is not is recorded and ends the rounds. */
void agpu_order_judge_lines(struct agpu_order *order, uint32_t from, uint32_t to);
/* A value that is not below least; recorded if it is. */
void agpu_order_check(struct agpu_order *order, uint64_t actual, uint64_t least, const char *what);

/* The fence that is seen where the kind looks; 0 where that may not be looked at now. */
uint64_t agpu_order_completed(struct agpu_order *order, bool registers);
/* The line is asserted, by this round's work; false where it cannot be judged. */
bool agpu_order_line(const struct agpu_order *order);
/* The usual look: judges each submission when its fence is first seen. */
bool agpu_order_look(void *ctx, bool registers);

/* Source and destination, created in the first stream; their memory in every table. */
void agpu_order_put_resources(struct agpu_order *order, bool texture);
/* Finishes the rig's stream and posts it, no doorbell. */
bool agpu_order_post(struct agpu_order *order);

/* How many rounds a case has on this machine. */
uint32_t agpu_order_round_count(const struct agpu_test *test);
/* One round of a kind, and all of them; false when something was wrong, which is recorded. */
bool agpu_order_round(struct agpu_order *order, const struct agpu_order_kind *kind);
bool agpu_order_rounds(struct agpu_order *order, const struct agpu_order_kind *kind);

#endif
