/* target.c: bound render and depth targets. */
#include "tests/device/target.h"

#include "tests/device/view.h"

bool agpu_target_describe(const struct agpu_slot *slot, bool depth, struct agpu_target *out)
{
    struct agpu_object *object = slot->thing;
    const struct agpu_view *view = (const void *)object;
    const bool is_view = object != NULL && object->kind == AGPU_OBJECT_VIEW;

    out->resource = object != NULL ? agpu_object_resource(object) : NULL;
    if (out->resource == NULL) {
        return false;
    }
    out->format_number = is_view ? view->format : out->resource->layout.format;
    out->format = agpu_format_find(out->format_number);
    if (out->format->kind != (depth ? AGPU_FORMAT_DEPTH : AGPU_FORMAT_COLOR)) {
        return false;
    }
    out->sub = agpu_texture_subresource(&out->resource->layout, is_view ? view->base_mip : 0,
                                        is_view ? view->base_layer : 0);
    return true;
}
