/* edge.h: vblank edges by the clock, without letting the device work: for what must hold when an edge falls due
 * while nothing touches it. */
#ifndef AGPU_CASES_RIG_EDGE_H
#define AGPU_CASES_RIG_EDGE_H

#include "pci/function.h"
#include "tests/cases/harness/check.h"

/* Looks at the low half of the vblank count until it moves; the edge fell between before and after. Recorded when
 * none comes. */
bool agpu_see_edge(struct agpu_test *test, const struct agpu_function *function, uint32_t seq_lo,
                   uint64_t *before, uint64_t *after);

/* Looks at the clock only. False when it stands still. */
bool agpu_spin_until(const struct agpu_function *function, uint64_t ns);

uint64_t agpu_edge_now_ns(const struct agpu_function *function);

#endif
