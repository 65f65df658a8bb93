/* usage.h: the usage rules of the Direct3D runtime (umd.md 19), checked in front of a driver's entries, as
 * Windows does: a call that breaks one is E_INVALIDARG, or without effect where the entry returns nothing, and the
 * driver does not see it. Can be switched off to reach the driver with what Windows would never send. */
#ifndef AGPU_MM_RUNTIME_USAGE_H
#define AGPU_MM_RUNTIME_USAGE_H

#include <stdbool.h>

#include "mm/runtime/usage_records.h"

struct agpu_runtime_device;

/* Puts the rules in front of a device's tables, in place: entries that the driver does not have stay NULL.
 * NULL, and the tables as they were, when memory is exhausted. */
struct agpu_usage *agpu_usage_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                                    D3D11DDI_DEVICEFUNCS *funcs, D3D11DDI_DEVICECONTEXTFUNCS *context);
/* The same for a deferred context, whose table CreateDeferredContext filled in; ends before it. Rules hold when they do for the
 * immediate context now. */
struct agpu_usage *agpu_usage_begin_deferred(struct agpu_runtime_device *owner,
                                             const struct agpu_usage *immediate, D3D10DDI_HDEVICE device,
                                             D3D11DDI_DEVICECONTEXTFUNCS *context);
/* local is the deferred context's handle of an object of the immediate one; of a view, local_resource that of its resource.
 * What is not known there, or finds no memory here, is not judged. */
void agpu_usage_adopt(struct agpu_usage *usage, const struct agpu_usage *immediate, const void *object,
                      const void *local, const void *local_resource);

/* Before DestroyDevice, and before the owner goes. NULL is ignored. */
void agpu_usage_end(struct agpu_usage *usage);

/* Rules hold from the start; while they are off everything goes to the driver. */
void agpu_usage_enforce(struct agpu_usage *usage, bool on);
/* What was refused, and begins to count anew. */
struct agpu_usage_refusals agpu_usage_take(struct agpu_usage *usage);

/* The driver's own tables; they live as long as the layer. */
const D3D11DDI_DEVICEFUNCS *agpu_usage_driver_funcs(const struct agpu_usage *usage);
const D3D11DDI_DEVICECONTEXTFUNCS *agpu_usage_driver_context(const struct agpu_usage *usage);

#endif
