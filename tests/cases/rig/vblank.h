/* vblank.h: what cases look at of the vblank clock: its counters, its edges, and time passing beside it
 * (device.md 4.7). */
#ifndef AGPU_CASES_RIG_VBLANK_H
#define AGPU_CASES_RIG_VBLANK_H

#include "pci/machine/test_system.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

/* For a case that lets seconds or minutes pass: it runs where these cost nothing, and elsewhere it is skipped. */
#define agpu_require_simulated_time(t)                                                                       \
    agpu_require((t), (t)->platform->test->simulated_time, AGPU_SKIP_SIMULATED_TIME)

/* The registers; the period as the case has first read it. */
uint64_t agpu_vblank_seq(const struct agpu_test *test);
uint32_t agpu_vblank_seq_low(const struct agpu_test *test);
uint64_t agpu_vblank_time(const struct agpu_test *test);
uint32_t agpu_vblank_period(const struct agpu_test *test);
void agpu_scanout_enable(const struct agpu_test *test, uint32_t on);

/* Edges since the one with number seq, fewer than 2^32: one read. */
uint64_t agpu_vblank_passed(const struct agpu_test *test, uint64_t seq);

/* Time of the machine. */
uint64_t agpu_now(const struct agpu_test *test);
/* Lets so many eighths of a period pass in which nobody touches the device. */
void agpu_vblank_stall(const struct agpu_test *test, uint64_t eighths);

/* One edge: its number, its scheduled time on the device's clock, and between which two moments of the
 * machine's clock it was first seen. */
struct agpu_vblank_edge {
    uint64_t seq;
    uint64_t time;
    uint64_t not_before;
    uint64_t seen;
};

/* SEQ and TIME of one and the same edge, now. */
bool agpu_vblank_look(struct agpu_test *test, struct agpu_vblank_edge *out);
/* Waits for an edge after edge->seq and describes the last one that there is then. No check is counted: how many edges
 * are seen is a matter of time. */
bool agpu_vblank_next(struct agpu_test *test, struct agpu_vblank_edge *edge);
/* Enables the scanout and describes the edge before: the next one is a period away, as behind an edge. */
bool agpu_vblank_begin(struct agpu_test *test, struct agpu_vblank_edge *edge);
/* Enables the scanout and waits for the first edge. */
bool agpu_vblank_start(struct agpu_test *test, struct agpu_vblank_edge *edge);
/* Waits until SEQ is target at least. */
bool agpu_vblank_wait_seq(struct agpu_test *test, uint64_t target);

/* TIME moved by one period for each edge that SEQ counted: the schedule has no jitter and no drift. */
#define agpu_vblank_check_schedule(t, from, to) agpu_vblank_check_schedule_at((t), (from), (to), AGPU_HERE)
bool agpu_vblank_check_schedule_at(struct agpu_test *test, const struct agpu_vblank_edge *from,
                                   const struct agpu_vblank_edge *to, struct agpu_where where);

/* value is within [low, high]; what names it in the failure. */
#define agpu_check_within(t, value, low, high, what)                                                         \
    agpu_check_within_at((t), (value), (low), (high), (what), AGPU_HERE)
bool agpu_check_within_at(struct agpu_test *test, uint64_t value, uint64_t low, uint64_t high,
                          const char *what, struct agpu_where where);

#endif
