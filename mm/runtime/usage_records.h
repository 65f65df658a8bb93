/* usage_records.h: records of the usage rules, for the usage_* files only: objects, by the memory that the application
 * gave them; current bindings; the driver's own tables. */
#ifndef AGPU_MM_RUNTIME_USAGE_RECORDS_H
#define AGPU_MM_RUNTIME_USAGE_RECORDS_H

#include "mm/base/memory.h"
#include "mm/runtime/usage_rules.h"
#include "mm/runtime/api.h"

#define AGPU_USAGE_BUCKETS 256u
#define AGPU_USAGE_STAGES  6u

/* A resource or a view. */
struct agpu_usage_object {
    struct agpu_usage_object *next;
    const void *handle;
    bool refused; /* never reached the driver, so its destruction must not either */
    bool mapped;
    uint32_t mapped_subresource;
    bool view;
    const void *of; /* a view: its resource's handle */
    struct agpu_usage_resource resource;
};

/* Calls refused since the last agpu_usage_take(). */
struct agpu_usage_refusals {
    uint32_t count;
    const char *first; /* the rule that the first refused call broke; NULL: none */
};

struct agpu_usage {
    struct agpu_layer layer;
    struct agpu_memory *memory;
    struct agpu_api_device funcs; /* the driver's own table */
    struct agpu_api_context context;
    bool off;
    struct agpu_usage_refusals refusals;
    struct agpu_usage_object *objects[AGPU_USAGE_BUCKETS];
    uint32_t mapped; /* number of mapped resources */
    /* Current bindings of kinds that can be mapped: handles of resources and views. */
    const void *vertex[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    const void *index;
    const void *constants[AGPU_USAGE_STAGES][AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    const void *views[AGPU_USAGE_STAGES][AGPU_DDI_SHADER_RESOURCE_SLOTS];
};

/* Removes the layer from those that agpu_usage_of() searches, and frees its object records. */
void agpu_usage_leave(struct agpu_usage *usage);

static inline struct agpu_usage *agpu_usage_of(D3D10DDI_HDEVICE device)
{
    return agpu_layer_of(AGPU_LAYER_USAGE, device);
}

/* NULL: unknown. */
struct agpu_usage_object *agpu_usage_find(const struct agpu_usage *usage, const void *handle);
/* Records an object; NULL when memory is exhausted. An existing record is reset. */
struct agpu_usage_object *agpu_usage_add(struct agpu_usage *usage, const void *handle);
/* Forgets the object and takes it out of all slots. */
void agpu_usage_remove(struct agpu_usage *usage, const void *handle);
/* Returns the resource itself, or the resource of a view. NULL: unknown. */
struct agpu_usage_object *agpu_usage_resource_behind(const struct agpu_usage *usage, const void *handle);

/* Clears the record of bindings: the driver is in default state. For calls outside the tables: a finished list, or one
 * executed without restoring. NULL is ignored. */
void agpu_usage_forget_bound(struct agpu_usage *usage);

/* Returns true and counts the call when a rule is broken and rules are enforced. */
bool agpu_usage_refuses(struct agpu_usage *usage, const char *rule);

/* Wraps one entry, unless the driver has none. */
#define AGPU_USAGE_WRAP(table, entry, checked) ((table)->entry = (table)->entry != NULL ? (checked) : NULL)

#endif
