/* track.c: first references of a submission, and the bound state of draws (umd.md 12.2, 3.4). */
#include "umd-port/base/track.h"

static enum agpu_track_status track_resource(struct agpu_device *device, struct agpu_resource *resource,
                                             bool write)
{
    if (resource == NULL || !resource->alloc_id || !resource->alloc_handle) {
        return AGPU_TRACK_OK;
    }
    if (resource->track_epoch == device->allocs.epoch) {
        device->allocs.entries[resource->track_slot].write |= write;
        return AGPU_TRACK_OK;
    }
    if (device->list_oom) { /* the submission is lost already, so collect nothing more for it */
        return AGPU_TRACK_OUT_OF_MEMORY;
    }
    enum agpu_track_status status =
        agpu_alloc_list_track(&device->allocs, resource->alloc_handle, resource->alloc_id,
                              resource->share_token, write, &resource->track_slot);
    if (status == AGPU_TRACK_OK) {
        agpu_note_listed(device, resource);
    } else if (status == AGPU_TRACK_OUT_OF_MEMORY) {
        device->list_oom = true;
    }
    return status;
}

void agpu_track_restart(struct agpu_device *device)
{
    uint32_t entries = device->buffers.list_entries;

    agpu_alloc_list_restart(&device->allocs, entries ? entries : UINT32_MAX);
    device->list_oom = false;
}

void agpu_report_unreported(struct agpu_context *context, bool oom_before, HRESULT hr)
{
    if (!agpu_list_oom_now(context->device, oom_before)) {
        agpu_set_error(context, hr);
    }
}

void agpu_report_creation(D3D10DDI_HDEVICE handle, bool oom_before, HRESULT hr)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (FAILED(hr) && context != NULL && !agpu_list_oom_now(context->device, oom_before)) {
        agpu_set_error(context, hr);
    }
}

bool agpu_track_first(struct agpu_device *device, struct agpu_resource *resource, bool write)
{
    bool oom_before = device->list_oom;
    enum agpu_track_status status = track_resource(device, resource, write);

    if (agpu_list_oom_now(device, oom_before)) {
        agpu_set_error(&device->imm, E_OUTOFMEMORY);
    }
    return status == AGPU_TRACK_OK;
}

static enum agpu_track_status track_targets(struct agpu_context *context)
{
    enum agpu_track_status status = AGPU_TRACK_OK;

    for (uint32_t slot = 0; slot < context->targets.count && status == AGPU_TRACK_OK; slot++) {
        status = track_resource(context->device, context->targets.colors[slot].resource, true);
    }
    return status != AGPU_TRACK_OK ? status
                                   : track_resource(context->device, context->targets.depth.resource, true);
}

/* Slot by slot, VS before PS in each: the order of the reference driver's list. */
static enum agpu_track_status track_constants(struct agpu_context *context)
{
    uint32_t top = 0;

    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        if (context->stages[stage].constant_top > top) {
            top = context->stages[stage].constant_top;
        }
    }
    for (uint32_t slot = 0; slot < top; slot++) {
        for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
            if (slot >= context->stages[stage].constant_top) {
                continue;
            }
            enum agpu_track_status status =
                track_resource(context->device, context->stages[stage].constants[slot].buffer, false);
            if (status != AGPU_TRACK_OK) {
                return status;
            }
        }
    }
    return AGPU_TRACK_OK;
}

static enum agpu_track_status track_views(struct agpu_context *context)
{
    uint32_t top = 0;

    for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        if (context->stages[stage].view_top > top) {
            top = context->stages[stage].view_top;
        }
    }
    for (uint32_t slot = 0; slot < top; slot++) {
        for (uint32_t stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
            if (slot >= context->stages[stage].view_top) {
                continue;
            }
            enum agpu_track_status status =
                track_resource(context->device, context->stages[stage].views[slot].resource, false);
            if (status != AGPU_TRACK_OK) {
                return status;
            }
        }
    }
    return AGPU_TRACK_OK;
}

static enum agpu_track_status track_group(struct agpu_context *context, uint32_t group)
{
    enum agpu_track_status status = AGPU_TRACK_OK;

    switch (group) {
    case AGPU_PENDING_TARGETS:
        return track_targets(context);
    case AGPU_PENDING_VERTEX:
        for (uint32_t slot = 0; slot < context->vertex_top && status == AGPU_TRACK_OK; slot++) {
            status = track_resource(context->device, context->vertices[slot].buffer, false);
        }
        return status;
    case AGPU_PENDING_INDEX:
        return track_resource(context->device, context->index_buffer, false);
    case AGPU_PENDING_CONSTANTS:
        return track_constants(context);
    case AGPU_PENDING_VIEWS:
        return track_views(context);
    default: /* AGPU_PENDING_UAVS */
        for (uint32_t slot = 0; slot < context->uav_top && status == AGPU_TRACK_OK; slot++) {
            status = track_resource(context->device, context->uavs[slot].resource, true);
        }
        return status;
    }
}

enum agpu_track_status agpu_track_bound(struct agpu_context *context)
{
    uint32_t left;

    while ((left = context->pending & AGPU_PENDING_STATE) != 0) {
        uint32_t group = left & -left; /* the lowest */
        enum agpu_track_status status = track_group(context, group);

        if (status != AGPU_TRACK_OK) {
            return status;
        }
        context->pending &= ~group;
    }
    return AGPU_TRACK_OK;
}

void agpu_track_staging_write(struct agpu_device *device, struct agpu_resource *resource)
{
    /* Access flags 0 mean unknown, so treat them as readable (umd.md 3.4). */
    bool staging = resource->usage == D3D10_DDI_USAGE_STAGING ||
                   (resource->usage == D3D10_DDI_USAGE_DEFAULT && !resource->bind_flags);
    bool readable = !resource->cpu_access || (resource->cpu_access & D3D10_DDI_CPU_ACCESS_READ);

    if (!staging || !readable || resource->pending_link != NULL) {
        return;
    }
    resource->pending_next = device->pending_staging;
    resource->pending_link = &device->pending_staging;
    if (resource->pending_next != NULL) {
        resource->pending_next->pending_link = &resource->pending_next;
    }
    device->pending_staging = resource;
}

void agpu_forget_staging_write(struct agpu_resource *resource)
{
    if (resource->pending_link == NULL) {
        return;
    }
    *resource->pending_link = resource->pending_next;
    if (resource->pending_next != NULL) {
        resource->pending_next->pending_link = resource->pending_link;
    }
    resource->pending_link = NULL;
    resource->pending_next = NULL;
}
