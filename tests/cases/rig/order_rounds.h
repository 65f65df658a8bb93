/* order_rounds.h: rounds of work with fresh data that the case observes while the device works. Checks that all
 * effects of a submission are visible when its fence is (ring.md 9). */
#ifndef AGPU_CASES_RIG_ORDER_ROUNDS_H
#define AGPU_CASES_RIG_ORDER_ROUNDS_H

#include "tests/cases/rig/watch.h"

/* Number of rounds where the processor races the device, each with much data. If the machine observes every step of
 * the device (watch.h), a few rounds with much data show a constant error, and many rounds with little data a rare
 * one. */
#define AGPU_ORDER_RACE_ROUNDS 60u
#define AGPU_ORDER_STEP_ROUNDS 150u
#define AGPU_ORDER_LARGE_STEPS 6u

/* The work: a copy with write-back between two guest-backed resources. Each cache line of the source starts with the
 * round and its own number and ends with their complement, so that a line of an earlier round is recognized. */
#define AGPU_ORDER_BYTES 65536u
#define AGPU_ORDER_LINE  64u
#define AGPU_ORDER_LINES (AGPU_ORDER_BYTES / AGPU_ORDER_LINE)
#define AGPU_ORDER_FEW   (AGPU_ORDER_BATCH * 4u) /* lines of a round with little data */
#define AGPU_ORDER_PITCH 256u
#define AGPU_ORDER_BATCH 8u

/* Handles and allocation ids of source and destination, in rig memory 0 and 1. Cases use 3 and up. */
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
    uint64_t highest; /* highest fence seen in this round */
    void (*judge)(struct agpu_order *order,
                  unsigned index); /* called when the index-th fence is first seen */
    bool wrong;                    /* a failure is recorded: end the case */
    struct agpu_error_info errors; /* before the round */
    bool created;                  /* source and destination */
    bool line_was_low;             /* before the round, if it can be read */
    uint32_t slots;                /* of this round that the head has passed */
};

struct agpu_order_kind {
    enum agpu_order_source source;
    unsigned count;
    bool (*post)(struct agpu_order *order);
    void (*judge)(struct agpu_order *order, unsigned index);
    bool (*poll_device)(void *ctx, bool registers);
    uint32_t irqs; /* enabled causes; 0 = FENCE */
};

/* Returns rig memory as words. */
uint32_t *agpu_order_words(struct agpu_test *test, unsigned memory);
/* Fills the source for this round; its size depends on the round. */
void agpu_order_fill(struct agpu_order *order);
/* Checks that lines [from, to) of the destination are from this round; a wrong line is recorded and ends the rounds. */
void agpu_order_judge_lines(struct agpu_order *order, uint32_t from, uint32_t to);
/* Checks that a value is not below least. */
void agpu_order_check(struct agpu_order *order, uint64_t actual, uint64_t least, const char *what);

/* Returns the completed fence from the source of this kind of round; 0 if it must not be read now. */
uint64_t agpu_order_completed(struct agpu_order *order, bool registers);
/* Returns true if the line is asserted because of this round's work; false if unknown. */
bool agpu_order_line(const struct agpu_order *order);
/* The default poll function: checks each submission when its fence is first seen. */
bool agpu_order_poll(void *ctx, bool registers);

/* Creates source and destination in the first stream; adds their memory to every table. */
void agpu_order_put_resources(struct agpu_order *order, bool texture);
/* Finishes the rig's stream and posts it, without a doorbell. */
bool agpu_order_post(struct agpu_order *order);

/* Returns the number of rounds for a case on this machine. */
uint32_t agpu_order_round_count(const struct agpu_test *test);
/* Run one round of a kind, and all of them. Return false if there was a failure, which is recorded. */
bool agpu_order_round(struct agpu_order *order, const struct agpu_order_kind *kind);
bool agpu_order_rounds(struct agpu_order *order, const struct agpu_order_kind *kind);

#endif
