/* rename.c: instances of one allocation (vidmm.md 4.4): a Discard of memory that the device still uses gets other
 * memory. */
#include "mm/vidmm/rename.h"

#include "mm/vidmm/residency.h"

/* Returns the instance that became idle first, never the latest; NULL when none is idle. *busy: the device uses
 * one, which becomes idle. */
static struct agpu_instance *find_idle_instance(struct agpu_vidmm *vm,
                                                const struct agpu_allocation *allocation, bool *busy)
{
    struct agpu_instance *found = NULL;

    *busy = false;
    for (uint32_t i = allocation->first_instance; i != AGPU_SLAB_NONE; i = agpu_instance_at(vm, i)->sibling) {
        struct agpu_instance *instance = agpu_instance_at(vm, i);
        uint64_t fence = agpu_instance_fence(instance);

        if (instance->lock_count != 0) {
            continue;
        }
        if (fence > vm->completed) {
            *busy = true;
        } else if ((instance->flags & AGPU_INSTANCE_LATEST) == 0 &&
                   (found == NULL || fence < agpu_instance_fence(found)) &&
                   !agpu_instance_recorded(vm, instance)) {
            found = instance;
        }
    }
    return found;
}

/* Makes `to` the instance that locks return and that the resource owns. */
static void make_latest_instance(struct agpu_vidmm *vm, struct agpu_allocation *allocation,
                                 struct agpu_instance *to)
{
    struct agpu_instance *from = agpu_instance_at(vm, allocation->latest);

    vm->counters.renames++;
    from->flags = (uint16_t)(from->flags & ~(unsigned)AGPU_INSTANCE_LATEST);
    to->flags |= AGPU_INSTANCE_LATEST;
    allocation->latest = agpu_instance_index(to);
    if (from->resource != 0) {
        uint32_t *link =
            &((struct agpu_vidmm_resource *)agpu_slab_at(&vm->resources, from->resource))->first_instance;
        while (*link != agpu_instance_index(from)) {
            link = &agpu_instance_at(vm, *link)->resource_next;
        }
        *link = agpu_instance_index(to);
        to->resource_next = from->resource_next;
        to->resource = from->resource;
    }
}

NTSTATUS agpu_vidmm_rename(struct agpu_vidmm *vm, struct agpu_instance **instance, bool may_evict)
{
    struct agpu_instance *old = *instance;
    struct agpu_allocation *allocation = agpu_allocation_at(vm, old->allocation);
    bool busy;
    struct agpu_instance *idle = find_idle_instance(vm, allocation, &busy);

    if (idle == NULL && allocation->instance_count >= vm->config.instance_limit) {
        return busy ? STATUS_PENDING : STATUS_INSUFFICIENT_RESOURCES;
    }
    if (idle != NULL && (idle->flags & AGPU_INSTANCE_RESIDENT) != 0) {
        make_latest_instance(vm, allocation, idle);
        vm->counters.recycled++;
        *instance = idle;
        return STATUS_SUCCESS;
    }
    /* Get pages first: without them nothing must change. A Discard must not block, and waiting for the memory of other
     * allocations would, so a full budget is an error here (vidmm.md 4.4). */
    struct agpu_placement placement;
    NTSTATUS status = agpu_residency_place(vm, allocation, may_evict, UINT64_MAX, &placement);
    if (status != STATUS_SUCCESS) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    struct agpu_instance *fresh =
        idle != NULL ? idle : agpu_instance_new(vm, old->process, old->allocation, AGPU_INSTANCE_RENAMED);
    if (fresh == NULL) {
        agpu_segment_free(&vm->segments[(placement.spilled ? allocation->spill : allocation->segment) - 1u],
                          placement.range);
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    if (idle == NULL) {
        fresh->sibling = allocation->first_instance;
        allocation->first_instance = agpu_instance_index(fresh);
        allocation->instance_count++;
        old->flags |= AGPU_INSTANCE_RENAMED;
    }
    fresh->flags |= AGPU_INSTANCE_TOUCHED;
    agpu_instance_touch(vm, fresh);
    agpu_residency_attach(vm, fresh, &placement);
    agpu_instance_publish(vm, old);
    make_latest_instance(vm, allocation, fresh);
    *instance = fresh;
    return STATUS_SUCCESS;
}
