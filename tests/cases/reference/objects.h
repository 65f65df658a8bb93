/* objects.h: resources and texture views. */
#ifndef AGPU_CASES_REFERENCE_OBJECTS_H
#define AGPU_CASES_REFERENCE_OBJECTS_H

#include "tests/cases/reference/state.h"

void agpu_ref_clear_objects(struct agpu_ref *ref);
enum aerogpu_error agpu_ref_create_buffer(struct agpu_ref *ref, const struct aerogpu_cmd_create_buffer *cmd);
enum aerogpu_error agpu_ref_create_texture(struct agpu_ref *ref,
                                           const struct aerogpu_cmd_create_texture2d *cmd);
enum aerogpu_error agpu_ref_create_view(struct agpu_ref *ref,
                                        const struct aerogpu_cmd_create_texture_view *cmd);
enum aerogpu_error agpu_ref_destroy(struct agpu_ref *ref, uint32_t handle);

#endif
