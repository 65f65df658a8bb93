/* target.c: bound render and depth targets. */
#include "tests/device/engine/target.h"

#include "tests/device/engine/resource.h"

bool vgpu_target_describe(const struct vgpu_slot *slot, bool depth, struct vgpu_target *out)
{
    struct vgpu_object *object = slot->thing;
    const struct vgpu_view *view = (const void *)object;
    const bool is_view = object != NULL && object->kind == VGPU_OBJECT_VIEW;

    out->resource = object != NULL ? vgpu_object_resource(object) : NULL;
    if (out->resource == NULL) {
        return false;
    }
    out->format_number = is_view ? view->format : out->resource->layout.format;
    out->format = vgpu_format_find(out->format_number);
    if (out->format->kind != (depth ? VGPU_FORMAT_DEPTH : VGPU_FORMAT_COLOR)) {
        return false;
    }
    out->sub = vgpu_texture_subresource(&out->resource->layout, is_view ? view->base_mip : 0,
                                        is_view ? view->base_layer : 0);
    return true;
}
