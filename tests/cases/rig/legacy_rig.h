/* legacy_rig.h: the state of a case on the legacy (ARGP) device; functions for its registers, interrupt line and
 * fences. */
#ifndef AGPU_CASES_RIG_LEGACY_RIG_H
#define AGPU_CASES_RIG_LEGACY_RIG_H

#include "pci/function.h"
#include "ring/legacy.h"
#include "tests/cases/harness/check.h"

struct agpu_legacy_rig {
    const struct agpu_function *function;
    struct agpu_legacy_ring *ring; /* running from AGPU_NEED_RING on */
    const struct agpu_dma *memory; /* for the case, 64 KiB, zeroed; from AGPU_NEED_RING on */
    uint32_t magic, version;       /* as identified */
    uint64_t features;
};
struct agpu_legacy_rig agpu_legacy_rig(const struct agpu_test *test);

/* Replaces the running ring by one with this many entries; records a failure. */
bool agpu_legacy_restart(struct agpu_test *test, uint32_t entry_count);

uint32_t agpu_legacy_read(const struct agpu_test *test, uint32_t reg);
void agpu_legacy_write(const struct agpu_test *test, uint32_t reg, uint32_t value);

/* Waits, with a limit, until the register has the value, and checks it: devices may still work after the doorbell. */
#define agpu_check_legacy(t, reg, value)                                                                     \
    agpu_check_legacy_at((t), (reg), (value), #reg " is " #value, AGPU_HERE)
bool agpu_check_legacy_at(struct agpu_test *test, uint32_t reg, uint32_t value, const char *expr,
                          struct agpu_where where);

/* Waits 20 times the time of an empty entry (latency.h), for checks that nothing happens. */
void agpu_legacy_settle(struct agpu_test *test);

/* Checks the INTx line, if the machine can read it. */
#define agpu_check_legacy_line(t, asserted) agpu_check_legacy_line_at((t), (asserted), AGPU_HERE)
bool agpu_check_legacy_line_at(struct agpu_test *test, bool asserted, struct agpu_where where);

/* Posts an empty submission with the next fence of the ring, rings the doorbell, and waits for the fence. */
#define agpu_legacy_run_empty(t) agpu_legacy_run_empty_at((t), AGPU_HERE)
bool agpu_legacy_run_empty_at(struct agpu_test *test, struct agpu_where where);

#endif
