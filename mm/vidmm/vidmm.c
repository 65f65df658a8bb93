/* vidmm.c: the memory manager: initialisation, fences, and destruction of allocations (vidmm.md 2, 3.4-3.6). A handle
 * becomes invalid at once; its memory is freed after the last submission that uses it. */
#include "mm/vidmm/vidmm.h"

#include "mm/vidmm/residency.h"
#include "mm/vidmm/share.h"

#include <string.h>

#define RECORD_LIMIT   (AGPU_HANDLE_INDEX_MASK - 1u)
#define INSTANCE_LIMIT 4u

static uint64_t clamp_segment_budget(uint64_t budget)
{
    if (budget == 0) {
        return AGPU_BUDGET_DEFAULT;
    }
    if (budget < AGPU_BUDGET_MIN) {
        return AGPU_BUDGET_MIN;
    }
    return budget > AGPU_BUDGET_MAX ? AGPU_BUDGET_MAX : budget;
}

bool agpu_vidmm_init(struct agpu_vidmm *vm, struct agpu_memory *memory,
                     const struct agpu_vidmm_config *config)
{
    const char *why;

    memset(vm, 0, sizeof *vm);
    if (agpu_caps_check(&config->caps, config->version, config->multi_engine_aware, &why) != STATUS_SUCCESS) {
        return false;
    }
    vm->memory = memory;
    vm->config = *config;
    vm->config.budget = clamp_segment_budget(config->budget);
    if (config->instance_limit == 0) {
        vm->config.instance_limit = INSTANCE_LIMIT;
    }
    vm->next_kernel_id = 0x80000000u;
    vm->next_token = 1;
    agpu_slab_init(&vm->instances, memory, sizeof(struct agpu_instance), RECORD_LIMIT);
    agpu_slab_init(&vm->allocations, memory, sizeof(struct agpu_allocation), RECORD_LIMIT);
    agpu_slab_init(&vm->resources, memory, sizeof(struct agpu_vidmm_resource), RECORD_LIMIT);
    agpu_slab_init(&vm->shares, memory, sizeof(struct agpu_share), RECORD_LIMIT);
    agpu_segment_init(&vm->segments[0], memory, vm->config.budget);
    vm->segment_count = 1;
    if (config->vram.size != 0) {
        if (!agpu_segment_init_window(&vm->segments[1], memory, &config->vram)) {
            return false;
        }
        vm->segment_count = 2;
    }
    return true;
}

void agpu_vidmm_fini(struct agpu_vidmm *vm)
{
    for (uint32_t i = 1; i < vm->instances.fresh; i++) {
        struct agpu_instance *instance = agpu_instance_at(vm, i);

        if (instance->allocation != 0 && instance->swap != NULL) {
            agpu_memory_free(vm->memory, instance->swap,
                             (size_t)agpu_allocation_at(vm, instance->allocation)->size);
        }
    }
    for (uint32_t i = 0; i < vm->segment_count; i++) {
        agpu_segment_fini(&vm->segments[i]);
    }
    agpu_instance_arrays_fini(vm);
    agpu_slab_fini(&vm->instances);
    agpu_slab_fini(&vm->allocations);
    agpu_slab_fini(&vm->resources);
    agpu_slab_fini(&vm->shares);
    agpu_memory_free(vm->memory, vm->id_buckets, vm->id_bucket_count * sizeof *vm->id_buckets);
    memset(vm, 0, sizeof *vm);
}

bool agpu_vidmm_is_valid(const struct agpu_vidmm *vm, uint16_t process, uint32_t handle)
{
    return agpu_handle_lookup(vm, process, handle) != NULL;
}

/* ---- destruction of an instance: now, or when its newest fence completes ---- */

static void destroy_instance(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    uint32_t index = instance->allocation;
    struct agpu_allocation *allocation = agpu_allocation_at(vm, index);

    agpu_instance_release_pages(vm, instance);
    agpu_instance_free(vm, instance);
    if (--allocation->instance_count == 0) {
        agpu_id_remove(vm, index);
        agpu_slab_free(&vm->allocations, index);
    }
}

static void retire_instances(struct agpu_vidmm *vm, uint32_t slot)
{
    uint32_t index = vm->retire[slot];
    uint32_t keep = AGPU_SLAB_NONE;

    while (index != AGPU_SLAB_NONE) {
        struct agpu_instance *instance = agpu_instance_at(vm, index);
        uint32_t next = instance->retire_next;

        if (agpu_instance_busy(vm, instance)) {
            /* Another fence of the same slot, which is possible only when more than the window completed at once. */
            instance->retire_next = keep;
            keep = index;
        } else {
            destroy_instance(vm, instance);
        }
        index = next;
    }
    vm->retire[slot] = keep;
}

void agpu_vidmm_complete(struct agpu_vidmm *vm, uint64_t fence)
{
    if (fence > vm->submitted) {
        fence = vm->submitted;
    }
    if (fence <= vm->completed) {
        return;
    }
    uint64_t from = vm->completed;
    vm->completed = fence;
    uint64_t count = fence - from < AGPU_VIDMM_WINDOW ? fence - from : AGPU_VIDMM_WINDOW;
    for (uint64_t i = 0; i < count; i++) {
        retire_instances(vm, (uint32_t)((fence - i) & (AGPU_VIDMM_WINDOW - 1u)));
    }
}

