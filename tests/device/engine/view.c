/* view.c: CREATE_TEXTURE_VIEW and DESTROY_TEXTURE_VIEW (commands.md 6.1). */
#include "tests/device/engine/view.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"
#include "tests/device/engine/state.h"

static void unlink_view(struct vgpu_view *view)
{
    if (view->resource != NULL) {
        *view->link = view->next;
        if (view->next != NULL) {
            view->next->link = view->link;
        }
        view->resource = NULL;
    }
}

void vgpu_view_detach_all(struct vgpu_resource *resource)
{
    while (resource->views != NULL) {
        unlink_view(resource->views);
    }
}

void vgpu_view_free(struct vgpu_exec *exec, struct vgpu_view *view)
{
    unlink_view(view);
    vgpu_exec_free(exec, view, sizeof *view + VGPU_HANDLE_COST);
}

static bool levels_inside(uint32_t base, uint32_t count, uint32_t limit)
{
    return count > 0 && base < limit && count <= limit - base;
}

/* Formats that differ only in sRGB are compatible. The specification does not define compatibility, and any
 * other pair would change the meaning of the bytes. */
static bool formats_compatible(uint32_t a, uint32_t b)
{
    const struct vgpu_format *first = vgpu_format_find(a);
    const struct vgpu_format *second = vgpu_format_find(b);

    return first != NULL && second != NULL && first->family == second->family;
}

static bool view_fits(const struct vgpu_view *view, const struct vgpu_resource *texture)
{
    return formats_compatible(view->format, texture->layout.format) &&
           levels_inside(view->base_mip, view->mips, texture->layout.mip_levels) &&
           levels_inside(view->base_layer, view->layers, texture->layout.array_layers);
}

/* Adds a view with the properties of *view; texture NULL: it was destroyed. Returns false when memory is exhausted. */
static bool add_view(struct vgpu_exec *exec, uint32_t handle, const struct vgpu_view *properties,
                     struct vgpu_resource *texture)
{
    struct vgpu_view *view;

    view = vgpu_exec_alloc(exec, sizeof *view + VGPU_HANDLE_COST);
    if (view == NULL || !vgpu_map_set(&exec->objects, handle, view)) {
        vgpu_exec_free(exec, view, sizeof *view + VGPU_HANDLE_COST);
        return false;
    }
    *view = *properties;
    view->object.kind = VGPU_OBJECT_VIEW;
    if (texture != NULL) {
        view->resource = texture;
        view->next = texture->views;
        view->link = &texture->views;
        if (view->next != NULL) {
            view->next->link = &view->next;
        }
        texture->views = view;
    }
    return true;
}

static const struct vgpu_field view_fields[] = {
    VGPU_FIELD(vgpu_view, format),     VGPU_FIELD(vgpu_view, base_mip), VGPU_FIELD(vgpu_view, mips),
    VGPU_FIELD(vgpu_view, base_layer), VGPU_FIELD(vgpu_view, layers),
};

void vgpu_view_visit(struct vgpu_exec *exec, struct vgpu_archive *archive, uint32_t handle,
                     const struct vgpu_view *saved)
{
    struct vgpu_view view = saved != NULL ? *saved : (struct vgpu_view){0};
    struct vgpu_resource *texture = vgpu_resource_visit_reference(exec, archive, view.resource);

    VGPU_ARCHIVE_FIELDS(archive, &view, view_fields);
    if (archive->loading) {
        const bool fits =
            texture != NULL && texture->object.kind == VGPU_OBJECT_TEXTURE && view_fits(&view, texture);

        vgpu_archive_expect(archive, fits || texture == NULL, "views that fit their texture");
        vgpu_archive_expect(archive, vgpu_archive_good(archive) && add_view(exec, handle, &view, texture),
                            "memory for the views");
    }
}

uint32_t vgpu_packet_create_texture_view(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_create_texture_view *create = packet;
    struct vgpu_resource *texture = vgpu_texture_find(exec, create->texture_handle);
    const struct vgpu_view view = {
        .format = create->format,
        .base_mip = create->base_mip_level,
        .mips = create->mip_level_count,
        .base_layer = create->base_array_layer,
        .layers = create->array_layer_count,
    };

    (void)size;
    if (create->view_handle == 0 || texture == NULL ||
        vgpu_map_find(&exec->objects, create->view_handle) != NULL || !view_fits(&view, texture)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    return add_view(exec, create->view_handle, &view, texture) ? AEROGPU_ERROR_NONE : AEROGPU_ERROR_BACKEND;
}

uint32_t vgpu_packet_destroy_texture_view(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_destroy_texture_view *destroy = packet;
    struct vgpu_object *object = vgpu_map_find(&exec->objects, destroy->view_handle);

    (void)size;
    if (object != NULL && object->kind == VGPU_OBJECT_VIEW) {
        vgpu_state_unbind_handle(exec, VGPU_SLOT_TARGET, destroy->view_handle);
        vgpu_state_unbind_handle(exec, VGPU_SLOT_SRV, destroy->view_handle);
        vgpu_map_remove(&exec->objects, destroy->view_handle);
        vgpu_view_free(exec, (struct vgpu_view *)(void *)object);
    }
    return AEROGPU_ERROR_NONE;
}
