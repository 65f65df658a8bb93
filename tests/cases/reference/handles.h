/* handles.h: the tables of handles. */
#ifndef AGPU_CASES_REFERENCE_HANDLES_H
#define AGPU_CASES_REFERENCE_HANDLES_H

#include "tests/cases/reference/layout.h"

struct agpu_ref_object *agpu_ref_find(struct agpu_ref *ref, enum agpu_ref_table table, uint32_t handle);
/* Returns the resource of an original or an alias; NULL for anything else. */
struct agpu_ref_resource *agpu_ref_named(struct agpu_ref *ref, uint32_t handle);
/* Returns the texture, its first subresource and format, of a texture, an alias or a view; NULL for anything else. */
struct agpu_ref_resource *agpu_ref_texture(struct agpu_ref *ref, uint32_t handle,
                                           struct agpu_ref_level *level, uint32_t *format);
/* Returns a new object. NULL, and the reference is lost, when the arena is exhausted. */
struct agpu_ref_object *agpu_ref_add(struct agpu_ref *ref, enum agpu_ref_table table, uint32_t handle,
                                     enum agpu_ref_kind kind);
/* Empties the slots with this handle; stride in words. */
void agpu_ref_empty(uint32_t *slots, size_t count, size_t stride, uint32_t handle);
/* Empties the slots that hold a resource or a view. */
void agpu_ref_unbind(struct agpu_ref *ref, uint32_t handle);
void agpu_ref_remove(struct agpu_ref *ref, enum agpu_ref_table table, uint32_t handle);
/* Returns the stage of a packet, AGPU_REF_STAGES for an error (commands.md 4). */
uint32_t agpu_ref_stage(const struct agpu_ref *ref, uint32_t stage, uint32_t extended);

#endif
