/* bind.h: packets that set state; what is bound. */
#ifndef AGPU_CASES_REFERENCE_BIND_H
#define AGPU_CASES_REFERENCE_BIND_H

#include "tests/cases/reference/state.h"

enum aerogpu_error agpu_ref_bind(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd);

/* Returns whether the shader bound to a stage exists and is one for that stage. */
bool agpu_ref_has_shader(struct agpu_ref *ref, uint32_t stage);
/* Returns whether every slot of a stage is empty or holds an object of its kind. */
bool agpu_ref_slots_valid(struct agpu_ref *ref, uint32_t stage);
bool agpu_ref_is_buffer(struct agpu_ref *ref, uint32_t handle);
/* The buffers that shaders of these stages may write become unspecified. */
void agpu_ref_mark_writable(struct agpu_ref *ref, uint32_t first, uint32_t last);

#endif