/* ---- closing a handle ---- */

static void unlink_from_resource(struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    if (instance->resource == 0) {
        return;
    }
    struct agpu_vidmm_resource *resource = agpu_slab_at(&vm->resources, instance->resource);
    uint32_t *link = &resource->first_instance;
    while (*link != agpu_instance_index(instance)) {
        link = &agpu_instance_at(vm, *link)->resource_next;
    }
    *link = instance->resource_next;
}

/* The last handle is closed: destroys every instance now, or when its newest fence completes. */
static void retire_allocation(struct agpu_vidmm *vm, struct agpu_allocation *allocation)
{
    if (allocation->share != 0) {
        agpu_share_drop(vm, allocation->share, true);
        allocation->share = 0;
    }
    uint32_t next;
    for (uint32_t index = allocation->first_instance; index != AGPU_SLAB_NONE; index = next) {
        struct agpu_instance *instance = agpu_instance_at(vm, index);

        next = instance->sibling;
        instance->flags |= AGPU_INSTANCE_CLOSED;
        agpu_instance_publish(vm, instance);
        if (agpu_instance_busy(vm, instance)) {
            uint32_t slot = (uint32_t)(agpu_instance_fence(instance) & (AGPU_VIDMM_WINDOW - 1u));

            instance->retire_next = vm->retire[slot];
            vm->retire[slot] = index;
        } else {
            destroy_instance(vm, instance);
        }
    }
}

static void close_allocation_handle(struct agpu_vidmm *vm, struct agpu_instance *record)
{
    struct agpu_allocation *allocation = agpu_allocation_at(vm, record->allocation);
    struct agpu_instance *target = agpu_instance_target(vm, record);

    vm->counters.destroys++;
    if (record == target) {
        /* Locks through other instances of a renamed allocation end, too. */
        for (uint32_t i = allocation->first_instance; i != AGPU_SLAB_NONE;
             i = agpu_instance_at(vm, i)->sibling) {
            struct agpu_instance *instance = agpu_instance_at(vm, i);

            vm->open_locks -= instance->own_locks;
            instance->lock_count -= instance->own_locks;
            instance->own_locks = 0;
        }
        unlink_from_resource(vm, record);
        record->flags |= AGPU_INSTANCE_CLOSED;
        agpu_instance_publish(vm, record);
    } else {
        vm->open_locks -= record->own_locks;
        target->lock_count -= record->own_locks;
        agpu_instance_free(vm, record);
    }
    if (--allocation->references == 0) {
        retire_allocation(vm, allocation);
    }
}

NTSTATUS agpu_vidmm_destroy(struct agpu_vidmm *vm, uint16_t process, uint32_t resource,
                            const uint32_t *handles, uint32_t count)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (uint32_t i = 0; i < count; i++) {
        struct agpu_instance *record = agpu_handle_lookup(vm, process, handles[i]);

        if (record == NULL) {
            continue;
        }
        /* After a rename only the latest handle destroys the allocation (vidmm.md 4.4). */
        if ((record->flags & (AGPU_INSTANCE_LATEST | AGPU_INSTANCE_ALIAS)) == 0) {
            status = STATUS_INVALID_PARAMETER;
        } else {
            close_allocation_handle(vm, record);
        }
    }
    uint32_t index = resource & AGPU_HANDLE_INDEX_MASK;
    if (!agpu_slab_known(&vm->resources, index)) {
        return status;
    }
    struct agpu_vidmm_resource *record = agpu_slab_at(&vm->resources, index);
    if (record->handle != resource || record->process != process) {
        return status;
    }
    while (record->first_instance != AGPU_SLAB_NONE) {
        close_allocation_handle(vm, agpu_instance_at(vm, record->first_instance));
    }
    record->process = UINT32_MAX; /* no process: the handle is invalid until the record is reused */
    agpu_slab_free(&vm->resources, index);
    return status;
}

uint32_t agpu_vidmm_close_process(struct agpu_vidmm *vm, uint16_t process)
{
    uint32_t closed = 0;

    for (uint32_t i = 1; i < vm->instances.fresh; i++) {
        struct agpu_instance *record = agpu_instance_at(vm, i);

        if (record->allocation == 0 || record->process != process ||
            (record->flags & AGPU_INSTANCE_CLOSED) != 0 ||
            (record->flags & (AGPU_INSTANCE_LATEST | AGPU_INSTANCE_ALIAS)) == 0) {
            continue;
        }
        close_allocation_handle(vm, record);
        closed++;
    }
    for (uint32_t i = 1; i < vm->resources.fresh; i++) {
        struct agpu_vidmm_resource *record = agpu_slab_at(&vm->resources, i);

        if (record->process != process) {
            continue;
        }
        record->process = UINT32_MAX;
        agpu_slab_free(&vm->resources, i);
        closed++;
    }
    return closed;
}
