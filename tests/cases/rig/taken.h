/* taken.h: interrupts that are really taken: a handler of the case's, by line or by message, beside the polling of all the
 * other cases (device.md 4.4). */
#ifndef AGPU_CASES_RIG_TAKEN_H
#define AGPU_CASES_RIG_TAKEN_H

#include "tests/cases/rig/submit.h"

/* What the handler leaves behind; it runs between any two instructions. */
struct agpu_taken {
    bool one_at_a_time; /* the handler acknowledges the lowest cause only, and leaves the others pending */
    bool leave_pending; /* or none at all: by message only, where nothing comes again for it */
    bool by_line;
    volatile bool late_allowed; /* the next call may be a late one (agpu_taken_expect_none()) */
    volatile bool late_came;    /* it came, with a cause pending, and no other since */
    volatile uint32_t causes;
    volatile uint64_t count;  /* interrupts with a cause */
    volatile uint64_t fence;  /* the fence page as the last of them found it, without one COMPLETED_FENCE */
    volatile uint64_t at_ns;  /* when that one came */
    volatile uint32_t streak; /* since the case last got a turn */
    volatile bool storm;      /* it got none: the handler has masked everything */
};

/* The body of a case that takes interrupts: open before it, closed after it. */
struct agpu_taken_case {
    enum agpu_irq_way way;
    void (*body)(struct agpu_test *test, struct agpu_taken *taken);
};

/* A case's run; its arg is a struct agpu_taken_case. SKIP, with what was tried, where the machine takes no interrupts in
 * this way. */
void agpu_run_taken_case(struct agpu_test *test);

/* Called when the device has just been kept from interrupting. A line may still deliver one interrupt that was on its way:
 * the handler ignores one call, and a line that is up calls again. A message that was on its way came before the one that
 * opened the case, so none is ignored. */
void agpu_taken_expect_none(struct agpu_taken *taken);

/* Waits as agpu_settle() does. When a late interrupt came, also for the next one, bounded, which a line that is up brings.
 * None is ignored afterwards: call it before the device may interrupt again. */
void agpu_taken_settle(struct agpu_test *test, struct agpu_taken *taken);

/* Waits, bounded, for the count-th interrupt, looking at memory only, and checks that it came. */
#define agpu_wait_taken(t, taken, count) agpu_wait_taken_at((t), (taken), (count), AGPU_HERE)
bool agpu_wait_taken_at(struct agpu_test *test, const struct agpu_taken *taken, uint64_t count,
                        struct agpu_where where);

#endif
