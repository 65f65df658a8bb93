/* alloc_list.c: deduplicating allocation list with hashed lookup by handle and by id (umd.md 12.2). */
#include "umd-port/base/alloc_list.h"

#include <string.h>

#include "umd-port/ddi/environment.h"

#define FIRST_STORAGE 64u

static void restart_list(struct agpu_alloc_list *list)
{
    list->count = 0;
    list->epoch++;
    list->tag++;
    if (list->tag == 0) { /* wrapped: tags of 2^32 submissions ago would be valid again */
        if (list->storage) {
            memset(list->by_handle, 0, 4 * (size_t)list->storage * sizeof *list->by_handle);
        }
        list->tag = 1;
    }
}

void agpu_alloc_list_init(struct agpu_alloc_list *list, const struct agpu_umd_environment *heap)
{
    *list = (struct agpu_alloc_list){.heap = heap, .epoch = 1, .tag = 1};
}

void agpu_alloc_list_release(struct agpu_alloc_list *list)
{
    list->heap->heap_free(list->heap->ctx, list->entries);
    list->heap->heap_free(list->heap->ctx, list->by_handle);
    agpu_alloc_list_init(list, list->heap);
}

void agpu_alloc_list_bind(struct agpu_alloc_list *list, D3DDDI_ALLOCATIONLIST *memory, uint32_t capacity,
                          uint32_t max_slot_id)
{
    restart_list(list);
    list->mirror = memory;
    list->bound = memory != NULL;
    list->capacity = capacity > max_slot_id ? max_slot_id + 1 : capacity;
}

void agpu_alloc_list_restart(struct agpu_alloc_list *list, uint32_t capacity)
{
    agpu_alloc_list_bind(list, NULL, capacity, AGPU_MAX_ALLOCATION_LIST_SLOT_ID);
    list->bound = true;
}

/* Returns the bucket of key: the valid one that matches, else the free one where it belongs. Handles and ids are small
 * and dense; a multiplicative hash spreads them. */
static struct agpu_alloc_bucket *find_bucket(const struct agpu_alloc_list *list,
                                             struct agpu_alloc_bucket *table, uint32_t key, bool by_id)
{
    uint32_t mask = 2 * list->storage - 1;

    for (uint32_t at = (key * 0x9E3779B1u) >> 7 & mask;; at = (at + 1) & mask) {
        struct agpu_alloc_bucket *bucket = &table[at];

        if (bucket->tag != list->tag) {
            return bucket;
        }
        const struct agpu_alloc_entry *entry = &list->entries[bucket->index];
        if ((by_id ? entry->alloc_id : entry->handle) == key) {
            return bucket;
        }
    }
}

static void insert_entry(struct agpu_alloc_list *list, uint32_t index)
{
    const struct agpu_alloc_entry *entry = &list->entries[index];
    const struct agpu_alloc_bucket bucket = {list->tag, index};

    *find_bucket(list, list->by_handle, entry->handle, false) = bucket;
    *find_bucket(list, list->by_id, entry->alloc_id, true) = bucket;
}

static bool grow_storage(struct agpu_alloc_list *list)
{
    const struct agpu_umd_environment *heap = list->heap;
    uint32_t storage = list->storage ? 2 * list->storage : FIRST_STORAGE;
    size_t buckets = 2 * (size_t)storage;
    struct agpu_alloc_entry *entries = heap->heap_alloc(heap->ctx, storage * sizeof *entries);
    struct agpu_alloc_bucket *tables = heap->heap_alloc(heap->ctx, 2 * buckets * sizeof *tables);

    if (entries == NULL || tables == NULL) {
        heap->heap_free(heap->ctx, entries);
        heap->heap_free(heap->ctx, tables);
        return false;
    }
    memset(tables, 0, 2 * buckets * sizeof *tables);
    if (list->count) {
        memcpy(entries, list->entries, list->count * sizeof *entries);
    }
    heap->heap_free(heap->ctx, list->entries);
    heap->heap_free(heap->ctx, list->by_handle);
    list->entries = entries;
    list->by_handle = tables;
    list->by_id = tables + buckets;
    list->storage = storage;
    for (uint32_t i = 0; i < list->count; i++) {
        insert_entry(list, i);
    }
    return true;
}

static void merge_write(struct agpu_alloc_list *list, uint32_t index, bool write)
{
    list->entries[index].write |= write;
    if (list->mirror != NULL) {
        list->mirror[index].WriteOperation = list->entries[index].write & 1;
    }
}

