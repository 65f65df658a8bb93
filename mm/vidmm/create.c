/* create.c: CreateAllocation and OpenAllocation (vidmm.md 3.1-3.3). */
#include "mm/vidmm/create.h"

#include "mm/vidmm/residency.h"
#include "mm/vidmm/share.h"
#include "mm/vidmm/vidmm.h"

#include <string.h>

#include "umd-port/ddi/d3d10ddihandle.h"

#define SEEN_BY_CPU (AGPU_ALLOCATION_CPU_VISIBLE | AGPU_ALLOCATION_STAGING | AGPU_ALLOCATION_SHARED)

static uint32_t choose_segment(const struct agpu_vidmm *vm, const struct agpu_create_info *info,
                               const struct agpu_create_plan *plan)
{
    uint32_t vram = 1u << (AGPU_SEGMENT_VRAM - 1u), system = 1u << (AGPU_SEGMENT_SYSTEM - 1u);

    if (vm->segment_count < 2u || info->cross_adapter) {
        return AGPU_SEGMENT_SYSTEM;
    }
    /* Segment 2 (BAR1) takes primaries, allocations without CPU access, and those that do not accept system memory
     * (vidmm.md 2). A section-backed primary is a shareable memory object and therefore stays in system memory. An
     * allocation that the driver may lock all the same must be within the CPU's reach. */
    bool section = (vm->config.caps.value & AGPU_CAP_SECTION_BACKED_PRIMARY) != 0;
    bool hidden =
        plan->data.size != 0 && (plan->flags & SEEN_BY_CPU) == 0 && vm->segments[1].window.cpu != NULL;
    if ((info->segment_set & vram) != 0 &&
        ((info->segment_set & system) == 0 || (info->primary ? !section : hidden))) {
        return AGPU_SEGMENT_VRAM;
    }
    return AGPU_SEGMENT_SYSTEM;
}

/* Returns the second choice when the segment is full. Primaries have none, nor do allocations that accept one segment
 * only. */
static uint32_t choose_spill(const struct agpu_vidmm *vm, const struct agpu_create_info *info,
                             const struct agpu_create_plan *plan)
{
    bool both = (info->segment_set & 1u << (AGPU_SEGMENT_SYSTEM - 1u)) != 0;

    return plan->segment == AGPU_SEGMENT_VRAM && both && vm->segments[1].window.cpu != NULL
               ? AGPU_SEGMENT_SYSTEM
               : 0;
}

/* Tier 2 samples from cross-adapter surfaces, tier 3 scans them out; both in the formats of the list that this device
 * supports. */
static bool is_tier_offered(const struct agpu_vidmm *vm, const struct agpu_create_info *info,
                            const struct aerogpu_wddm_alloc_priv_v2 *v2)
{
    uint32_t caps = vm->config.caps.value;
    bool shown = v2->format == DXGI_FORMAT_B8G8R8A8_UNORM || v2->format == DXGI_FORMAT_B8G8R8A8_UNORM_SRGB ||
                 v2->format == DXGI_FORMAT_R8G8B8A8_UNORM || v2->format == DXGI_FORMAT_R8G8B8A8_UNORM_SRGB;

    return (caps & AGPU_CAP_CROSS_ADAPTER_RESOURCE) != 0 &&
           (!info->texture || (caps & AGPU_CAP_CROSS_ADAPTER_TEXTURE) != 0) &&
           (!info->primary || (shown && (caps & AGPU_CAP_CROSS_ADAPTER_SCANOUT) != 0));
}

/* Cross-adapter surfaces are linear, shared, CPU-visible, with one mip and one layer, in the aperture (vidmm.md 9).
 * They need the cap. */
