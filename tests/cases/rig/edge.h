/* edge.h: a vblank edge that is due while the device is not accessed and its interrupt is disabled (device.md 4.4,
 * legacy.md 2). */
#ifndef AGPU_CASES_RIG_EDGE_H
#define AGPU_CASES_RIG_EDGE_H

#include "tests/cases/harness/check.h"

/* The registers that this needs, in one generation of the device. */
struct agpu_edge_registers {
    uint32_t period, scanout_enable, seq_lo, irq_enable, irq_status;
    uint32_t bit; /* bit of the vblank interrupt in the last two */
};

/* Checks that enabling the interrupt after such an edge does not deliver it. next then waits for the interrupt of the
 * next edge and records a failure if it does not come. SKIP on a machine that is too slow to tell the two edges
 * apart. Leaves scanout and interrupt enabled. */
void agpu_check_old_edge(struct agpu_test *test, const struct agpu_edge_registers *registers,
                         bool (*next)(struct agpu_test *test));

#endif
