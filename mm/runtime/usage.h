/* usage.h: the usage rules of the Direct3D runtime (umd.md 19), checked before the driver's entries, as on Windows. A
 * call that breaks a rule does not reach the driver; it returns E_INVALIDARG, or has no effect if the entry returns
 * nothing. The check can be switched off, to send the driver what Windows never would. */
#ifndef AGPU_MM_RUNTIME_USAGE_H
#define AGPU_MM_RUNTIME_USAGE_H

#include <stdbool.h>

#include "mm/runtime/usage_records.h"

struct agpu_runtime_device;

/* Wraps a device's tables with the rules, in place; entries that the driver lacks stay NULL. NULL when memory is
 * exhausted; the tables are then unchanged. */
struct agpu_usage *agpu_usage_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                                    struct agpu_api_device *funcs, struct agpu_api_context *context);
/* Wraps the table of a deferred context, which CreateDeferredContext filled in. End it before that context is
 * destroyed. The rules are enforced if they are now enforced for the immediate context. */
struct agpu_usage *agpu_usage_begin_deferred(struct agpu_runtime_device *owner,
                                             const struct agpu_usage *immediate, D3D10DDI_HDEVICE device,
                                             struct agpu_api_context *context);
/* Records the deferred context's handle `local` of an object of the immediate context; for a view, local_resource is
 * the local handle of its resource. An object that is unknown there, or for which memory is exhausted, is not
 * checked. */
void agpu_usage_adopt(struct agpu_usage *usage, const struct agpu_usage *immediate, const void *object,
                      const void *local, const void *local_resource);

/* Call before DestroyDevice and before the owner is destroyed. NULL is ignored. */
void agpu_usage_end(struct agpu_usage *usage);

/* Switches the rules on or off; initially on. While they are off, every call reaches the driver. */
void agpu_usage_enforce(struct agpu_usage *usage, bool on);
/* Returns the refused calls and restarts the count. */
struct agpu_usage_refusals agpu_usage_take(struct agpu_usage *usage);

/* Return the driver's own tables, valid as long as the layer. */
const struct agpu_api_device *agpu_usage_driver_funcs(const struct agpu_usage *usage);
const struct agpu_api_context *agpu_usage_driver_context(const struct agpu_usage *usage);

#endif
