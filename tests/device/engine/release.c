/* release.c: DESTROY_RESOURCE, and the cleanup after the last handle (commands.md 2, 6). */
#include "tests/device/engine/release.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"
#include "tests/device/engine/shared_surface.h"
#include "tests/device/engine/state.h"
#include "tests/device/engine/view.h"

/* Drops one handle; dropping the last one frees the resource. */
static void release_handle(struct vgpu_exec *exec, uint32_t handle, struct vgpu_resource *resource)
{
    const bool dies = resource->references == 1;

    vgpu_state_forget(exec, handle, resource, dies);
    resource->references--;
    if (handle == resource->original) {
        resource->original_destroyed = true; /* the number stays reserved while aliases live */
    } else {
        vgpu_map_remove(&exec->objects, handle);
        exec->memory_used -= VGPU_HANDLE_COST;
    }
    if (dies) {
        vgpu_map_remove(&exec->objects, resource->original);
        vgpu_view_detach_all(resource);
        vgpu_token_retire_all(resource);
        vgpu_resource_destroy(exec, resource);
    }
}

void vgpu_resource_free_all(struct vgpu_exec *exec)
{
    const struct vgpu_map_slot *slot;
    size_t position = 0;

    while ((slot = vgpu_map_next(&exec->objects, &position)) != NULL) { /* views point into resources */
        const struct vgpu_object *object = slot->value;

        if (object->kind == VGPU_OBJECT_VIEW) {
            vgpu_view_free(exec, slot->value);
        } else if (slot->key != ((const struct vgpu_resource *)slot->value)->original) {
            exec->memory_used -= VGPU_HANDLE_COST;
        }
    }
    while (exec->resources != NULL) {
        vgpu_resource_destroy(exec, exec->resources);
    }
    vgpu_map_free(&exec->objects);
}

uint32_t vgpu_packet_destroy_resource(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_destroy_resource *destroy_resource = packet;
    struct vgpu_resource *resource = vgpu_resource_find(exec, destroy_resource->resource_handle);

    (void)size;
    if (resource != NULL) {
        release_handle(exec, destroy_resource->resource_handle, resource);
    }
    return AEROGPU_ERROR_NONE;
}
