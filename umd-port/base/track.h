/* track.h: adds the allocations that packets refer to to the list of the coming submission (umd.md 12.2). */
#ifndef AGPU_UMD_BASE_TRACK_H
#define AGPU_UMD_BASE_TRACK_H

#include "umd-port/base/device.h"

/* Empties the list for the next submission and sets the runtime's limit of entries. */
void agpu_track_restart(struct agpu_device *device);

/* Returns list_oom of a device's handle, false for any other handle. */
static inline bool agpu_list_oom_of(D3D10DDI_HDEVICE handle)
{
    const struct agpu_context *context = agpu_context_of(handle);

    return context != NULL && context->device->list_oom;
}

/* True when list memory ran out during a call that started with list_oom = oom_before. agpu_track() and draws report it
 * when it happens, so the call must not report it again. */
static inline bool agpu_list_oom_now(const struct agpu_device *device, bool oom_before)
{
    return device->list_oom && !oom_before;
}

/* Reports the failure of such a call, unless agpu_track() has done so. */
void agpu_report_unreported(struct agpu_context *context, bool oom_before, HRESULT hr);
/* Ends a creation: reports its failure unless it was reported when it happened. */
void agpu_report_creation(D3D10DDI_HDEVICE handle, bool oom_before, HRESULT hr);

/* Records that the resource is entry track_slot of the list. */
static inline void agpu_note_listed(struct agpu_device *device, struct agpu_resource *resource)
{
    struct agpu_alloc_entry *entry = &device->allocs.entries[resource->track_slot];

    resource->track_epoch = device->allocs.epoch;
    if (!entry->resource) {
        entry->resource = resource->handle;
    }
}

/* Slow part of agpu_track(): the first reference in this submission. */
bool agpu_track_first(struct agpu_device *device, struct agpu_resource *resource, bool write);

/* References a resource's allocation; a resource without one is ignored. False when the list could not take it; if
 * memory ran out, list_oom is set and the error was reported. */
static inline bool agpu_track(struct agpu_device *device, struct agpu_resource *resource, bool write)
{
    if (__builtin_expect(resource->track_epoch == device->allocs.epoch, 1)) {
        device->allocs.entries[resource->track_slot].write |= write;
        return true;
    }
    return agpu_track_first(device, resource, write);
}

/* True when recorded packets refer to the resource's allocation. Truncating the list changes its epoch, so a resource
 * of an older epoch may still be listed: then the list is searched. */
static inline bool agpu_is_referenced(const struct agpu_device *device, const struct agpu_resource *resource)
{
    return resource->track_epoch == device->allocs.epoch ||
           agpu_alloc_list_has(&device->allocs, resource->alloc_handle);
}

/* References all bound state whose bit is set in pending and clears the bits. AGPU_TRACK_NEED_FLUSH leaves some set.
 * Sets list_oom without reporting it. */
enum agpu_track_status agpu_track_bound(struct agpu_context *context);

/* Adds resource to the staging writes that the next submission marks with its fence, if the CPU may read it. */
void agpu_track_staging_write(struct agpu_device *device, struct agpu_resource *resource);
/* Removes resource from these staging writes; harmless when it is not listed. */
void agpu_forget_staging_write(struct agpu_resource *resource);

#endif
