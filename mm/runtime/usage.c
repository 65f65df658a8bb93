/* usage.c: the layer of the usage rules: attached to a device and removed (umd.md 19). */
#include "mm/runtime/usage.h"

#include "mm/runtime/types.h"
#include "mm/runtime/usage_copies.h"
#include "mm/runtime/usage_maps.h"
#include "mm/runtime/usage_objects.h"
#include "mm/runtime/usage_pipeline.h"
#include "mm/runtime/usage_records.h"

#include <string.h>

struct agpu_usage *agpu_usage_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                                    struct agpu_api_device *funcs, struct agpu_api_context *context)
{
    struct agpu_memory *memory = &owner->runtime->memory;
    struct agpu_usage *usage = agpu_memory_alloc(memory, sizeof *usage);

    if (usage == NULL) {
        return NULL;
    }
    usage->memory = memory;
    usage->funcs = *funcs;
    usage->context = *context;
    agpu_layer_enter(AGPU_LAYER_USAGE, &usage->layer, device);
    agpu_usage_check_objects(funcs);
    agpu_usage_check_copies(context);
    agpu_usage_check_maps(context);
    agpu_usage_check_pipeline(context);
    return usage;
}

struct agpu_usage *agpu_usage_begin_deferred(struct agpu_runtime_device *owner,
                                             const struct agpu_usage *immediate, D3D10DDI_HDEVICE device,
                                             struct agpu_api_context *context)
{
    struct agpu_api_device funcs = immediate->funcs; /* creation belongs to the device */
    struct agpu_usage *usage = agpu_usage_begin(owner, device, &funcs, context);

    if (usage != NULL) {
        usage->off = immediate->off;
    }
    return usage;
}

void agpu_usage_adopt(struct agpu_usage *usage, const struct agpu_usage *immediate, const void *object,
                      const void *local, const void *local_resource)
{
    const struct agpu_usage_object *known = agpu_usage_find(immediate, object);
    struct agpu_usage_object *adopted = known != NULL ? agpu_usage_find(usage, local) : NULL;

    if (known == NULL) {
        return;
    }
    if (adopted != NULL && adopted->of == local_resource &&
        memcmp(&adopted->resource, &known->resource, sizeof known->resource) == 0) {
        return; /* known, and perhaps mapped; otherwise the record is replaced */
    }
    adopted = agpu_usage_add(usage, local);
    if (adopted != NULL) {
        adopted->refused = known->refused;
        adopted->view = known->view;
        adopted->of = local_resource;
        adopted->resource = known->resource;
    }
}

void agpu_usage_end(struct agpu_usage *usage)
{
    if (usage == NULL) {
        return;
    }
    agpu_usage_leave(usage);
    agpu_memory_free(usage->memory, usage, sizeof *usage);
}

void agpu_usage_enforce(struct agpu_usage *usage, bool on)
{
    usage->off = !on;
}

struct agpu_usage_refusals agpu_usage_take(struct agpu_usage *usage)
{
    struct agpu_usage_refusals taken = usage->refusals;

    usage->refusals = (struct agpu_usage_refusals){0};
    return taken;
}

const struct agpu_api_device *agpu_usage_driver_funcs(const struct agpu_usage *usage)
{
    return &usage->funcs;
}

const struct agpu_api_context *agpu_usage_driver_context(const struct agpu_usage *usage)
{
    return &usage->context;
}
