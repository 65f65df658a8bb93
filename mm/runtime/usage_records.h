/* usage_records.h: the records behind the usage rules, for the files of usage_* alone: objects by the memory that
 * the application gave them, what is bound, and the tables behind which the driver stands. */
#ifndef AGPU_MM_RUNTIME_USAGE_RECORDS_H
#define AGPU_MM_RUNTIME_USAGE_RECORDS_H

#include "mm/base/memory.h"
#include "mm/runtime/usage_rules.h"
#include "umd-port/ddi/d3d11umddi.h"

#define AGPU_USAGE_BUCKETS 256u
#define AGPU_USAGE_STAGES  6u

/* A resource or a view. */
struct agpu_usage_object {
    struct agpu_usage_object *next;
    const void *handle;
    bool refused; /* never reached the driver, nor may its end */
    bool mapped;
    uint32_t mapped_subresource;
    bool view;
    const void *of; /* a view: its resource's handle */
    struct agpu_usage_resource resource;
};

/* Calls that were refused since the last agpu_usage_take(). */
struct agpu_usage_refusals {
    uint32_t count;
    const char *first; /* the rule that the first one broke; NULL: none */
};

struct agpu_usage {
    struct agpu_usage *next;
    struct agpu_memory *memory;
    D3D10DDI_HDEVICE device;
    D3D11DDI_DEVICEFUNCS funcs; /* the driver's */
    D3D11DDI_DEVICECONTEXTFUNCS context;
    bool off;
    struct agpu_usage_refusals refusals;
    struct agpu_usage_object *objects[AGPU_USAGE_BUCKETS];
    uint32_t mapped; /* resources that are */
    /* What is bound, of what can be mapped: resources and views by their handles. */
    const void *vertex[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    const void *index;
    const void *constants[AGPU_USAGE_STAGES][AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    const void *views[AGPU_USAGE_STAGES][AGPU_DDI_SHADER_RESOURCE_SLOTS];
};

/* Enters it among those that agpu_usage_of() finds, and takes it out with everything that it knows of. */
void agpu_usage_enter(struct agpu_usage *usage);
void agpu_usage_leave(struct agpu_usage *usage);

/* The layer of a device; it is one, since no other has these entries. */
struct agpu_usage *agpu_usage_of(D3D10DDI_HDEVICE device);

/* NULL: unknown. */
struct agpu_usage_object *agpu_usage_find(const struct agpu_usage *usage, const void *handle);
/* Remembers an object; NULL when memory is exhausted. One that is known begins anew. */
struct agpu_usage_object *agpu_usage_add(struct agpu_usage *usage, const void *handle);
/* Forgets it, and takes it out of all slots. */
void agpu_usage_remove(struct agpu_usage *usage, const void *handle);
/* The resource itself, or that of a view. NULL: unknown. */
struct agpu_usage_object *agpu_usage_resource_behind(const struct agpu_usage *usage, const void *handle);

/* The driver has default state now; NULL is ignored. For what comes by another way than the tables: a list that was finished, or
 * executed without restoring. */
void agpu_usage_forget_bound(struct agpu_usage *usage);

/* True, and counted, when a rule is broken and rules hold. */
bool agpu_usage_refuses(struct agpu_usage *usage, const char *rule);

/* Wraps one entry, unless the driver has none. */
#define AGPU_USAGE_WRAP(table, entry, checked) ((table)->entry = (table)->entry != NULL ? (checked) : NULL)

/* All of them are gone, their memory too. For a test system that has taken a case off the stack. */
void agpu_usages_abandon(void);

#endif
