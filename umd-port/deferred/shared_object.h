/* shared_object.h: protocol objects that several contexts name: who still refers to one, and what is left of it when
 * its immediate handle is gone while command lists use it (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_SHARED_OBJECT_H
#define AGPU_UMD_DEFERRED_SHARED_OBJECT_H

#include "umd-port/base/device.h"
#include "umd-port/state/objects.h"

/* What an object is, hence how a packet names it and how it is destroyed. */
enum agpu_shared_kind {
    AGPU_SHARED_RESOURCE,
    AGPU_SHARED_VIEW, /* explicit views; others are their resource */
    AGPU_SHARED_SHADER,
    AGPU_SHARED_LAYOUT,
    AGPU_SHARED_SAMPLER,
    AGPU_SHARED_QUERY,
    AGPU_SHARED_TEMPORARY, /* lives for some packets of one list; has no shared object */
};

/* One for each protocol object of a device with deferred contexts, made with its immediate handle. Threads
 * other than the immediate context's touch only references and constants. */
struct agpu_shared_object {
    uint32_t references; /* atomic: immediate handle, each deferred handle, each command list */
    uint32_t kind;       /* enum agpu_shared_kind */
    uint32_t handle;     /* protocol handle; 0 for resources, whose handle changes with a rotation */
    void *object;        /* the immediate object, or remains; NULL: a query that is gone */
    struct agpu_sharing *sharing;
    struct agpu_shared_object *next_unreferenced;
    /* The object itself once the immediate handle is destroyed: the runtime takes that memory back. */
    union {
        struct agpu_resource resource;
        struct agpu_view view;
        struct agpu_shader shader;
        struct agpu_element_layout layout;
        struct agpu_sampler sampler;
    } detached;
};

/* What a device with deferred contexts keeps beside itself; outlives it while anything refers to it. */
struct agpu_sharing {
    uint32_t references; /* atomic: the device and every shared object */
    const struct agpu_umd_environment *env;
    struct agpu_device *device; /* NULL once destroyed */
    uint32_t list_capacity;     /* entries of the runtime's allocation lists */
    struct agpu_shared_object
        *unreferenced; /* atomic stack: nobody refers to them, the device does not know yet */
};

/* For a new device; NULL without memory. */
struct agpu_sharing *agpu_sharing_open(struct agpu_device *device);
/* The device goes: what becomes free later is freed without packets. */
void agpu_sharing_close(struct agpu_sharing *sharing);
/* Immediate context only: destroys on the device what nobody refers to any more, views before resources. */
void agpu_sharing_destroy_unreferenced(struct agpu_sharing *sharing);

/* A shared object for an immediate object about to be created, with one reference: to be completed with
 * agpu_shared_object_init() or given back with agpu_shared_object_discard(). NULL without memory. */
struct agpu_shared_object *agpu_shared_object_new(struct agpu_sharing *sharing);
void agpu_shared_object_init(struct agpu_shared_object *shared, enum agpu_shared_kind kind, uint32_t handle,
                             void *object);
void agpu_shared_object_discard(struct agpu_shared_object *shared);
void agpu_shared_object_ref(struct agpu_shared_object *object);
/* Any thread. The last reference leaves the object to agpu_sharing_destroy_unreferenced(). */
void agpu_shared_object_unref(struct agpu_shared_object *object);
/* Gives up the immediate handle's reference. True: nobody else has one, the shared object is freed and the
 * caller destroys the object as ever. False: the object lives on in remains; the immediate memory is
 * empty. */
bool agpu_shared_object_detach(struct agpu_shared_object *object);

/* Current protocol handle; immediate context only. */
static inline uint32_t agpu_shared_object_handle(const struct agpu_shared_object *object)
{
    return object->kind == AGPU_SHARED_RESOURCE ? ((const struct agpu_resource *)object->object)->handle
                                                : object->handle;
}

#endif
