/* taken.h: real interrupts: a handler of the case, for the line or for messages, unlike all other cases, which poll
 * (device.md 4.4). */
#ifndef AGPU_CASES_RIG_TAKEN_H
#define AGPU_CASES_RIG_TAKEN_H

#include "tests/cases/rig/submit.h"

/* State that the handler writes; it runs between any two instructions. */
struct agpu_taken {
    bool one_at_a_time; /* the handler acknowledges only the lowest cause, and leaves the others pending */
    bool leave_pending; /* the handler acknowledges none: with messages only, which are not repeated */
    bool by_line;
    volatile bool late_allowed; /* the next call may be a late interrupt (agpu_taken_expect_none()) */
    volatile bool late_came;    /* it came, with a cause pending, and no other since */
    volatile uint32_t causes;
    volatile uint64_t count;  /* interrupts with a cause */
    volatile uint64_t fence;  /* fence page (or COMPLETED_FENCE without one) at the last interrupt */
    volatile uint64_t at_ns;  /* time of the last interrupt */
    volatile uint32_t streak; /* interrupts since the case last ran */
    volatile bool storm;      /* too many in a row: the handler has masked everything */
};

/* The body of a case with interrupts, which are opened before it and closed after it. */
struct agpu_taken_case {
    enum agpu_irq_way way;
    void (*body)(struct agpu_test *test, struct agpu_taken *taken);
};

/* The run function of such a case; its arg is a struct agpu_taken_case. SKIP, with what was tried, if the machine
 * cannot take interrupts in this way. */
void agpu_run_taken_case(struct agpu_test *test);

/* To be called just after the device was prevented from interrupting. A line may still deliver one interrupt that was
 * under way: the handler ignores one call, and a line that stays asserted calls it again. Messages arrive in order, and
 * the body starts after the message of a first fence, so no message is ignored. */
void agpu_taken_expect_none(struct agpu_taken *taken);

/* Waits like agpu_settle(). If a late interrupt came, also waits, with a limit, for the next one, which an asserted
 * line brings. No interrupt is ignored afterwards: call it before the device may interrupt again. */
void agpu_taken_settle(struct agpu_test *test, struct agpu_taken *taken);

/* Waits, with a limit, for the count-th interrupt, reading only memory, and checks that it came. */
#define agpu_wait_taken(t, taken, count) agpu_wait_taken_at((t), (taken), (count), AGPU_HERE)
bool agpu_wait_taken_at(struct agpu_test *test, const struct agpu_taken *taken, uint64_t count,
                        struct agpu_where where);

#endif
