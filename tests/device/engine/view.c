/* view.c: CREATE_TEXTURE_VIEW and DESTROY_TEXTURE_VIEW (commands.md 6.1). */
#include "tests/device/engine/view.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
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

uint32_t vgpu_packet_create_texture_view(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_create_texture_view *create = packet;
    struct vgpu_resource *texture = vgpu_texture_find(exec, create->texture_handle);
    struct vgpu_view *view;

    (void)size;
    if (create->view_handle == 0 || texture == NULL ||
        vgpu_map_find(&exec->objects, create->view_handle) != NULL ||
        !formats_compatible(create->format, texture->layout.format) ||
        !levels_inside(create->base_mip_level, create->mip_level_count, texture->layout.mip_levels) ||
        !levels_inside(create->base_array_layer, create->array_layer_count, texture->layout.array_layers)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    view = vgpu_exec_alloc(exec, sizeof *view + VGPU_HANDLE_COST);
    if (view == NULL || !vgpu_map_set(&exec->objects, create->view_handle, view)) {
        vgpu_exec_free(exec, view, sizeof *view + VGPU_HANDLE_COST);
        return AEROGPU_ERROR_BACKEND;
    }
    *view = (struct vgpu_view){
        .object.kind = VGPU_OBJECT_VIEW,
        .resource = texture,
        .next = texture->views,
        .link = &texture->views,
        .format = create->format,
        .base_mip = create->base_mip_level,
        .mips = create->mip_level_count,
        .base_layer = create->base_array_layer,
        .layers = create->array_layer_count,
    };
    if (view->next != NULL) {
        view->next->link = &view->next;
    }
    texture->views = view;
    return AEROGPU_ERROR_NONE;
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
