/* ring.h: doorbells and the memory part of a ring reset. */
#ifndef AGPU_CASES_REFERENCE_RING_H
#define AGPU_CASES_REFERENCE_RING_H

#include "tests/cases/reference/state.h"

/* Continues the batch, then takes a pending doorbell. */
void agpu_ref_ring(struct agpu_ref *ref);
void agpu_ref_ring_reset(struct agpu_ref *ref);

#endif
