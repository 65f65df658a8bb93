/* shared_object.c: reference counts of shared protocol objects, and their destruction on the immediate
 * context (umd.md 15). */
#include "umd-port/deferred/shared_object.h"

#include "umd-port/base/track.h"
#include "umd-port/resource/destroy.h"
#include "umd-port/resource/memory.h"
#include "umd-port/state/input.h"
#include "umd-port/state/samplers.h"
#include "umd-port/state/shaders.h"
#include "umd-port/state/unbind.h"
#include "umd-port/state/views.h"

/* Relaxed: the caller already has a reference, so nothing needs to be ordered. */
static void add_reference(uint32_t *references)
{
    __atomic_fetch_add(references, 1, __ATOMIC_RELAXED);
}

/* Returns true for the last reference. Release: this thread's use of the object happens before its destruction.
 * Acquire: so does that of the other threads. */
static bool drop_reference(uint32_t *references)
{
    return __atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL) == 0;
}

struct agpu_sharing *agpu_sharing_open(struct agpu_device *device)
{
    struct agpu_sharing *sharing = device->env->heap_alloc(device->env->ctx, sizeof *sharing);

    if (sharing != NULL) {
        *sharing = (struct agpu_sharing){
            .references = 1, .env = device->env, .device = device, .list_capacity = device->allocs.capacity};
    }
    return sharing;
}

static void unref_sharing(struct agpu_sharing *sharing)
{
    if (drop_reference(&sharing->references)) {
        sharing->env->heap_free(sharing->env->ctx, sharing);
    }
}

static void free_shared_object(struct agpu_shared_object *object)
{
    struct agpu_sharing *sharing = object->sharing;

    sharing->env->heap_free(sharing->env->ctx, object);
    unref_sharing(sharing);
}

/* Records the destruction of an object without an immediate handle. */
static void destroy_detached(struct agpu_shared_object *object)
{
    const D3D10DDI_HDEVICE device = {object->sharing->device};

    switch (object->kind) {
    case AGPU_SHARED_RESOURCE:
        agpu_destroy_resource(device, (D3D10DDI_HRESOURCE){&object->detached.resource});
        break;
    case AGPU_SHARED_VIEW:
        agpu_destroy_srv(device, (D3D10DDI_HSHADERRESOURCEVIEW){&object->detached.view});
        break;
    case AGPU_SHARED_SHADER:
        agpu_destroy_shader(device, (D3D10DDI_HSHADER){&object->detached});
        break;
    case AGPU_SHARED_LAYOUT:
        agpu_destroy_element_layout(device, (D3D10DDI_HELEMENTLAYOUT){&object->detached});
        break;
    case AGPU_SHARED_SAMPLER:
        agpu_destroy_sampler(device, (D3D10DDI_HSAMPLER){&object->detached});
        break;
    default: /* queries have no object on the device */
        break;
    }
}

void agpu_sharing_destroy_unreferenced(struct agpu_sharing *sharing)
{
    /* Acquire: the threads that pushed wrote the stack's links. */
    struct agpu_shared_object *unreferenced =
        __atomic_exchange_n(&sharing->unreferenced, NULL, __ATOMIC_ACQUIRE);

    for (struct agpu_shared_object *object = unreferenced; object != NULL;
         object = object->next_unreferenced) {
        if (object->kind != AGPU_SHARED_RESOURCE) {
            destroy_detached(object);
        }
    }
    while (unreferenced != NULL) {
        struct agpu_shared_object *object = unreferenced;

        unreferenced = object->next_unreferenced;
        if (object->kind == AGPU_SHARED_RESOURCE) {
            destroy_detached(object);
        }
        free_shared_object(object);
    }
}

void agpu_sharing_close(struct agpu_sharing *sharing)
{
    /* Relaxed: the runtime ends every other call on the device before it destroys it. */
    __atomic_store_n(&sharing->device, (struct agpu_device *)NULL, __ATOMIC_RELAXED);
    unref_sharing(sharing);
}

