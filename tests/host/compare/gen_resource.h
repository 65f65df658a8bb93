/* gen_resource.h: actions on resources (commands.md 5, 6). */
#ifndef AGPU_HOST_COMPARE_GEN_RESOURCE_H
#define AGPU_HOST_COMPARE_GEN_RESOURCE_H

#include "tests/host/compare/world.h"

world_action world_create_buffer, world_create_texture, world_rebind, world_destroy;
world_action world_upload, world_dirty, world_copy_buffer, world_copy_texture;
world_action world_create_view, world_destroy_view;
/* Copy one resource, or all of them, into guest memory. */
world_action world_read_back, world_read_all;

#endif
