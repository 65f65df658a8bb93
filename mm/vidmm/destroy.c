/* destroy.c: CloseAllocation and DestroyAllocation (vidmm.md 3.4-3.6): a handle dies at once, its memory
 * after the last submission that uses it. */
#include "mm/vidmm/handle.h"

void agpu_instance_release_pages(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    if ((instance->flags & AGPU_INSTANCE_RESIDENT) != 0) {
        const struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);

        agpu_lru_remove(vm, instance);
        agpu_segment_give(&vm->segments[allocation->segment - 1u], instance->range);
        instance->flags = (uint16_t)(instance->flags & ~(unsigned)AGPU_INSTANCE_RESIDENT);
        instance->cpu = NULL;
        instance->range = 0;
        agpu_instance_entry(vm, instance)->address = 0;
        agpu_instance_publish(vm, instance);
    }
    const uint64_t size = agpu_allocation_at(vm, instance->allocation)->size;
    if (instance->swap != NULL) {
        agpu_memory_give(vm->memory, instance->swap, (size_t)size);
        vm->swap_bytes -= size;
        instance->swap = NULL;
    }
}

void agpu_instance_destroy(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    uint32_t index = instance->allocation;
    struct agpu_allocation *allocation = agpu_allocation_at(vm, index);

    agpu_instance_release_pages(vm, instance);
    agpu_instance_free(vm, instance);
    if (--allocation->instance_count == 0) {
        agpu_id_remove(vm, index);
        agpu_slab_give(&vm->allocations, index);
    }
}

static void unlink_from_resource(struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    if (instance->resource == 0) {
        return;
    }
    struct agpu_resource *resource = agpu_slab_at(&vm->resources, instance->resource);
    uint32_t *link = &resource->first_instance;
    while (*link != agpu_instance_index(instance)) {
        link = &agpu_instance_at(vm, *link)->resource_next;
    }
    *link = instance->resource_next;
}

/* No handle is left: every instance goes now, or when its newest fence completes. */
static void drop_memory(struct agpu_vidmm *vm, struct agpu_allocation *allocation)
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
            agpu_instance_destroy(vm, instance);
        }
    }
}

static void close_handle(struct agpu_vidmm *vm, struct agpu_instance *record)
{
    struct agpu_allocation *allocation = agpu_allocation_at(vm, record->allocation);
    struct agpu_instance *target = agpu_instance_target(vm, record);

    vm->counters.destroys++;
    if (record == target) {
        /* Locks through other instances of a renamed allocation end with it too. */
        for (uint32_t i = allocation->first_instance; i != AGPU_SLAB_NONE;
             i = agpu_instance_at(vm, i)->sibling) {
            struct agpu_instance *instance = agpu_instance_at(vm, i);

            vm->open_locks -= instance->own_locks;
            instance->lock_count -= instance->own_locks;
            instance->own_locks = 0;
        }
        unlink_from_resource(vm, record);
        record->resource = 0;
        record->flags |= AGPU_INSTANCE_CLOSED;
        agpu_instance_publish(vm, record);
    } else {
        vm->open_locks -= record->own_locks;
        target->lock_count -= record->own_locks;
        agpu_instance_free(vm, record);
    }
    if (--allocation->references == 0) {
        drop_memory(vm, allocation);
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
        /* After a rename only the latest handle destroys (vidmm.md 4.4). */
        if ((record->flags & (AGPU_INSTANCE_LATEST | AGPU_INSTANCE_ALIAS)) == 0) {
            status = STATUS_INVALID_PARAMETER;
        } else {
            close_handle(vm, record);
        }
    }
    uint32_t index = resource & AGPU_HANDLE_INDEX_MASK;
    if ((resource & AGPU_HANDLE_RESOURCE) == 0 || !agpu_slab_known(&vm->resources, index)) {
        return status;
    }
    struct agpu_resource *record = agpu_slab_at(&vm->resources, index);
    if (record->handle != resource || record->process != process) {
        return status;
    }
    while (record->first_instance != AGPU_SLAB_NONE) {
        close_handle(vm, agpu_instance_at(vm, record->first_instance));
    }
    record->process = UINT32_MAX; /* no process: the handle is dead until the record is taken again */
    agpu_slab_give(&vm->resources, index);
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
        close_handle(vm, record);
        closed++;
    }
    for (uint32_t i = 1; i < vm->resources.fresh; i++) {
        struct agpu_resource *record = agpu_slab_at(&vm->resources, i);

        if (record->process != process) {
            continue;
        }
        record->process = UINT32_MAX;
        agpu_slab_give(&vm->resources, i);
        closed++;
    }
    return closed;
}
