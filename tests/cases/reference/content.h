/* content.h: contents of resources. */
#ifndef AGPU_CASES_REFERENCE_CONTENT_H
#define AGPU_CASES_REFERENCE_CONTENT_H

#include "tests/cases/reference/state.h"

/* Gives a range one state. */
void agpu_ref_mark(struct agpu_ref *ref, struct agpu_ref_resource *resource, uint64_t offset, uint64_t size,
                   enum agpu_ref_byte state);
/* The device need not be our model and changes a resource: what becomes of its guest memory is not specified. */
void agpu_ref_open(struct agpu_ref *ref, const struct agpu_ref_resource *resource);
/* Returns in *address the guest address of a resource's first byte. False if its allocation is missing, too short, or
 * must not be written. */
bool agpu_ref_backing(struct agpu_ref *ref, uint32_t alloc_id, uint32_t offset, uint64_t size, bool write,
                      uint64_t *address);
/* Reads a range of the resource from guest memory; address is that of its first byte. */
void agpu_ref_load(struct agpu_ref *ref, struct agpu_ref_resource *resource, uint64_t address,
                   uint64_t offset, uint64_t size);

#endif
