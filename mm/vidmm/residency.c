/* residency.c: gives instances pages and takes them away (vidmm.md 5): commit, eviction into ordinary memory and
 * back. */
#include "mm/vidmm/residency.h"

#include "mm/vidmm/lru.h"

#include <string.h>

void agpu_instance_release_pages(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    if ((instance->flags & AGPU_INSTANCE_RESIDENT) != 0) {
        agpu_lru_remove(vm, instance);
        agpu_segment_free(&vm->segments[agpu_instance_segment(vm, instance) - 1u], instance->range);
        instance->flags =
            (uint16_t)(instance->flags & ~(unsigned)(AGPU_INSTANCE_RESIDENT | AGPU_INSTANCE_SPILLED));
        instance->cpu = NULL;
        instance->range = 0;
        agpu_instance_entry(vm, instance)->address = 0;
        agpu_instance_publish(vm, instance);
    }
    const uint64_t size = agpu_allocation_at(vm, instance->allocation)->size;
    if (instance->swap != NULL) {
        agpu_memory_free(vm->memory, instance->swap, (size_t)size);
        vm->swap_bytes -= size;
        instance->swap = NULL;
    }
}

struct eviction_filter {
    uint64_t guard;   /* instances used at this tick or later belong to the current request */
    uint32_t segment; /* segment that needs room */
};

static bool is_evictable(const struct agpu_vidmm *vm, const struct agpu_instance *instance, void *ctx)
{
    const struct eviction_filter *filter = ctx;

    return instance->lock_count == 0 && (instance->flags & AGPU_INSTANCE_PINNED) == 0 &&
           agpu_instance_last_use(vm, instance) < filter->guard && !agpu_instance_busy(vm, instance) &&
           agpu_instance_segment(vm, instance) == filter->segment &&
           (instance->cpu != NULL || (instance->flags & AGPU_INSTANCE_TOUCHED) == 0);
}

/* True for contents that may still be read. Older instances of a renamed allocation are undefined (vidmm.md 4.4). */
static bool has_contents_to_keep(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    return (instance->flags & AGPU_INSTANCE_TOUCHED) != 0 &&
           ((instance->flags & AGPU_INSTANCE_LATEST) != 0 || agpu_instance_recorded(vm, instance));
}

/* Moves an idle instance to the other segment that it accepts, if that has room. The next submission's table has its
 * new address. */
static bool spill_instance(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    const struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);
    struct agpu_placement placement;

    if (allocation->spill == 0 || (instance->flags & AGPU_INSTANCE_SPILLED) != 0 ||
        agpu_segment_alloc(&vm->segments[allocation->spill - 1u], allocation->size, allocation->alignment,
                           &placement) != AGPU_SEGMENT_OK) {
        return false;
    }
    if (has_contents_to_keep(vm, instance)) {
        memcpy(placement.cpu, instance->cpu, (size_t)allocation->size);
        vm->counters.bytes_evicted += allocation->size;
    }
    agpu_instance_release_pages(vm, instance);
    placement.spilled = true;
    agpu_residency_attach(vm, instance, &placement);
    vm->counters.evictions++;
    vm->counters.spills++;
    return true;
}

/* Frees the pages of an idle instance and saves its contents in the other segment or in the heap. False when neither
 * has room. */
static bool evict_instance(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    const uint64_t size = agpu_allocation_at(vm, instance->allocation)->size;
    void *swap = NULL;

    agpu_segment_order(&vm->segments[agpu_instance_segment(vm, instance) - 1u]); /* read below */
    if (spill_instance(vm, instance)) {
        return true;
    }
    if (has_contents_to_keep(vm, instance)) {
        swap = agpu_memory_alloc(vm->memory, (size_t)size);
        if (swap == NULL) {
            return false;
        }
        memcpy(swap, instance->cpu, (size_t)size);
        vm->swap_bytes += size;
        vm->counters.bytes_evicted += size;
    }
    agpu_instance_release_pages(vm, instance);
    instance->swap = swap;
    vm->counters.evictions++;
    return true;
}

/* Places an allocation in this segment: STATUS_SUCCESS, STATUS_INSUFFICIENT_RESOURCES, or STATUS_PENDING when memory
 * that the device uses now can be evicted later. */
static NTSTATUS place_in(struct agpu_vidmm *vm, const struct agpu_allocation *allocation, uint32_t number,
                         bool may_evict, uint64_t guard, struct agpu_placement *out)
{
    struct agpu_segment *segment = &vm->segments[number - 1u];
    struct eviction_filter filter = {.guard = guard, .segment = number};

    for (;;) {
        enum agpu_segment_result result =
            agpu_segment_alloc(segment, allocation->size, allocation->alignment, out);
        if (result == AGPU_SEGMENT_OK) {
            return STATUS_SUCCESS;
        }
        if (result == AGPU_SEGMENT_NO_RECORD || !may_evict) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        struct agpu_instance *victim = agpu_lru_oldest(vm, is_evictable, &filter);
        if (victim == NULL || !evict_instance(vm, victim)) {
            break;
        }
    }
    return vm->completed >= vm->submitted ? STATUS_INSUFFICIENT_RESOURCES : STATUS_PENDING;
}

NTSTATUS agpu_residency_place(struct agpu_vidmm *vm, const struct agpu_allocation *allocation, bool may_evict,
                              uint64_t guard, struct agpu_placement *out)
{
    NTSTATUS status = place_in(vm, allocation, allocation->segment, may_evict, guard, out);

    if (status != STATUS_SUCCESS && allocation->spill != 0) { /* try the other segment */
        status = place_in(vm, allocation, allocation->spill, may_evict, guard, out);
        out->spilled = status == STATUS_SUCCESS;
    }
    return status;
}

void agpu_residency_attach(struct agpu_vidmm *vm, struct agpu_instance *instance,
                           const struct agpu_placement *placement)
{
    instance->cpu = placement->cpu;
    instance->range = placement->range;
    instance->flags |= AGPU_INSTANCE_RESIDENT;
    if (placement->spilled) {
        instance->flags |= AGPU_INSTANCE_SPILLED;
    }
    agpu_instance_entry(vm, instance)->address = placement->device_address;
    agpu_instance_publish(vm, instance);
    agpu_lru_add(vm, instance);
}

NTSTATUS agpu_vidmm_make_resident(struct agpu_vidmm *vm, struct agpu_instance *instance, bool may_evict,
                                  uint64_t guard)
{
    const struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);
    struct agpu_placement placement;
    NTSTATUS status = agpu_residency_place(vm, allocation, may_evict, guard, &placement);

    if (status != STATUS_SUCCESS) {
        return status;
    }
    if (instance->swap != NULL) {
        memcpy(placement.cpu, instance->swap, (size_t)allocation->size);
        agpu_memory_free(vm->memory, instance->swap, (size_t)allocation->size);
        vm->swap_bytes -= allocation->size;
        instance->swap = NULL;
        vm->counters.page_ins++;
        vm->counters.bytes_paged_in += allocation->size;
    }
    agpu_residency_attach(vm, instance, &placement);
    return STATUS_SUCCESS;
}
