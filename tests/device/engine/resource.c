/* resource.c: resources, their storage and their guest memory (commands.md 2, 6; ring.md 8). */
#include "tests/device/engine/resource.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/bus/dma.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/renderer.h"
#include "tests/device/engine/trace.h"

/* Records the handle for the log of submissions. */
static void trace_creation(const struct vgpu_exec *exec, uint32_t handle)
{
    vgpu_trace_resource(exec->trace, handle);
}

struct vgpu_resource *vgpu_object_resource(struct vgpu_object *object)
{
    return object->kind == VGPU_OBJECT_VIEW ? ((struct vgpu_view *)(void *)object)->resource
                                            : (struct vgpu_resource *)(void *)object;
}

bool vgpu_handle_reserved(const struct vgpu_exec *exec, uint32_t handle)
{
    const struct vgpu_object *object = vgpu_map_find(&exec->objects, handle);
    const struct vgpu_resource *resource = (const void *)object;

    return object != NULL && object->kind != VGPU_OBJECT_VIEW && resource->original_destroyed &&
           resource->original == handle;
}

struct vgpu_resource *vgpu_resource_find(const struct vgpu_exec *exec, uint32_t handle)
{
    struct vgpu_object *object = vgpu_map_find(&exec->objects, handle);
    struct vgpu_resource *resource = (void *)object;

    if (object == NULL || object->kind == VGPU_OBJECT_VIEW ||
        (resource->original_destroyed && resource->original == handle)) {
        return NULL;
    }
    trace_creation(exec, handle);
    return resource;
}

struct vgpu_resource *vgpu_buffer_find(const struct vgpu_exec *exec, uint32_t handle)
{
    struct vgpu_resource *resource = vgpu_resource_find(exec, handle);

    return resource != NULL && resource->object.kind == VGPU_OBJECT_BUFFER ? resource : NULL;
}

struct vgpu_resource *vgpu_texture_find(const struct vgpu_exec *exec, uint32_t handle)
{
    struct vgpu_resource *resource = vgpu_resource_find(exec, handle);

    return resource != NULL && resource->object.kind == VGPU_OBJECT_TEXTURE ? resource : NULL;
}

const struct vgpu_alloc *vgpu_backing_resolve(const struct vgpu_exec *exec,
                                              const struct vgpu_backing *backing, uint64_t size)
{
    const struct vgpu_alloc *alloc = vgpu_alloc_table_find(exec->table, backing->alloc_id);

    if (alloc == NULL || backing->offset > alloc->size || size > alloc->size - backing->offset) {
        return NULL;
    }
    return alloc;
}

void vgpu_resource_touch(struct vgpu_exec *exec, struct vgpu_resource *resource)
{
    trace_creation(exec, resource->original);
    if (resource->renderer_newer) {
        resource->renderer_newer = false;
        exec->renderer->read_back(exec->renderer->ctx, resource);
    }
}

void vgpu_resource_change(struct vgpu_exec *exec, struct vgpu_resource *resource, uint64_t offset,
                          uint64_t size)
{
    vgpu_resource_touch(exec, resource);
    resource->version++;
    if (size > 0) {
        vgpu_changes_add(&resource->changes, offset, offset + size);
    }
}

void vgpu_resource_load(struct vgpu_exec *exec, struct vgpu_resource *resource,
                        const struct vgpu_alloc *alloc, uint64_t offset, uint64_t size)
{
    vgpu_resource_change(exec, resource, offset, size);
    vgpu_dma_read(exec->bus, alloc->gpa + resource->backing.offset + offset, resource->data + offset, size);
    vgpu_exec_spend(exec, size + VGPU_COST_ROW);
}

void vgpu_resource_store(struct vgpu_exec *exec, const struct vgpu_resource *resource,
                         const struct vgpu_alloc *alloc, uint64_t offset, const void *bytes, uint64_t size)
{
    vgpu_dma_write(exec->bus, alloc->gpa + resource->backing.offset + offset, bytes, size);
}

const struct vgpu_alloc *vgpu_resource_writable(const struct vgpu_exec *exec,
                                                const struct vgpu_resource *resource)
{
    const struct vgpu_alloc *alloc;

    if (resource->backing.alloc_id == 0) {
        return NULL;
    }
    alloc = vgpu_backing_resolve(exec, &resource->backing, resource->size);
    if (alloc != NULL && (alloc->flags & AEROGPU_ALLOC_FLAG_READONLY) != 0) {
        return NULL;
    }
    return alloc;
}

void vgpu_resource_destroy(struct vgpu_exec *exec, struct vgpu_resource *resource)
{
    if (exec->renderer != NULL) {
        exec->renderer->forget_resource(exec->renderer->ctx, resource);
    }
    *resource->link = resource->next;
    if (resource->next != NULL) {
        resource->next->link = resource->link;
    }
    vgpu_exec_free(exec, resource->data, resource->size);
    vgpu_exec_free(exec, resource, sizeof *resource + VGPU_HANDLE_COST);
}

uint32_t vgpu_resource_create(struct vgpu_exec *exec, uint32_t handle, const struct vgpu_resource *properties,
                              const struct vgpu_alloc *alloc)
{
    struct vgpu_resource *resource = vgpu_exec_alloc(exec, sizeof *resource + VGPU_HANDLE_COST);

    if (resource == NULL) {
        return AEROGPU_ERROR_BACKEND;
    }
    *resource = *properties;
    trace_creation(exec, handle);
    resource->original = handle;
    resource->references = 1;
    resource->next = exec->resources;
    resource->link = &exec->resources;
    if (resource->next != NULL) {
        resource->next->link = &resource->next;
    }
    exec->resources = resource;
    resource->data = vgpu_exec_alloc(exec, resource->size);
    if (resource->data == NULL || !vgpu_map_set(&exec->objects, handle, resource)) {
        vgpu_resource_destroy(exec, resource);
        return AEROGPU_ERROR_BACKEND;
    }
    if (alloc != NULL) {
        vgpu_resource_load(exec, resource, alloc, 0, resource->size);
    }
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_resource_alias(struct vgpu_exec *exec, uint32_t handle, struct vgpu_resource *resource)
{
    if (!vgpu_exec_charge(exec, VGPU_HANDLE_COST)) {
        return AEROGPU_ERROR_BACKEND;
    }
    if (!vgpu_map_set(&exec->objects, handle, resource)) {
        exec->memory_used -= VGPU_HANDLE_COST;
        return AEROGPU_ERROR_BACKEND;
    }
    resource->references++;
    return AEROGPU_ERROR_NONE;
}

struct vgpu_resource *vgpu_resource_visit_reference(struct vgpu_exec *exec, struct vgpu_archive *archive,
                                                    struct vgpu_resource *resource)
{
    const uint64_t original = vgpu_archive_number(archive, "original handle",
                                                  resource != NULL ? resource->original : 0, UINT32_MAX);
    struct vgpu_object *object = vgpu_map_find(&exec->objects, original);

    if (original == 0 || !vgpu_archive_expect(archive,
                                              object != NULL && object->kind != VGPU_OBJECT_VIEW &&
                                                  vgpu_object_resource(object)->original == original,
                                              "references to resources of the stream")) {
        return NULL;
    }
    return vgpu_object_resource(object);
}