struct agpu_shared_object *agpu_shared_object_new(struct agpu_sharing *sharing)
{
    struct agpu_shared_object *shared = sharing->env->heap_alloc(sharing->env->ctx, sizeof *shared);

    if (shared == NULL) {
        return NULL;
    }
    *shared = (struct agpu_shared_object){.references = 1, .sharing = sharing};
    add_reference(&sharing->references);
    return shared;
}

void agpu_shared_object_init(struct agpu_shared_object *shared, enum agpu_shared_kind kind, uint32_t handle,
                             void *object)
{
    shared->kind = (uint32_t)kind;
    shared->handle = handle;
    shared->object = object;
}

void agpu_shared_object_discard(struct agpu_shared_object *shared)
{
    free_shared_object(shared);
}

void agpu_shared_object_ref(struct agpu_shared_object *object)
{
    add_reference(&object->references);
}

void agpu_shared_object_unref(struct agpu_shared_object *object)
{
    if (!drop_reference(&object->references)) {
        return;
    }
    struct agpu_sharing *sharing = object->sharing;
    if ((__atomic_load_n(&sharing->device, __ATOMIC_RELAXED)) == NULL) { /* see agpu_sharing_close() */
        if (object->kind == AGPU_SHARED_RESOURCE) {
            agpu_free_shadow(&object->detached.resource);
        }
        free_shared_object(object);
        return;
    }
    object->next_unreferenced = __atomic_load_n(&sharing->unreferenced, __ATOMIC_RELAXED);
    /* Release: the thread that takes the stack sees this object's link. */
    while (!__atomic_compare_exchange_n(&sharing->unreferenced, &object->next_unreferenced, object, true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
        ;
    }
}

/* Ends the resource's mapping, bindings and views, for which no packet of the resource itself is needed. */
static void detach_resource(struct agpu_shared_object *object)
{
    struct agpu_resource *resource = object->object;
    struct agpu_device *device = object->sharing->device;

    agpu_forget_staging_write(resource);
    agpu_end_mapping(device, resource);
    if (device != NULL && !agpu_unbind_destroyed(&device->imm, resource)) {
        agpu_set_error(&device->imm, E_OUTOFMEMORY);
    }
    agpu_empty_views(resource);
    object->detached.resource = *resource;
    *resource = (struct agpu_resource){.handle = 0};
}

/* An explicit view stays in its resource's list of views, because a rotation must still re-create it. */
static void detach_shared_view(struct agpu_shared_object *object)
{
    struct agpu_view *view = object->object, *detached = &object->detached.view;

    *detached = *view;
    if (detached->link != NULL) {
        *detached->link = detached;
    }
    if (detached->next != NULL) {
        detached->next->link = &detached->next;
    }
    *view = (struct agpu_view){.resource = NULL};
}

bool agpu_shared_object_detach(struct agpu_shared_object *object)
{
    /* Acquire, as in drop_reference(). A count of 1 stays 1: new references are made only from existing ones. */
    if (__atomic_load_n(&object->references, __ATOMIC_ACQUIRE) == 1) {
        free_shared_object(object);
        return true;
    }
    switch (object->kind) {
    case AGPU_SHARED_RESOURCE:
        detach_resource(object);
        break;
    case AGPU_SHARED_VIEW:
        detach_shared_view(object);
        break;
    case AGPU_SHARED_SHADER:
    case AGPU_SHARED_LAYOUT:
    case AGPU_SHARED_SAMPLER: /* start with the handle, which is all that the destruction needs */
        object->detached.handle = *(uint32_t *)object->object;
        *(uint32_t *)object->object = 0;
        break;
    default: /* queries: a list does not end a destroyed query */
        break;
    }
    object->object = object->kind == AGPU_SHARED_QUERY ? NULL : &object->detached;
    agpu_shared_object_unref(object);
    return false;
}
