/* resource.c: resources, their storage and their guest memory (commands.md 2, 6; ring.md 8). */
#include "tests/device/resource.h"

#include <string.h>

#include "pci/aerogpu_pci.h"
#include "ring/aerogpu_cmd.h"
#include "ring/aerogpu_ring.h"
#include "tests/device/device_private.h"
#include "tests/device/inspect_trace.h"
#include "tests/device/packets.h"
#include "tests/device/renderer.h"
#include "tests/device/shared_surface.h"
#include "tests/device/view.h"

/* The log of submissions names the resources that were touched. */
static void trace(const struct agpu_exec *exec, uint32_t handle)
{
    if (exec->device->trace != NULL) {
        agpu_trace_resource(exec->device->trace, handle);
    }
}

bool agpu_handle_reserved(const struct agpu_exec *exec, uint32_t handle)
{
    const struct agpu_object *object = agpu_map_find(&exec->objects, handle);
    const struct agpu_resource *resource = (const void *)object;

    return object != NULL && object->kind != AGPU_OBJECT_VIEW && resource->original_destroyed &&
           resource->original == handle;
}

struct agpu_resource *agpu_resource_find(const struct agpu_exec *exec, uint32_t handle)
{
    struct agpu_object *object = agpu_map_find(&exec->objects, handle);
    struct agpu_resource *resource = (void *)object;

    if (object == NULL || object->kind == AGPU_OBJECT_VIEW ||
        (resource->original_destroyed && resource->original == handle)) {
        return NULL;
    }
    trace(exec, handle);
    return resource;
}

struct agpu_resource *agpu_buffer_find(const struct agpu_exec *exec, uint32_t handle)
{
    struct agpu_resource *resource = agpu_resource_find(exec, handle);

    return resource != NULL && resource->object.kind == AGPU_OBJECT_BUFFER ? resource : NULL;
}

struct agpu_resource *agpu_texture_find(const struct agpu_exec *exec, uint32_t handle)
{
    struct agpu_resource *resource = agpu_resource_find(exec, handle);

    return resource != NULL && resource->object.kind == AGPU_OBJECT_TEXTURE ? resource : NULL;
}

const struct agpu_alloc *agpu_backing_resolve(const struct agpu_exec *exec,
                                              const struct agpu_backing *backing, uint64_t size)
{
    const struct agpu_alloc *alloc = agpu_alloc_table_find(exec->table, backing->alloc_id);

    if (alloc == NULL || backing->offset > alloc->size || size > alloc->size - backing->offset) {
        return NULL;
    }
    return alloc;
}

void agpu_resource_touch(struct agpu_exec *exec, struct agpu_resource *resource)
{
    trace(exec, resource->original);
    if (resource->renderer_newer) {
        resource->renderer_newer = false;
        exec->renderer->read_back(exec->renderer->ctx, resource);
    }
}

void agpu_resource_change(struct agpu_exec *exec, struct agpu_resource *resource, uint64_t offset,
                          uint64_t size)
{
    agpu_resource_touch(exec, resource);
    resource->version++;
    if (size > 0) {
        agpu_changes_add(&resource->changes, offset, offset + size);
    }
}

void agpu_resource_load(struct agpu_exec *exec, struct agpu_resource *resource,
                        const struct agpu_alloc *alloc, uint64_t offset, uint64_t size)
{
    agpu_resource_change(exec, resource, offset, size);
    agpu_dma_read(exec->device, alloc->gpa + resource->backing.offset + offset, resource->data + offset,
                  size);
    agpu_exec_spend(exec, size + AGPU_COST_ROW);
}

void agpu_resource_store(struct agpu_exec *exec, const struct agpu_resource *resource,
                         const struct agpu_alloc *alloc, uint64_t offset, const void *bytes, uint64_t size)
{
    agpu_dma_write(exec->device, alloc->gpa + resource->backing.offset + offset, bytes, size);
}

const struct agpu_alloc *agpu_resource_writable(const struct agpu_exec *exec,
                                                const struct agpu_resource *resource)
{
    const struct agpu_alloc *alloc;

    if (resource->backing.alloc_id == 0) {
        return NULL;
    }
    alloc = agpu_backing_resolve(exec, &resource->backing, resource->size);
    if (alloc != NULL && (alloc->flags & AEROGPU_ALLOC_FLAG_READONLY) != 0 &&
        exec->device->fault != AGPU_FAULT_WRITEBACK_TO_READONLY) {
        return NULL;
    }
    return alloc;
}