/* Finds the slot of an allocation that is already listed; *index is written only then. */
static enum agpu_track_status find_entry(const struct agpu_alloc_list *list, D3DKMT_HANDLE handle,
                                         uint32_t alloc_id, uint64_t share_token, uint32_t *index,
                                         bool *found)
{
    *found = false;
    if (!list->count) {
        return AGPU_TRACK_OK;
    }
    const struct agpu_alloc_bucket *bucket = find_bucket(list, list->by_handle, handle, false);
    if (bucket->tag == list->tag) {
        const struct agpu_alloc_entry *entry = &list->entries[bucket->index];

        if (entry->alloc_id != alloc_id || entry->share_token != share_token) {
            return AGPU_TRACK_ID_MISMATCH;
        }
    } else {
        bucket = find_bucket(list, list->by_id, alloc_id, true);
        if (bucket->tag != list->tag) {
            return AGPU_TRACK_OK;
        }
        if (!share_token || list->entries[bucket->index].share_token != share_token) {
            return AGPU_TRACK_ID_COLLISION;
        }
    }
    *index = bucket->index;
    *found = true;
    return AGPU_TRACK_OK;
}

enum agpu_track_status agpu_alloc_list_track(struct agpu_alloc_list *list, D3DKMT_HANDLE handle,
                                             uint32_t alloc_id, uint64_t share_token, bool write,
                                             uint32_t *index)
{
    if (!list->bound || !handle || !alloc_id) {
        return AGPU_TRACK_INVALID_ARGUMENT;
    }
    uint32_t slot = 0;
    bool found;
    enum agpu_track_status status = find_entry(list, handle, alloc_id, share_token, &slot, &found);
    if (status != AGPU_TRACK_OK) {
        return status;
    }
    if (!found) {
        if (list->count >= list->capacity) {
            return AGPU_TRACK_NEED_FLUSH;
        }
        if (list->count == list->storage && !grow_storage(list)) {
            return AGPU_TRACK_OUT_OF_MEMORY;
        }
        slot = list->count++;
        list->entries[slot] =
            (struct agpu_alloc_entry){.handle = handle, .alloc_id = alloc_id, .share_token = share_token};
        insert_entry(list, slot);
        if (list->mirror != NULL) {
            list->mirror[slot] = (D3DDDI_ALLOCATIONLIST){.hAllocation = handle};
        }
    }
    merge_write(list, slot, write);
    if (index != NULL) {
        *index = slot;
    }
    return AGPU_TRACK_OK;
}

bool agpu_alloc_list_has(const struct agpu_alloc_list *list, D3DKMT_HANDLE handle)
{
    return list->count && find_bucket(list, list->by_handle, handle, false)->tag == list->tag;
}

void agpu_alloc_list_truncate(struct agpu_alloc_list *list, uint32_t count)
{
    if (count >= list->count) {
        return;
    }
    restart_list(list);
    list->count = count;
    for (uint32_t i = 0; i < count; i++) {
        insert_entry(list, i);
    }
}

void agpu_alloc_list_keep_marked(struct agpu_alloc_list *list)
{
    uint32_t count = list->count, kept = 0;

    restart_list(list);
    for (uint32_t i = 0; i < count; i++) {
        if (list->entries[i].write & AGPU_ENTRY_KEPT) {
            list->entries[kept] = list->entries[i];
            list->entries[kept].write &= ~AGPU_ENTRY_KEPT;
            insert_entry(list, kept++);
        }
    }
    list->count = kept;
}

uint32_t agpu_alloc_list_snapshot(const struct agpu_alloc_list *list, struct agpu_alloc_entry *out,
                                  uint32_t room)
{
    uint32_t count = list->count < room ? list->count : room;

    if (count) {
        memcpy(out, list->entries, count * sizeof *out);
    }
    return count;
}

bool agpu_alloc_list_replay(struct agpu_alloc_list *list, const struct agpu_alloc_entry *entries,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (agpu_alloc_list_track(list, entries[i].handle, entries[i].alloc_id, entries[i].share_token,
                                  entries[i].write != 0, NULL) != AGPU_TRACK_OK) {
            return false;
        }
    }
    return true;
}

void agpu_alloc_list_fill(const struct agpu_alloc_list *list, D3DDDI_ALLOCATIONLIST *out)
{
    for (uint32_t i = 0; i < list->count; i++) {
        out[i] = (D3DDDI_ALLOCATIONLIST){.hAllocation = list->entries[i].handle,
                                         .WriteOperation = list->entries[i].write & 1};
    }
}
