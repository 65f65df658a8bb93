/* view.h: texture views: part of a texture with its own handle (commands.md 6.1). */
#ifndef VGPU_ENGINE_VIEW_H
#define VGPU_ENGINE_VIEW_H

#include <stdint.h>

#include "tests/device/engine/resource.h"

struct vgpu_archive;

/* Detaches all views of a texture that is about to be freed. */
void vgpu_view_detach_all(struct vgpu_resource *resource);

/* Frees a view that has been removed from the handle map. */
void vgpu_view_free(struct vgpu_exec *exec, struct vgpu_view *view);

/* Visits a view for save and restore; a loaded one is created under handle, which must be free. */
void vgpu_view_visit(struct vgpu_exec *exec, struct vgpu_archive *archive, uint32_t handle,
                     const struct vgpu_view *saved);

#endif
