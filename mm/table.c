#include "mm/table.h"

#include <string.h>

#include "mm/handle.h"
#include "ring/alloc_table.h"

uint32_t agpu_table_bytes(uint32_t list_count)
{
    uint32_t entries = list_count < AGPU_TABLE_ENTRIES_MAX ? list_count : AGPU_TABLE_ENTRIES_MAX;
    return (uint32_t)(sizeof(struct aerogpu_alloc_table_header) +
                      entries * sizeof(struct aerogpu_alloc_entry));
}

/* The entry of an instance seen for the first time in this table. False: its alloc_id already names other
 * memory. */
static bool note_family(struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);
    uint32_t index = agpu_instance_index(instance);
    if (allocation->table_tick == vm->tick && allocation->table_instance != index)
        return false;
    allocation->table_tick = vm->tick;
    allocation->table_instance = index;
    return true;
}

/* Second pass for what had no pages: everything in the list already carries this tick and so is not evicted
 * for it. */
static NTSTATUS page_in(struct agpu_vidmm *vm, struct agpu_table_build *build,
                        struct aerogpu_alloc_entry *entries)
{
    for (uint32_t i = 0; i < build->count; i++) {
        struct agpu_instance *record = agpu_handle_lookup(vm, build->process, build->list[i].hAllocation);
        if (record == NULL)
            continue;
        struct agpu_instance *instance = agpu_instance_target(vm, record);
        if ((instance->flags & AGPU_INSTANCE_RESIDENT) != 0)
            continue;
        NTSTATUS status = agpu_vidmm_make_resident(vm, instance, true, vm->tick, &build->wait_fence);
        if (status != STATUS_SUCCESS)
            return status;
        entries[instance->table_slot].gpa = instance->address;
    }
    return STATUS_SUCCESS;
}

NTSTATUS agpu_table_build(struct agpu_vidmm *vm, struct agpu_table_build *build)
{
    struct agpu_alloc_table table;
    build->table_size = build->entries = build->readonly_entries = 0;
    build->wait_fence = 0;
    if (build->count == 0)
        return STATUS_SUCCESS;
    if (build->memory_size < agpu_table_bytes(build->count) ||
        agpu_alloc_table_begin(&table, build->memory, build->memory_size) != AGPU_OK)
        return STATUS_INVALID_PARAMETER;

    struct aerogpu_alloc_entry *entries = (struct aerogpu_alloc_entry *)(table.header + 1);
    uint64_t tick = ++vm->tick;
    uint32_t count = 0, writable = 0;
    bool missing = false;
    for (uint32_t i = 0; i < build->count; i++) {
        if (build->list[i].hAllocation == 0)
            continue;
        struct agpu_instance *instance = agpu_handle_lookup(vm, build->process, build->list[i].hAllocation);
        if (instance == NULL)
            return STATUS_INVALID_PARAMETER;
        if ((instance->flags & AGPU_INSTANCE_ALIAS) != 0)
            instance = agpu_instance_at(vm, instance->target);
        uint32_t readonly = build->list[i].WriteOperation ? 0u : AEROGPU_ALLOC_FLAG_READONLY;
        if (instance->last_use == tick) { /* a second time: any writer makes it writable */
            struct aerogpu_alloc_entry *seen = &entries[instance->table_slot];
            writable += (seen->flags & ~readonly) != 0;
            seen->flags &= readonly;
            continue;
        }
        if ((instance->flags & AGPU_INSTANCE_RENAMED) != 0 && !note_family(vm, instance))
            return STATUS_INVALID_PARAMETER;
        if (count == table.capacity || count == AGPU_TABLE_ENTRIES_MAX)
            return STATUS_INVALID_PARAMETER;
        instance->last_use = tick;
        instance->table_slot = count;
        missing |= (instance->flags & AGPU_INSTANCE_RESIDENT) == 0;
        writable += readonly == 0;
        entries[count++] = (struct aerogpu_alloc_entry){.alloc_id = instance->alloc_id,
                                                        .flags = readonly,
                                                        .gpa = instance->address,
                                                        .size_bytes = instance->size};
    }
    if (missing) {
        NTSTATUS status = page_in(vm, build, entries);
        if (status != STATUS_SUCCESS)
            return status;
    }
    if (count == 0)
        return STATUS_SUCCESS;
    table.count = count;
    build->table_size = agpu_alloc_table_finish(&table);
    build->entries = count;
    build->readonly_entries = count - writable;
    return STATUS_SUCCESS;
}

void agpu_table_commit(struct agpu_vidmm *vm, const struct agpu_table_build *build, uint64_t fence)
{
    for (uint32_t i = 0; i < build->count; i++) {
        struct agpu_instance *record = agpu_handle_lookup(vm, build->process, build->list[i].hAllocation);
        if (record == NULL)
            continue;
        struct agpu_instance *instance = agpu_instance_target(vm, record);
        if (build->list[i].WriteOperation) {
            instance->write_fence = fence;
            instance->flags |= AGPU_INSTANCE_TOUCHED;
        } else {
            instance->read_fence = fence;
        }
    }
    agpu_vidmm_commands_gone(vm, build->process);
}
