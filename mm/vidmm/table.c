/* table.c: converts the driver's allocation list to the device's allocation table (vidmm.md 6.2). */
#include "mm/vidmm/table.h"

#include "mm/vidmm/residency.h"
#include "ring/alloc_table.h"

#include <string.h>

uint32_t agpu_table_bytes(uint32_t list_count)
{
    uint32_t entries = list_count < AGPU_TABLE_ENTRIES_MAX ? list_count : AGPU_TABLE_ENTRIES_MAX;

    return (uint32_t)(sizeof(struct aerogpu_alloc_table_header) +
                      entries * sizeof(struct aerogpu_alloc_entry));
}

/* State of one build. */
struct table_builder {
    struct agpu_vidmm *vm;
    struct aerogpu_alloc_entry *entries;
    uint32_t count;
    bool missing; /* an entry has no address yet */
};

/* True when another instance of the same allocation is already in this table: one alloc_id cannot have two
 * addresses. */
static bool has_other_instance(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    const struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);

    for (uint32_t i = allocation->first_instance; i != AGPU_SLAB_NONE; i = agpu_instance_at(vm, i)->sibling) {
        const struct agpu_instance *other = agpu_instance_at(vm, i);

        if (other != instance && agpu_instance_last_use(vm, other) == vm->tick) {
            return true;
        }
    }
    return false;
}

/* Merges a handle that is already in the table: any writer makes its entry writable. */
static void merge_entry(const struct table_builder *b, uint64_t use, uint32_t readonly)
{
    b->entries[use & ((1u << AGPU_USE_SLOT_BITS) - 1u)].flags &= readonly;
}

/* Adds an entry that cannot be copied unchanged: aliases, instances without pages, renamed allocations, null and bad
 * handles. */
