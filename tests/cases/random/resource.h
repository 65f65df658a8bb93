/* resource.h: actions on resources (commands.md 5, 6). */
#ifndef AGPU_CASES_RANDOM_RESOURCE_H
#define AGPU_CASES_RANDOM_RESOURCE_H

#include "tests/cases/random/world.h"

agpu_gen_action agpu_gen_create_buffer, agpu_gen_create_texture, agpu_gen_rebind, agpu_gen_destroy;
agpu_gen_action agpu_gen_upload, agpu_gen_dirty, agpu_gen_copy_buffer, agpu_gen_copy_texture;
agpu_gen_action agpu_gen_create_view, agpu_gen_destroy_view;

#endif
