/* query.c: segments, adapter caps and placements (vidmm.md 2, 10). */
#include "mm/kmd/query.h"

#include "mm/vidmm/records.h"

bool agpu_query_segment(const struct agpu_vidmm *vm, uint32_t id, struct agpu_segment_report *out)
{
    if (id == 0 || id > vm->segment_count) {
        return false;
    }
    const struct agpu_segment *segment = &vm->segments[id - 1u];
    bool system = segment->window.size == 0;
    *out = (struct agpu_segment_report){.id = id,
                                        .aperture = system,
                                        .cpu_visible = system || segment->window.cpu != NULL,
                                        .cache_coherent = system,
                                        .size = segment->budget,
                                        .committed = segment->committed};
    return true;
}

struct agpu_memory_report agpu_query_memory(const struct agpu_vidmm *vm)
{
    return (struct agpu_memory_report){.segment_count = vm->segment_count,
                                       .paging_segment = AGPU_SEGMENT_SYSTEM,
                                       .paging_private_size = sizeof(AGPU_DMA_PRIV),
                                       .local_bytes = vm->segment_count > 1u ? vm->segments[1].budget : 0,
                                       .non_local_bytes = vm->segments[0].budget};
}

struct agpu_driver_caps agpu_query_driver_caps(const struct agpu_vidmm *vm)
{
    return (struct agpu_driver_caps){.version = vm->config.version == AGPU_WDDM_UNSTATED ? AGPU_WDDM_WIN7
                                                                                         : vm->config.version,
                                     .multi_engine_aware = vm->config.multi_engine_aware,
                                     .max_allocation_list_slot_id = 0xFFFF,
                                     .dma_private_size = sizeof(AGPU_DMA_PRIV),
                                     .vidmm = vm->config.caps};
}

bool agpu_query_placement(const struct agpu_vidmm *vm, uint16_t process, uint32_t handle, uint32_t *segment,
                          uint64_t *address)
{
    struct agpu_instance *record = agpu_handle_lookup(vm, process, handle);

    if (record == NULL) {
        return false;
    }
    const struct agpu_instance *instance = agpu_instance_target(vm, record);
    if ((instance->flags & AGPU_INSTANCE_RESIDENT) == 0) {
        return false;
    }
    *segment = agpu_instance_segment(vm, instance);
    *address = agpu_instance_entry(vm, instance)->address;
    return true;
}

NTSTATUS agpu_query_lock_range(const struct agpu_vidmm *vm, uint16_t process, uint32_t handle,
                               uint32_t segment, uint64_t offset, uint64_t size, void **data)
{
    struct agpu_instance *record = agpu_handle_lookup(vm, process, handle);

    if (record == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    const struct agpu_allocation *allocation = agpu_allocation_at(vm, record->allocation);
    const struct agpu_instance *instance = agpu_instance_target(vm, record);
    if (segment != agpu_instance_segment(vm, instance)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (instance->lock_count == 0 || offset > allocation->size || size > allocation->size - offset) {
        return STATUS_INVALID_PARAMETER;
    }
    *data = (uint8_t *)instance->cpu + offset;
    return STATUS_SUCCESS;
}
