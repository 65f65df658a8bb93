/* shared_object.h: reference counts of protocol objects that several contexts name, and the objects themselves when
 * their immediate handle is destroyed while command lists refer to them (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_SHARED_OBJECT_H
#define AGPU_UMD_DEFERRED_SHARED_OBJECT_H

#include "umd-port/base/device.h"
#include "umd-port/state/objects.h"

/* Kinds of objects, which differ in their destruction and in the location of their protocol handle. */
enum agpu_shared_kind {
    AGPU_SHARED_RESOURCE,
    AGPU_SHARED_VIEW, /* views with their own protocol object; the others are named by their resource */
    AGPU_SHARED_SHADER,
    AGPU_SHARED_LAYOUT,
    AGPU_SHARED_SAMPLER,
    AGPU_SHARED_QUERY,
    AGPU_SHARED_TEMPORARY, /* a resource that one list creates and destroys; has no shared object */
};

/* One for each protocol object of a device with deferred contexts, created with its immediate handle. Threads other
 * than the immediate context's use only references, next_unreferenced and constant members. */
struct agpu_shared_object {
    uint32_t references; /* atomic: immediate handle, each deferred handle, each command list */
    uint32_t kind;       /* enum agpu_shared_kind */
    uint32_t handle;     /* protocol handle; 0 for resources, whose handle changes with a rotation */
    void *object;        /* the immediate object, or detached; NULL: a destroyed query */
    struct agpu_sharing *sharing;
    struct agpu_shared_object *next_unreferenced;
    /* The object after its immediate handle was destroyed, whose memory then belongs to the runtime. */
    union {
        struct agpu_resource resource;
        struct agpu_view view;
        uint32_t handle;             /* of a shader, layout or sampler */
        struct agpu_sampler sampler; /* the largest of these */
    } detached;
};

/* Data shared by the contexts of a device. Remains after the device while a shared object exists. */
struct agpu_sharing {
    uint32_t references; /* atomic: the device and every shared object */
    const struct agpu_umd_environment *env;
    struct agpu_device *device; /* NULL once destroyed */
    uint32_t list_capacity;     /* entries of the runtime's allocation lists */
    struct agpu_shared_object
        *unreferenced; /* atomic stack: objects without references that still exist on the device */
};

/* Creates the sharing state of a new device; NULL without memory. */
struct agpu_sharing *agpu_sharing_open(struct agpu_device *device);
/* Call when the device is destroyed: objects whose last reference ends later are freed without packets. */
void agpu_sharing_close(struct agpu_sharing *sharing);
/* Immediate context only: records the destruction of objects without references, views before resources. */
void agpu_sharing_destroy_unreferenced(struct agpu_sharing *sharing);

/* Returns a shared object with one reference, for an immediate object about to be created. Call
 * agpu_shared_object_init() when the creation succeeds, agpu_shared_object_discard() when it fails. NULL without
 * memory. */
struct agpu_shared_object *agpu_shared_object_new(struct agpu_sharing *sharing);
void agpu_shared_object_init(struct agpu_shared_object *shared, enum agpu_shared_kind kind, uint32_t handle,
                             void *object);
void agpu_shared_object_discard(struct agpu_shared_object *shared);
void agpu_shared_object_ref(struct agpu_shared_object *object);
/* Any thread. An object without references waits for agpu_sharing_destroy_unreferenced(). */
void agpu_shared_object_unref(struct agpu_shared_object *object);
/* Drops the reference of the immediate handle, whose memory the runtime takes back. True: it was the last one; the
 * shared object is freed and the caller destroys the object as on any device. False: the object was moved to
 * detached. */
bool agpu_shared_object_detach(struct agpu_shared_object *object);

/* Returns the current protocol handle; immediate context only. */
static inline uint32_t agpu_shared_object_handle(const struct agpu_shared_object *object)
{
    return object->kind == AGPU_SHARED_RESOURCE ? ((const struct agpu_resource *)object->object)->handle
                                                : object->handle;
}

#endif
