/* vblank.h: observes the vblank clock: its counters, its edges, and the passing of time (device.md 4.7). */
#ifndef AGPU_CASES_RIG_VBLANK_H
#define AGPU_CASES_RIG_VBLANK_H

#include "pci/machine/test_system.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

/* For a case that takes seconds or minutes: it runs only on simulated time, and is skipped otherwise. */
#define agpu_require_simulated_time(t)                                                                       \
    agpu_require((t), (t)->platform->test->simulated_time, AGPU_SKIP_SIMULATED_TIME)

/* Read the registers; the period as the case has first read it. */
uint64_t agpu_vblank_seq(const struct agpu_test *test);
uint32_t agpu_vblank_seq_low(const struct agpu_test *test);
uint64_t agpu_vblank_time(const struct agpu_test *test);
uint32_t agpu_vblank_period(const struct agpu_test *test);
void agpu_scanout_enable(const struct agpu_test *test, uint32_t on);

/* Returns the number of edges since the one with number seq, fewer than 2^32, with one register read. */
uint64_t agpu_vblank_passed(const struct agpu_test *test, uint64_t seq);

/* Returns the time of the machine. */
uint64_t agpu_now(const struct agpu_test *test);
/* Waits for this many eighths of a period without touching the device. */
void agpu_vblank_stall(const struct agpu_test *test, uint64_t eighths);

/* One edge: its number, its scheduled time on the device's clock, and the two times of the machine's clock between
 * which it was first seen. */
struct agpu_vblank_edge {
    uint64_t seq;
    uint64_t time;
    uint64_t not_before;
    uint64_t seen;
};

/* Reads SEQ and TIME of one and the same edge. */
bool agpu_vblank_read(struct agpu_test *test, struct agpu_vblank_edge *out);
/* Waits for an edge after edge->seq and describes the newest one at that time. Counts no checks, because the number
 * of observed edges depends on time. */
bool agpu_vblank_next(struct agpu_test *test, struct agpu_vblank_edge *edge);
/* Enables the scanout and describes the edge before it: the next one is a period away, as just after an edge. */
bool agpu_vblank_begin(struct agpu_test *test, struct agpu_vblank_edge *edge);
/* Enables the scanout and waits for the first edge. */
bool agpu_vblank_start(struct agpu_test *test, struct agpu_vblank_edge *edge);
/* Waits until SEQ is at least target. */
bool agpu_vblank_wait_seq(struct agpu_test *test, uint64_t target);

/* Checks that TIME advanced by one period for each edge that SEQ counted: the schedule has no jitter and no drift. */
#define agpu_vblank_check_schedule(t, from, to) agpu_vblank_check_schedule_at((t), (from), (to), AGPU_HERE)
bool agpu_vblank_check_schedule_at(struct agpu_test *test, const struct agpu_vblank_edge *from,
                                   const struct agpu_vblank_edge *to, struct agpu_where where);

/* Checks that value is within [high]; what names it in the failure. */
#define agpu_check_within(t, value, low, high, what)                                                         \
    agpu_check_within_at((t), (value), (low), (high), (what), AGPU_HERE)
bool agpu_check_within_at(struct agpu_test *test, uint64_t value, uint64_t low, uint64_t high,
                          const char *what, struct agpu_where where);

#endif
