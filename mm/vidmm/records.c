/* records.c: records of instances: creation, table entry, release (vidmm.md 3, 6.2); and the allocation of an
 * alloc_id. */
#include "mm/vidmm/records.h"

#include "ring/protocol/aerogpu_ring.h"

#include <string.h>

/* Bookkeeping takes at most 256 bytes per allocation: instance, allocation, resource, range record, and 4 to 8 bytes in
 * the id table. */
_Static_assert(sizeof(struct agpu_instance_entry) == sizeof(struct aerogpu_alloc_entry) &&
                   offsetof(struct agpu_instance_entry, identity) ==
                       offsetof(struct aerogpu_alloc_entry, reserved0),
               "an instance's entry is copied into tables");
_Static_assert(sizeof(struct agpu_instance) + sizeof(struct agpu_instance_entry) + sizeof(uint64_t) +
                       sizeof(struct agpu_allocation) + sizeof(struct agpu_vidmm_resource) +
                       sizeof(struct agpu_range) <=
                   240,
               "bookkeeping per allocation");

static size_t instance_arrays_bytes(uint32_t room)
{
    return room * (sizeof(struct agpu_instance_entry) + sizeof(uint64_t));
}

/* Grows the arrays for one more record, by a quarter each time, so that the unused part stays small. */
static bool grow_instance_arrays(struct agpu_vidmm *vm)
{
    struct agpu_instance_arrays *arrays = &vm->arrays;
    uint32_t room = arrays->room + arrays->room / 4u + AGPU_SLAB_CHUNK_RECORDS;
    struct agpu_instance_entry *entries = agpu_memory_alloc(vm->memory, instance_arrays_bytes(room));

    if (entries == NULL) {
        return false;
    }
    uint64_t *uses = (uint64_t *)(entries + room);
    if (arrays->room != 0) {
        memcpy(entries, arrays->entries, arrays->room * sizeof *entries);
        memcpy(uses, arrays->uses, arrays->room * sizeof *uses);
    }
    agpu_memory_free(vm->memory, arrays->entries, instance_arrays_bytes(arrays->room));
    *arrays = (struct agpu_instance_arrays){entries, uses, room};
    return true;
}

void agpu_instance_arrays_fini(struct agpu_vidmm *vm)
{
    agpu_memory_free(vm->memory, vm->arrays.entries, instance_arrays_bytes(vm->arrays.room));
}

void agpu_instance_publish(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    const struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);
    struct agpu_instance_entry *entry = agpu_instance_entry(vm, instance);

    unsigned kind =
        AGPU_INSTANCE_RESIDENT | AGPU_INSTANCE_ALIAS | AGPU_INSTANCE_RENAMED | AGPU_INSTANCE_CLOSED;
    bool ready = (instance->flags & kind) == AGPU_INSTANCE_RESIDENT;
    entry->alloc_id = allocation->alloc_id;
    entry->flags = AEROGPU_ALLOC_FLAG_READONLY;
    entry->size = allocation->size;
    entry->identity = ready ? agpu_instance_identity(instance->handle, instance->process) : 0;
}

struct agpu_instance *agpu_instance_new(struct agpu_vidmm *vm, uint16_t process, uint32_t allocation,
                                        uint16_t flags)
{
    uint32_t index = agpu_slab_alloc(&vm->instances);

    if (index == AGPU_SLAB_NONE) {
        return NULL;
    }
    if (index >= vm->arrays.room && !grow_instance_arrays(vm)) {
        agpu_slab_free(&vm->instances, index);
        return NULL;
    }
    struct agpu_instance *instance = agpu_instance_at(vm, index);
    uint32_t handle = agpu_handle_next(instance->handle, index, 0);
    *agpu_instance_use(vm, instance) = 0;
    *instance = (struct agpu_instance){
        .handle = handle, .process = process, .allocation = allocation, .flags = flags};
    agpu_instance_publish(vm, instance);
    return instance;
}

void agpu_instance_free(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    instance->allocation = 0; /* marks the record as free: see agpu_handle_lookup */
    agpu_instance_entry(vm, instance)->identity = 0;
    agpu_slab_free(&vm->instances, agpu_instance_index(instance));
}

/* ---- live allocations by alloc_id (vidmm.md 3.2): chained hash table, one word a bucket ---- */

#define FIRST_BUCKETS 1024u

/* Ids count up, so their low bits spread evenly; the shift helps with drivers that count in other steps. */
static uint32_t id_bucket_of(const struct agpu_vidmm *vm, uint32_t alloc_id)
{
    return (alloc_id ^ alloc_id >> 15) & (vm->id_bucket_count - 1u);
}

uint32_t agpu_id_find(const struct agpu_vidmm *vm, uint32_t alloc_id)
{
    if (vm->id_bucket_count == 0) {
        return AGPU_SLAB_NONE;
    }
    uint32_t index = vm->id_buckets[id_bucket_of(vm, alloc_id)];
    while (index != AGPU_SLAB_NONE && agpu_allocation_at(vm, index)->alloc_id != alloc_id) {
        index = agpu_allocation_at(vm, index)->id_next;
    }
    return index;
}

static void insert_into_bucket(struct agpu_vidmm *vm, uint32_t index)
{
    struct agpu_allocation *allocation = agpu_allocation_at(vm, index);
    uint32_t *bucket = &vm->id_buckets[id_bucket_of(vm, allocation->alloc_id)];

    allocation->id_next = *bucket;
    *bucket = index;
}

/* Doubles the table. A failure is harmless when a table exists. */
static bool grow_id_table(struct agpu_vidmm *vm)
{
    uint32_t count = vm->id_bucket_count == 0 ? FIRST_BUCKETS : vm->id_bucket_count * 2u;
    uint32_t *buckets = agpu_memory_alloc(vm->memory, count * sizeof *buckets);

    if (buckets == NULL) {
        return vm->id_bucket_count != 0;
    }
    uint32_t *old = vm->id_buckets;
    uint32_t old_count = vm->id_bucket_count;
    vm->id_buckets = buckets;
    vm->id_bucket_count = count;
    for (uint32_t i = 0; i < old_count; i++) {
        uint32_t next;

        for (uint32_t index = old[i]; index != AGPU_SLAB_NONE; index = next) {
            next = agpu_allocation_at(vm, index)->id_next;
            insert_into_bucket(vm, index);
        }
    }
    agpu_memory_free(vm->memory, old, old_count * sizeof *old);
    return true;
}

NTSTATUS agpu_id_add(struct agpu_vidmm *vm, uint32_t allocation)
{
    if (agpu_id_find(vm, agpu_allocation_at(vm, allocation)->alloc_id) != AGPU_SLAB_NONE) {
        return STATUS_INVALID_PARAMETER;
    }
    if (vm->id_count >= vm->id_bucket_count && !grow_id_table(vm)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    insert_into_bucket(vm, allocation);
    vm->id_count++;
    return STATUS_SUCCESS;
}

void agpu_id_remove(struct agpu_vidmm *vm, uint32_t allocation)
{
    uint32_t *link = &vm->id_buckets[id_bucket_of(vm, agpu_allocation_at(vm, allocation)->alloc_id)];

    while (*link != allocation) {
        link = &agpu_allocation_at(vm, *link)->id_next;
    }
    *link = agpu_allocation_at(vm, allocation)->id_next;
    vm->id_count--;
}