static __attribute__((noinline)) NTSTATUS add_entry_slowly(struct table_builder *b, uint16_t process,
                                                           uint32_t handle, uint32_t readonly)
{
    if (handle == 0) {
        return STATUS_SUCCESS;
    }
    struct agpu_instance *instance = agpu_handle_lookup(b->vm, process, handle);
    if (instance == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    instance = agpu_instance_target(b->vm, instance);
    uint64_t *use = agpu_instance_use(b->vm, instance);
    if (*use >> AGPU_USE_SLOT_BITS == b->vm->tick) {
        merge_entry(b, *use, readonly);
        return STATUS_SUCCESS;
    }
    if (b->count == AGPU_TABLE_ENTRIES_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    if ((instance->flags & AGPU_INSTANCE_RENAMED) != 0 && has_other_instance(b->vm, instance)) {
        return STATUS_INVALID_PARAMETER;
    }
    const struct agpu_instance_entry *from = agpu_instance_entry(b->vm, instance);
    b->missing |= (instance->flags & AGPU_INSTANCE_RESIDENT) == 0;
    *use = b->vm->tick << AGPU_USE_SLOT_BITS | b->count;
    b->entries[b->count++] = (struct aerogpu_alloc_entry){
        .alloc_id = from->alloc_id, .flags = readonly, .gpa = from->address, .size_bytes = from->size};
    return STATUS_SUCCESS;
}

/* Copies the entries of list[at..] while they are ready and new; returns where it stopped. The common case of a whole
 * list, kept short: one compare for the name, one for the use, one copy. */
static __attribute__((noinline)) uint32_t
copy_ready_entries(struct table_builder *b, const struct agpu_table_build *build, uint32_t at)
{
    /* Local copies, because the compiler must assume that stores to entries and uses change the pointers. */
    const struct agpu_instance_entry *entries = b->vm->arrays.entries;
    uint64_t *uses = b->vm->arrays.uses;
    const D3DDDI_ALLOCATIONLIST *ref = build->list + at, *end = build->list + build->count;

    const uint32_t fresh =
        entries != NULL ? b->vm->instances.fresh : 0; /* no table before the first allocation */
    const uint64_t identity = agpu_instance_identity(0, build->process);
    const uint64_t begin = b->vm->tick << AGPU_USE_SLOT_BITS; /* uses by this table are at least this */
    uint64_t next = begin + b->count;
    struct aerogpu_alloc_entry *to = &b->entries[b->count];
    for (; ref != end; ref++) {
        uint32_t handle = ref->hAllocation, index = handle & AGPU_HANDLE_INDEX_MASK;

        if (index >= fresh) {
            break;
        }
        const struct agpu_instance_entry *from = &entries[index];
        if (from->identity != (identity | handle) || uses[index] >= begin) {
            break;
        }
        uses[index] = next++;
        /* Copied in pieces that need no shuffling: id with flags (READONLY until a writer clears it), address with
         * size. */
        uint64_t head;
        memcpy(&head, from, sizeof head);
        head ^= (uint64_t)(ref->Value & AEROGPU_ALLOC_FLAG_READONLY) << 32;
        memcpy(to, &head, sizeof head);
        memcpy(&to->gpa, &from->address, 2u * sizeof to->gpa);
        to->reserved0 = 0;
        to++;
    }
    b->count = (uint32_t)(next - begin);
    return (uint32_t)(ref - build->list);
}

static NTSTATUS add_list_entries(struct table_builder *b, const struct agpu_table_build *build)
{
    const bool fits = build->count <= AGPU_TABLE_ENTRIES_MAX; /* if not, each entry must be counted */

    for (uint32_t at = 0; at < build->count; at++) {
        if (fits) {
            at = copy_ready_entries(b, build, at);
        }
        if (at == build->count) {
            break;
        }
        uint32_t readonly = ~build->list[at].Value & AEROGPU_ALLOC_FLAG_READONLY;
        NTSTATUS status = add_entry_slowly(b, build->process, build->list[at].hAllocation, readonly);
        if (status != STATUS_SUCCESS) {
            return status;
        }
    }
    return STATUS_SUCCESS;
}

/* Second pass, for entries without pages. Everything in the list already has this tick and is therefore not evicted. */
static NTSTATUS page_in_list(struct table_builder *b, struct agpu_table_build *build)
{
    for (uint32_t i = 0; i < build->count; i++) {
        struct agpu_instance *record = agpu_handle_lookup(b->vm, build->process, build->list[i].hAllocation);

        if (record == NULL) {
            continue;
        }
        struct agpu_instance *instance = agpu_instance_target(b->vm, record);
        if ((instance->flags & AGPU_INSTANCE_RESIDENT) != 0) {
            continue;
        }
        NTSTATUS status = agpu_vidmm_make_resident(b->vm, instance, true, b->vm->tick);
        if (status != STATUS_SUCCESS) {
            return status;
        }
        uint64_t slot = *agpu_instance_use(b->vm, instance) & ((1u << AGPU_USE_SLOT_BITS) - 1u);
        b->entries[slot].gpa = agpu_instance_entry(b->vm, instance)->address;
    }
    return STATUS_SUCCESS;
}

NTSTATUS agpu_table_build(struct agpu_vidmm *vm, struct agpu_table_build *build)
{
    struct agpu_alloc_table table;

    build->table_size = build->entries = 0;
    if (build->count == 0) {
        return STATUS_SUCCESS;
    }
    if (build->memory_size < agpu_table_bytes(build->count) ||
        agpu_alloc_table_begin(&table, build->memory, build->memory_size) != AGPU_OK) {
        return STATUS_INVALID_PARAMETER;
    }

    struct table_builder b = {.vm = vm, .entries = (struct aerogpu_alloc_entry *)(table.header + 1)};
    vm->tick++;
    NTSTATUS status = add_list_entries(&b, build);
    if (status == STATUS_SUCCESS && b.missing) {
        status = page_in_list(&b, build);
    }
    if (status != STATUS_SUCCESS || b.count == 0) {
        return status;
    }
    table.count = b.count;
    build->table_size = agpu_alloc_table_finish(&table);
    build->entries = b.count;
    return STATUS_SUCCESS;
}

uint32_t agpu_table_count_readonly(const struct agpu_table_build *build)
{
    if (build->entries == 0) {
        return 0;
    }
    const struct aerogpu_alloc_table_header *header = build->memory;
    const struct aerogpu_alloc_entry *entries = (const struct aerogpu_alloc_entry *)(header + 1);
    uint32_t readonly = 0;
    for (uint32_t i = 0; i < build->entries; i++) {
        readonly += entries[i].flags & AEROGPU_ALLOC_FLAG_READONLY;
    }
    return readonly;
}

void agpu_table_commit(struct agpu_vidmm *vm, const struct agpu_table_build *build, uint64_t fence)
{
    for (uint32_t i = 0; i < build->count; i++) {
        struct agpu_instance *record = agpu_handle_lookup(vm, build->process, build->list[i].hAllocation);

        if (record == NULL) {
            continue;
        }
        struct agpu_instance *instance = agpu_instance_target(vm, record);
        if (build->list[i].WriteOperation) {
            instance->write_fence = fence;
            instance->flags |= AGPU_INSTANCE_TOUCHED;
        } else {
            instance->read_fence = fence;
        }
    }
}
