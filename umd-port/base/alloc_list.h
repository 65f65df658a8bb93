/* alloc_list.h: the list of allocations that a submission reads or writes, each once (umd.md 12.2). */
#ifndef AGPU_UMD_BASE_ALLOC_LIST_H
#define AGPU_UMD_BASE_ALLOC_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "umd-port/ddi/d3dddicb.h"

struct agpu_umd_environment;

enum agpu_track_status {
    AGPU_TRACK_OK = 0,
    AGPU_TRACK_NEED_FLUSH,       /* list full: submit, then track again */
    AGPU_TRACK_INVALID_ARGUMENT, /* not bound, handle 0 or id 0 */
    AGPU_TRACK_ID_COLLISION,     /* id belongs to another handle that is not an alias of this one */
    AGPU_TRACK_ID_MISMATCH,      /* handle is listed with another id or token */
    AGPU_TRACK_OUT_OF_MEMORY,
};

/* Highest slot number that the kernel driver reports (vidmm.md 2). alloc_id values are not slots. */
#define AGPU_MAX_ALLOCATION_LIST_SLOT_ID 0xFFFFu

struct agpu_alloc_entry {
    uint64_t share_token;
    D3DKMT_HANDLE handle; /* first handle that was tracked for this memory */
    uint32_t alloc_id;
    uint32_t write;    /* 0 or 1, never reset to 0; and AGPU_ENTRY_KEPT while entries are being dropped */
    uint32_t resource; /* protocol handle of the resource that was tracked first; 0 = unknown */
};
#define AGPU_ENTRY_KEPT 2u

/* Hash bucket. Valid only while tag equals the list's tag, so that a reset touches no bucket. */
struct agpu_alloc_bucket {
    uint32_t tag;
    uint32_t index;
};

struct agpu_alloc_list {
    uint64_t epoch; /* changes whenever earlier indices become invalid; never 0 */
    struct agpu_alloc_entry *entries;
    uint32_t count;
    uint32_t capacity; /* entries allowed by the runtime's list and the slot ids */
    uint32_t storage;  /* entries that the memory can hold */
    uint32_t tag;
    bool bound;
    D3DDDI_ALLOCATIONLIST *mirror;               /* runtime list, updated at every call; may be NULL */
    struct agpu_alloc_bucket *by_handle, *by_id; /* 2 * storage buckets each */
    const struct agpu_umd_environment *heap;
};

void agpu_alloc_list_init(struct agpu_alloc_list *list, const struct agpu_umd_environment *heap);
void agpu_alloc_list_release(struct agpu_alloc_list *list);
/* Empties the list and binds it to a runtime list of capacity entries (memory NULL: not bound, every track fails). The
 * effective capacity is min(capacity, max_slot_id + 1). */
void agpu_alloc_list_bind(struct agpu_alloc_list *list, D3DDDI_ALLOCATIONLIST *memory, uint32_t capacity,
                          uint32_t max_slot_id);
/* Empties the list without a runtime list to update; agpu_alloc_list_fill() writes one at submission. */
void agpu_alloc_list_restart(struct agpu_alloc_list *list, uint32_t capacity);
/* Adds or merges one reference. *index (may be NULL) is its slot. Amortised constant time. */
enum agpu_track_status agpu_alloc_list_track(struct agpu_alloc_list *list, D3DKMT_HANDLE handle,
                                             uint32_t alloc_id, uint64_t share_token, bool write,
                                             uint32_t *index);
/* True when this handle is on the list. */
bool agpu_alloc_list_has(const struct agpu_alloc_list *list, D3DKMT_HANDLE handle);
/* Drops the entries at index count and above. */
void agpu_alloc_list_truncate(struct agpu_alloc_list *list, uint32_t count);
/* Drops the unmarked entries, and clears the marks. */
void agpu_alloc_list_keep_marked(struct agpu_alloc_list *list);
/* Copies entries in order into out; returns their number. Does not depend on the runtime's memory. */
uint32_t agpu_alloc_list_snapshot(const struct agpu_alloc_list *list, struct agpu_alloc_entry *out,
                                  uint32_t room);
/* Tracks a snapshot again, after a rebind. False when it does not fit. */
bool agpu_alloc_list_replay(struct agpu_alloc_list *list, const struct agpu_alloc_entry *entries,
                            uint32_t count);
/* Writes the runtime's form of the list. out holds at least count entries. */
void agpu_alloc_list_fill(const struct agpu_alloc_list *list, D3DDDI_ALLOCATIONLIST *out);

#endif
