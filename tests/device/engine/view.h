/* view.h: texture views: part of a texture under a handle of its own (commands.md 6.1). */
#ifndef VGPU_ENGINE_VIEW_H
#define VGPU_ENGINE_VIEW_H

#include <stdint.h>

#include "tests/device/engine/resource.h"

/* The texture dies: its views look at nothing. */
void vgpu_view_detach_all(struct vgpu_resource *resource);

/* Frees a view that is no longer in the handle map. */
void vgpu_view_free(struct vgpu_exec *exec, struct vgpu_view *view);

#endif
