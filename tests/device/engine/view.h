/* view.h: texture views: part of a texture under a handle of its own (commands.md 6.1). */
#ifndef VGPU_ENGINE_VIEW_H
#define VGPU_ENGINE_VIEW_H

#include <stdint.h>

#include "tests/device/engine/resource.h"

struct vgpu_view {
    struct vgpu_object object;
    struct vgpu_resource *resource; /* NULL once the texture is destroyed: any use is an error */
    struct vgpu_view *next;         /* of the same resource */
    struct vgpu_view **link;        /* what points here */
    uint32_t format;                /* AEROGPU_FORMAT_*, of the family of the texture's */
    uint32_t base_mip;
    uint32_t mips;
    uint32_t base_layer;
    uint32_t layers;
};

/* The texture dies: its views look at nothing. */
void vgpu_view_detach_all(struct vgpu_resource *resource);

/* Frees a view that is no longer in the handle map. */
void vgpu_view_free(struct vgpu_exec *exec, struct vgpu_view *view);

#endif
