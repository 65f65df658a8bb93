/* alloc_id.c: which live allocation has an alloc_id (vidmm.md 3.2): chained hash table, one word per
 * bucket. */
#include "mm/vidmm/alloc_id.h"

#include <string.h>

#define FIRST_BUCKETS 1024u

/* Ids count up, so their low bits alone spread evenly; the shift serves drivers that count in other
 * steps. */
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

/* Doubles the table. Failing to is harmless once there is one. */
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