static void destroy(struct agpu_exec *exec, struct agpu_resource *resource)
{
    if (exec->renderer != NULL) {
        exec->renderer->forget_resource(exec->renderer->ctx, resource);
    }
    *resource->link = resource->next;
    if (resource->next != NULL) {
        resource->next->link = resource->link;
    }
    agpu_exec_free(exec, resource->data, resource->size);
    agpu_exec_free(exec, resource, sizeof *resource + AGPU_HANDLE_COST);
}

uint32_t agpu_resource_create(struct agpu_exec *exec, uint32_t handle, const struct agpu_resource *properties,
                              const struct agpu_alloc *alloc)
{
    struct agpu_resource *resource = agpu_exec_alloc(exec, sizeof *resource + AGPU_HANDLE_COST);

    if (resource == NULL) {
        return AEROGPU_ERROR_BACKEND;
    }
    *resource = *properties;
    trace(exec, handle);
    resource->original = handle;
    resource->references = 1;
    resource->next = exec->resources;
    resource->link = &exec->resources;
    if (resource->next != NULL) {
        resource->next->link = &resource->next;
    }
    exec->resources = resource;
    resource->data = agpu_exec_alloc(exec, resource->size);
    if (resource->data == NULL || !agpu_map_set(&exec->objects, handle, resource)) {
        destroy(exec, resource);
        return AEROGPU_ERROR_BACKEND;
    }
    if (alloc != NULL) {
        agpu_resource_load(exec, resource, alloc, 0, resource->size);
    } else if (exec->device->fault == AGPU_FAULT_CREATE_NOT_ZEROED) {
        memset(resource->data, 0xA5, resource->size);
    }
    return AEROGPU_ERROR_NONE;
}

uint32_t agpu_resource_alias(struct agpu_exec *exec, uint32_t handle, struct agpu_resource *resource)
{
    if (!agpu_exec_charge(exec, AGPU_HANDLE_COST)) {
        return AEROGPU_ERROR_BACKEND;
    }
    if (!agpu_map_set(&exec->objects, handle, resource)) {
        exec->memory_used -= AGPU_HANDLE_COST;
        return AEROGPU_ERROR_BACKEND;
    }
    resource->references++;
    return AEROGPU_ERROR_NONE;
}

void agpu_resource_release(struct agpu_exec *exec, uint32_t handle, struct agpu_resource *resource)
{
    const bool dies = resource->references == 1;

    agpu_state_forget(exec, handle, resource, dies);
    resource->references--;
    if (handle == resource->original) {
        resource->original_destroyed = true; /* the number stays reserved while aliases live */
    } else {
        agpu_map_remove(&exec->objects, handle);
        exec->memory_used -= AGPU_HANDLE_COST;
    }
    if (dies) {
        agpu_map_remove(&exec->objects, resource->original);
        agpu_view_detach_all(resource);
        agpu_token_retire_all(resource);
        destroy(exec, resource);
    }
}

void agpu_resource_free_all(struct agpu_exec *exec)
{
    const struct agpu_map_slot *slot;
    size_t position = 0;

    while ((slot = agpu_map_next(&exec->objects, &position)) != NULL) { /* views point into resources */
        const struct agpu_object *object = slot->value;

        if (object->kind == AGPU_OBJECT_VIEW) {
            agpu_view_free(exec, slot->value);
        } else if (slot->key != ((const struct agpu_resource *)slot->value)->original) {
            exec->memory_used -= AGPU_HANDLE_COST;
        }
    }
    while (exec->resources != NULL) {
        destroy(exec, exec->resources);
    }
    agpu_map_free(&exec->objects);
}

uint32_t agpu_packet_destroy_resource(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_destroy_resource *destroy_resource = packet;
    struct agpu_resource *resource = agpu_resource_find(exec, destroy_resource->resource_handle);

    (void)size;
    if (resource != NULL) {
        agpu_resource_release(exec, destroy_resource->resource_handle, resource);
    }
    return AEROGPU_ERROR_NONE;
}
