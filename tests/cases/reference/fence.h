/* fence.h: fences and the fence page. */
#ifndef AGPU_CASES_REFERENCE_FENCE_H
#define AGPU_CASES_REFERENCE_FENCE_H

#include "tests/cases/reference/state.h"

void agpu_ref_signal(struct agpu_ref *ref, uint64_t fence, bool interrupts, bool held);
/* Completes the fences in front of the first held one, as one step. */
void agpu_ref_complete(struct agpu_ref *ref);
/* A vblank edge: the first held fence waits no longer, agpu_ref_complete() completes it. */
void agpu_ref_edge(struct agpu_ref *ref);
/* No fence waits any longer. */
void agpu_ref_release(struct agpu_ref *ref);
void agpu_ref_fence_page(struct agpu_ref *ref);
void agpu_ref_error(struct agpu_ref *ref, enum aerogpu_error code, uint64_t fence);
void agpu_ref_interrupt(struct agpu_ref *ref, uint32_t cause);

#endif
