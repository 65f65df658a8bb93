/* memory.h: guest memory as the device sees it. */
#ifndef AGPU_CASES_REFERENCE_MEMORY_H
#define AGPU_CASES_REFERENCE_MEMORY_H

#include "tests/cases/reference/state.h"

/* Fills what is not memory with FF; states may be NULL. Returns whether all bytes are exact. */
bool agpu_ref_get(struct agpu_ref *ref, uint64_t address, void *to, uint8_t *states, uint64_t size);
/* Predicts a write. states has one for each byte; bytes that are exact there, or all when it is NULL, get `state`. */
void agpu_ref_put(struct agpu_ref *ref, uint64_t address, const uint8_t *bytes, const uint8_t *states,
                  enum agpu_ref_byte state, uint64_t size);
/* Returns the predicted writes to an aligned chunk, or NULL. */
struct agpu_ref_chunk *agpu_ref_chunk_at(const struct agpu_ref *ref, uint64_t address);
/* Blocks are zeroed. NULL when the arena is exhausted; free takes NULL. */
void *agpu_ref_alloc(struct agpu_ref *ref, uint64_t size);
void agpu_ref_free(struct agpu_ref *ref, void *block, uint64_t size);

#endif