static NTSTATUS plan_cross_adapter(const struct agpu_vidmm *vm, const struct agpu_create_info *info,
                                   bool shared, struct agpu_create_plan *plan)
{
    struct aerogpu_wddm_alloc_priv_v2 *v2 = &plan->data.v2;

    if (!is_tier_offered(vm, info, v2)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (info->mips != 1u || info->layers != 1u || !shared ||
        (v2->flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE) == 0 || plan->pitch == 0 || plan->rows == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    struct agpu_cross_adapter_layout layout;
    if (!agpu_caps_cross_adapter_layout(plan->pitch, plan->rows, 1, &layout)) {
        return STATUS_INVALID_PARAMETER;
    }
    bool aperture = info->segment_set == 0 || (info->segment_set & 1u << (AGPU_SEGMENT_SYSTEM - 1u)) != 0;
    if (!aperture || plan->size > layout.size) {
        return STATUS_INVALID_PARAMETER;
    }
    plan->pitch = layout.pitch;
    plan->rows = layout.rows;
    plan->size = layout.size;
    if (plan->data.size == sizeof *v2) {
        v2->row_pitch_bytes = layout.pitch;
    }
    plan->flags |= AGPU_ALLOCATION_CROSS_ADAPTER;
    return STATUS_SUCCESS;
}

/* Reads the driver's description once; all later decisions use the copy. */
static NTSTATUS plan_allocation(const struct agpu_vidmm *vm, const struct agpu_create_info *info, bool shared,
                                struct agpu_create_plan *plan)
{
    *plan = (struct agpu_create_plan){0};
    plan->size = info->size;
    if (plan->size == 0 && info->primary) { /* standard primary: pitch * height of the mode */
        plan->size = (uint64_t)info->row_pitch * info->rows;
    }
    if (plan->size == 0 || (info->alignment & (info->alignment - 1u)) != 0 || info->alignment > 1u << 30) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status =
        agpu_private_data_read(info->private_data, info->private_size, plan->size, shared, &plan->data);
    if (status != STATUS_SUCCESS) {
        return status;
    }
    plan->pitch = plan->data.pitch != 0 ? plan->data.pitch : info->row_pitch;
    plan->rows = plan->data.rows != 0 ? plan->data.rows : info->rows;
    if (plan->pitch > plan->size) {
        return STATUS_INVALID_PARAMETER;
    }
    plan->flags =
        (uint8_t)((shared ? AGPU_ALLOCATION_SHARED : 0u) | (info->primary ? AGPU_ALLOCATION_PRIMARY : 0u));
    if ((plan->data.v2.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_STAGING) != 0) {
        plan->flags |= AGPU_ALLOCATION_STAGING;
    }
    if ((plan->data.v2.flags & AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE) != 0) {
        plan->flags |= AGPU_ALLOCATION_CPU_VISIBLE;
    }
    plan->segment = choose_segment(vm, info, plan);
    plan->spill = choose_spill(vm, info, plan);
    if (info->cross_adapter) {
        status = plan_cross_adapter(vm, info, shared, plan);
    }
    if (status == STATUS_SUCCESS &&
        agpu_page_round(plan->size) >
            vm->segments[(plan->spill != 0 ? plan->spill : plan->segment) - 1u].budget) {
        status = STATUS_INSUFFICIENT_RESOURCES;
    }
    return status;
}

static void trace_creation(struct agpu_vidmm *vm, const struct agpu_create_plan *plan, uint32_t alloc_id)
{
    struct agpu_create_trace *entry = &vm->trace[vm->trace_count++ % AGPU_CREATE_TRACE];

    *entry =
        (struct agpu_create_trace){.sequence = vm->trace_count,
                                   .size = plan->size,
                                   .alloc_id = alloc_id,
                                   .flags_in = plan->flags,
                                   /* The segment is a CPU-visible aperture, whatever the driver asked for. */
                                   .flags_out = plan->flags | AGPU_ALLOCATION_CPU_VISIBLE};
}

/* Creates the records of one allocation; on failure all of them are freed. */
static NTSTATUS create_allocation(struct agpu_vidmm *vm, uint16_t process, uint32_t resource,
                                  struct agpu_create_info *info)
{
    const struct agpu_create_plan *plan = &info->plan;
    uint32_t alloc_id = plan->data.size != 0 ? plan->data.v2.alloc_id : (uint32_t)vm->next_kernel_id;

    if (plan->data.size == 0 && vm->next_kernel_id > UINT32_MAX) {
        return STATUS_INTEGER_OVERFLOW;
    }
    uint32_t index = agpu_slab_alloc(&vm->allocations);
    if (index == AGPU_SLAB_NONE) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    struct agpu_allocation *allocation = agpu_allocation_at(vm, index);
    *allocation = (struct agpu_allocation){.alloc_id = alloc_id,
                                           .size = plan->size,
                                           .references = 1,
                                           .row_pitch = plan->pitch,
                                           .rows = plan->rows,
                                           .alignment = info->alignment,
                                           .flags = plan->flags,
                                           .segment = (uint8_t)plan->segment,
                                           .spill = (uint8_t)plan->spill,
                                           .instance_count = 1};
    NTSTATUS status = agpu_id_add(vm, index);
    if (status != STATUS_SUCCESS) {
        goto free_allocation;
    }
    status = STATUS_INSUFFICIENT_RESOURCES;
    struct agpu_instance *instance = agpu_instance_new(vm, process, index, AGPU_INSTANCE_LATEST);
    if (instance == NULL) {
        goto remove_id;
    }
    allocation->first_instance = allocation->latest = agpu_instance_index(instance);
    if ((plan->flags & AGPU_ALLOCATION_SHARED) != 0) {
        allocation->share = agpu_share_new(vm, index);
        if (allocation->share == 0) {
            goto free_instance;
        }
    }
    agpu_instance_touch(vm, instance);
    if (resource != 0) {
        struct agpu_vidmm_resource *owner = agpu_slab_at(&vm->resources, resource);

        instance->resource = resource;
        instance->resource_next = owner->first_instance;
        owner->first_instance = agpu_instance_index(instance);
    }
    info->handle = instance->handle;
    info->alloc_id = alloc_id;
    vm->counters.creates++;

    /* A primary gets its scanout address, which is fixed, at creation; everything else gets pages at its first use. */
    if (info->primary) {
        if (agpu_vidmm_make_resident(vm, instance, true, UINT64_MAX) != STATUS_SUCCESS) {
            if (allocation->share != 0) { /* the device has never seen the token */
                agpu_share_drop(vm, allocation->share, false);
                allocation->share = 0;
            }
            agpu_vidmm_destroy(vm, process, 0, &instance->handle, 1);
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        instance->flags |= AGPU_INSTANCE_PINNED;
    }
    if (plan->data.size == 0) {
        vm->next_kernel_id++;
    }
    return STATUS_SUCCESS;

free_instance:
    agpu_instance_free(vm, instance);
remove_id:
    agpu_id_remove(vm, index);
free_allocation:
    agpu_slab_free(&vm->allocations, index);
    return status;
}

/* Writes the decisions into the driver's data, and stores a copy for openers. */
static void report_to_driver(struct agpu_vidmm *vm, struct agpu_create_info *info)
{
    struct agpu_create_plan *plan = &info->plan;
    struct agpu_instance *instance = agpu_instance_at(vm, info->handle & AGPU_HANDLE_INDEX_MASK);
    struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);

    info->size = plan->size;
    plan->data.v2.size_bytes = plan->size;
    plan->data.v2.reserved1 = 0;
    if (allocation->share != 0) {
        struct agpu_share *share = agpu_slab_at(&vm->shares, allocation->share);

        plan->data.v2.share_token = share->token;
        agpu_private_data_write(share->blob, &plan->data);
        share->blob_size = plan->data.size;
    }
    agpu_private_data_write(info->private_data, &plan->data);
    trace_creation(vm, plan, allocation->alloc_id);
}

static uint32_t alloc_resource(struct agpu_vidmm *vm, uint16_t process)
{
    uint32_t index = agpu_slab_alloc(&vm->resources);

    if (index == AGPU_SLAB_NONE) {
        return AGPU_SLAB_NONE;
    }
    struct agpu_vidmm_resource *resource = agpu_slab_at(&vm->resources, index);
    resource->handle = agpu_handle_next(resource->handle, index, AGPU_HANDLE_RESOURCE);
    resource->first_instance = AGPU_SLAB_NONE;
    resource->process = process;
    return index;
}

NTSTATUS agpu_vidmm_create(struct agpu_vidmm *vm, struct agpu_create_request *request)
{
    NTSTATUS status = STATUS_SUCCESS;
    uint32_t resource = AGPU_SLAB_NONE;
    uint32_t created = 0;

    request->resource = 0;
    if (request->shared && request->count != 1u) {
        return STATUS_NOT_SUPPORTED;
    }
    if (request->count == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if (request->create_resource) {
        resource = alloc_resource(vm, request->process);
        if (resource == AGPU_SLAB_NONE) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        request->resource = ((struct agpu_vidmm_resource *)agpu_slab_at(&vm->resources, resource))->handle;
    }
    for (; created < request->count; created++) {
        struct agpu_create_info *info = &request->infos[created];

        status = plan_allocation(vm, info, request->shared, &info->plan);
        if (status != STATUS_SUCCESS) {
            goto destroy;
        }
        status = create_allocation(vm, request->process, resource, info);
        if (status != STATUS_SUCCESS) {
            goto destroy;
        }
    }
    /* Blobs are written last, so that a failed call changes none. */
    for (uint32_t i = 0; i < request->count; i++) {
        report_to_driver(vm, &request->infos[i]);
    }
    return STATUS_SUCCESS;

destroy:
    request->infos[created].handle = 0;
    for (uint32_t i = 0; i < created; i++) {
        agpu_vidmm_destroy(vm, request->process, 0, &request->infos[i].handle, 1);
        request->infos[i].handle = 0;
    }
    agpu_vidmm_destroy(vm, request->process, request->resource, NULL, 0);
    request->resource = 0;
    return status;
}

NTSTATUS agpu_vidmm_open(struct agpu_vidmm *vm, uint16_t process, uint64_t token, uint32_t *handle,
                         uint8_t *blob, uint32_t *blob_size)
{
    uint32_t share_index = token == 0 ? AGPU_SLAB_NONE : agpu_share_find(vm, token);

    if (share_index == AGPU_SLAB_NONE) {
        return STATUS_INVALID_PARAMETER;
    }
    const struct agpu_share *share = agpu_slab_at(&vm->shares, share_index);
    /* Only a section-backed primary is a memory object that a second process can open (vidmm.md 9). */
    if ((agpu_allocation_at(vm, share->allocation)->flags & AGPU_ALLOCATION_PRIMARY) != 0 &&
        (vm->config.caps.value & AGPU_CAP_SECTION_BACKED_PRIMARY) == 0) {
        return STATUS_NOT_SUPPORTED;
    }
    struct agpu_instance *alias = agpu_instance_new(vm, process, share->allocation, AGPU_INSTANCE_ALIAS);
    if (alias == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    struct agpu_allocation *allocation = agpu_allocation_at(vm, share->allocation);
    allocation->references++;
    alias->target = allocation->latest; /* shared allocations are never renamed */
    *handle = alias->handle;
    vm->counters.opens++;
    if (blob != NULL) {
        memcpy(blob, share->blob, sizeof share->blob);
    }
    if (blob_size != NULL) {
        *blob_size = share->blob_size;
    }
    return STATUS_SUCCESS;
}
