/* objects.h: the small driver objects in the runtime's private memory: views, shaders, layouts, samplers, state (umd.md
 * 3.1, 8, 9, 10). */
#ifndef AGPU_UMD_STATE_OBJECTS_H
#define AGPU_UMD_STATE_OBJECTS_H

#include "umd-port/base/context.h"

/* Shader resource, render target, depth-stencil and unordered access views. The pointer is first, then the handle; both
 * are 0 after a failed creation or a destruction. */
struct agpu_view {
    struct agpu_resource *resource;
    uint32_t handle;       /* explicit view; 0 = the resource's current handle */
    uint32_t offset, size; /* buffers: bytes */
    uint32_t format;       /* explicit view: protocol format and range, to create it again after a rotation */
    uint32_t first_mip, mips, first_layer, layers;
    struct agpu_view *next; /* next view of the same resource */
    struct agpu_view **link;
};

struct agpu_shader {
    uint32_t handle;
    uint32_t stage; /* enum agpu_stage */
};

struct agpu_element_layout {
    uint32_t handle;
};

struct agpu_sampler {
    uint32_t handle, filter, address_u, address_v, address_w;
};

struct agpu_blend_object {
    struct aerogpu_blend_state state;
};

struct agpu_depth_stencil_object {
    struct aerogpu_depth_stencil_state state;
};

struct agpu_rasterizer_object {
    struct aerogpu_rasterizer_state state;
};

/* Returns the binding of a DDI view handle; empty for null handles and views of destroyed resources. */
static inline struct agpu_bound_view agpu_bound_view_of(const void *view_object)
{
    const struct agpu_view *view = view_object;
    struct agpu_bound_view bound = {.resource = NULL};

    if (view != NULL && view->resource != NULL && view->resource->handle) {
        bound.resource = view->resource;
        bound.view = view->handle;
        bound.offset = view->offset;
        bound.size = view->size;
    }
    return bound;
}

#endif
