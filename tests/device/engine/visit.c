/* visit.c: the state of an engine: resources with their handles, and all other blocks in the order in which they refer
 * to each other. */
#include "tests/device/engine/visit.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/fence.h"
#include "tests/device/engine/input_layout.h"
#include "tests/device/engine/resource.h"
#include "tests/device/engine/ring.h"
#include "tests/device/engine/sampler.h"
#include "tests/device/engine/shader.h"
#include "tests/device/engine/shared_surface.h"
#include "tests/device/engine/state.h"
#include "tests/device/engine/submission.h"
#include "tests/device/engine/view.h"

static const struct vgpu_field resource_fields[] = {
    VGPU_FIELD_UP_TO(vgpu_resource, object.kind, VGPU_OBJECT_TEXTURE),
    VGPU_FIELD(vgpu_resource, original_destroyed),
    VGPU_FIELD(vgpu_resource, original),
    VGPU_FIELD(vgpu_resource, usage),
    VGPU_FIELD(vgpu_resource, backing.alloc_id),
    VGPU_FIELD(vgpu_resource, backing.offset),
    VGPU_FIELD(vgpu_resource, size),
    VGPU_FIELD(vgpu_resource, layout.format),
    VGPU_FIELD(vgpu_resource, layout.width),
    VGPU_FIELD(vgpu_resource, layout.height),
    VGPU_FIELD(vgpu_resource, layout.mip_levels),
    VGPU_FIELD(vgpu_resource, layout.array_layers),
    VGPU_FIELD(vgpu_resource, layout.row_pitch),
};

/* True when a loaded resource could have been created by a packet. */
static bool properties_valid(const struct vgpu_exec *exec, struct vgpu_resource *properties)
{
    uint64_t total = properties->size;

    return properties->original != 0 && vgpu_map_find(&exec->objects, properties->original) == NULL &&
           properties->size != 0 &&
           (properties->object.kind == VGPU_OBJECT_BUFFER
                ? properties->size % 4 == 0
                : properties->object.kind == VGPU_OBJECT_TEXTURE &&
                      vgpu_texture_layout_init(&properties->layout, &total) && total == properties->size);
}

static void load_resource(struct vgpu_exec *exec, struct vgpu_archive *archive)
{
    struct vgpu_resource properties = {0}, *loaded;

    VGPU_ARCHIVE_FIELDS(archive, &properties, resource_fields);
    if (!vgpu_archive_expect(archive, properties_valid(exec, &properties),
                             "resources that a driver can create") ||
        !vgpu_archive_expect(
            archive, vgpu_resource_create(exec, properties.original, &properties, NULL) == AEROGPU_ERROR_NONE,
            "memory for the resources")) {
        return;
    }
    loaded = exec->resources;
    vgpu_archive_sparse(archive, loaded->data, loaded->size);
    vgpu_resource_change(exec, loaded, 0, loaded->size); /* a renderer copies all of it */
    loaded->references -= loaded->original_destroyed;
}

/* The meaning of a handle in the stream. */
enum { HANDLE_ORIGINAL, HANDLE_ALIAS, HANDLE_VIEW };

static void visit_handle(void *ctx, struct vgpu_archive *archive, uint64_t handle, void *value)
{
    struct vgpu_exec *exec = ctx;
    struct vgpu_object *object = value;
    struct vgpu_resource *resource = object != NULL ? vgpu_object_resource(object) : NULL;
    const uint64_t kind = vgpu_archive_number(archive, "kind of a handle",
                                              object == NULL                     ? HANDLE_ORIGINAL
                                              : object->kind == VGPU_OBJECT_VIEW ? HANDLE_VIEW
                                              : resource->original == handle     ? HANDLE_ORIGINAL
                                                                                 : HANDLE_ALIAS,
                                              HANDLE_VIEW);

    if (!vgpu_archive_expect(archive, !archive->loading || (object != NULL) == (kind == HANDLE_ORIGINAL),
                             "each handle once")) {
        return;
    }
    if (kind == HANDLE_VIEW) {
        vgpu_view_visit(exec, archive, (uint32_t)handle, value);
    } else if (kind == HANDLE_ALIAS) {
        resource = vgpu_resource_visit_reference(exec, archive, resource);
        vgpu_archive_expect(archive,
                            resource != NULL &&
                                (!archive->loading ||
                                 vgpu_resource_alias(exec, (uint32_t)handle, resource) == AEROGPU_ERROR_NONE),
                            "memory for the aliases");
    }
}

/* Visits all resources with their contents, then all handles of resources and views. */
static void visit_resources(struct vgpu_exec *exec, struct vgpu_archive *archive)
{
    uint64_t count = 0;

    for (const struct vgpu_resource *resource = exec->resources; resource != NULL;
         resource = resource->next) {
        count++;
    }
    count = vgpu_archive_number(archive, "number of resources", count, UINT32_MAX);
    if (archive->loading) {
        for (uint64_t i = 0; i < count && vgpu_archive_good(archive); i++) {
            load_resource(exec, archive);
        }
    } else {
        for (struct vgpu_resource *each = exec->resources; each != NULL; each = each->next) {
            VGPU_ARCHIVE_FIELDS(archive, each, resource_fields);
            vgpu_archive_sparse(archive, each->data, each->size);
        }
    }
    vgpu_map_visit(&exec->objects, archive, UINT32_MAX, visit_handle, exec);
    for (const struct vgpu_resource *resource = exec->resources; resource != NULL;
         resource = resource->next) {
        vgpu_archive_expect(archive, resource->references != 0, "a handle for each resource");
    }
}

static const struct vgpu_field error_fields[] = {
    VGPU_FIELD(vgpu_errors, code),
    VGPU_FIELD(vgpu_errors, fence),
    VGPU_FIELD(vgpu_errors, count),
};

void vgpu_engine_visit(struct vgpu_engine *engine, struct vgpu_archive *archive)
{
    struct vgpu_exec *exec = &engine->exec;

    if (!archive->loading) {
        vgpu_submission_settle(engine);
    }
    VGPU_ARCHIVE_FIELDS(archive, &engine->errors, error_fields);
    vgpu_ring_visit(&engine->ring, archive);
    vgpu_fence_visit(&engine->fences, archive);
    visit_resources(exec, archive);
    vgpu_token_visit_all(exec, archive);
    vgpu_shader_visit_all(exec, archive);
    vgpu_input_layout_visit_all(exec, archive);
    vgpu_sampler_visit_all(exec, archive);
    vgpu_state_visit(exec, archive);
    vgpu_submission_visit(engine, archive);
}
