/* heap.h: the arena of the reference. */
#ifndef AGPU_CASES_REFERENCE_HEAP_H
#define AGPU_CASES_REFERENCE_HEAP_H

#include "tests/cases/reference/state.h"

/* Blocks are zeroed. NULL when the arena is exhausted; free takes NULL. */
void *agpu_ref_alloc(struct agpu_ref *ref, uint64_t size);
void agpu_ref_free(struct agpu_ref *ref, void *block, uint64_t size);

#endif
