/* records.h: the records of the memory manager (instances, allocations, resources, shares, the manager itself) and the
 * ways from one to another (vidmm.md 3); for the files of this directory only. Other code holds a struct agpu_vidmm and
 * calls the functions of vidmm.h, create.h, lock.h, share.h and table.h. */
#ifndef AGPU_MM_VIDMM_RECORDS_H
#define AGPU_MM_VIDMM_RECORDS_H

#include "mm/base/ntstatus.h"
#include "mm/vidmm/caps.h"
#include "mm/vidmm/handle.h"
#include "mm/vidmm/segment.h"

/* Maximum of outstanding fences; at least the slots of any ring. Power of two. */
#define AGPU_VIDMM_WINDOW 512u

/* Process numbers are 1 .. this - 1. */
#define AGPU_PROCESS_LIMIT 64u

/* agpu_instance.flags */
enum agpu_instance_flag {
    AGPU_INSTANCE_RESIDENT = 1u << 0, /* has pages; address, cpu and range are valid */
    AGPU_INSTANCE_ALIAS = 1u << 1,    /* second name (shared open): `target` has the memory */
    AGPU_INSTANCE_LATEST = 1u << 2,   /* returned by locks; its contents survive an eviction */
    AGPU_INSTANCE_RENAMED = 1u << 3,  /* its allocation has several instances */
    AGPU_INSTANCE_TOUCHED = 1u << 4,  /* may hold non-zero bytes */
    AGPU_INSTANCE_PINNED = 1u << 5,   /* neither evicted nor moved: primaries */
    AGPU_INSTANCE_CLOSED = 1u << 6,   /* handle closed; the memory remains for aliases or until its fence */
    AGPU_INSTANCE_ORDERED = 1u << 7,  /* in the list `ordered` of lru.h, not in `recent` */
    AGPU_INSTANCE_SPILLED = 1u << 8,  /* resident in the allocation's spill segment */
};

/* The part of an instance that a table build reads: a complete table entry, with the identity in place of reserved0. */
struct agpu_instance_entry {
    uint32_t alloc_id;
    uint32_t flags;   /* AEROGPU_ALLOC_FLAG_READONLY; a writer clears it */
    uint64_t address; /* device address of the pages */
    uint64_t size;    /* size in bytes as reported */
    /* handle, process << 32, AGPU_IDENTITY_READY; with other top bits the entry is not copied unchanged */
    uint64_t identity;
};
/* The instance is resident, has one name, and is the only one of its allocation: its entry can be copied into a table
 * unchanged. */
#define AGPU_IDENTITY_READY (1ull << 48)

/* Indexed by instance record, in two plain arrays, so that a table build finds both with one addition each. A use holds
 * the tick of the last lock or table build in its upper 48 bits and, for a build, the entry's index in that table
 * below. */
struct agpu_instance_arrays {
    struct agpu_instance_entry *entries;
    uint64_t *uses;
    uint32_t room;
};
#define AGPU_USE_SLOT_BITS 16u

/* A piece of memory under one handle, without the parts in the two arrays. */
struct agpu_instance {
    uint32_t handle;      /* index and generation (handle.h); survives in a free record */
    uint32_t retire_next; /* bytes 4..7: next instance that waits for the same fence, or next free record */
    uint64_t read_fence;  /* newest submission that reads it, 0 = none */
    uint64_t write_fence; /* newest submission that writes it */
    void *cpu;            /* NULL when not resident or in an unmapped segment */
    void *swap;           /* contents while evicted, NULL = all zero */
    uint16_t flags;       /* enum agpu_instance_flag */
    uint16_t process;     /* process that owns the handle */
    uint32_t allocation;  /* record of the allocation; 0 in a free record */
    uint32_t range;
    uint32_t lru_prev, lru_next;
    uint32_t sibling;    /* next instance of the same allocation */
    uint32_t target;     /* alias: the instance with the memory */
    uint32_t lock_count; /* open locks through all names */
    uint32_t own_locks;  /* open locks through this handle */
    uint32_t resource;   /* record of the resource it belongs to, 0 = none */
    uint32_t resource_next;
};

/* agpu_allocation.flags */
enum agpu_allocation_flag {
    AGPU_ALLOCATION_SHARED = 1u << 0,
    AGPU_ALLOCATION_PRIMARY = 1u << 1,
    AGPU_ALLOCATION_STAGING = 1u << 2,
    AGPU_ALLOCATION_CPU_VISIBLE =
        1u << 3, /* as the driver declared it: a hint, not a condition (vidmm.md 4.1) */
    AGPU_ALLOCATION_CROSS_ADAPTER = 1u << 4,
};

/* Data common to all instances and names of one allocation. */
struct agpu_allocation {
    uint32_t alloc_id;
    uint32_t id_next; /* bytes 4..7: next in the id table, or next free record */
    uint64_t size;
    uint32_t references;     /* open handles: 1 for the creator, 1 for each alias */
    uint32_t first_instance; /* head of the sibling list */
    uint32_t latest;
    uint32_t row_pitch; /* bytes, 0 = unknown or buffer */
    uint32_t rows;      /* of that pitch: texel or block rows */
    uint32_t share;     /* record of the share, 0 = none */
    uint32_t alignment;
    uint8_t flags; /* enum agpu_allocation_flag */
    uint8_t segment;
    uint8_t instance_count;
    uint8_t spill; /* segment to use when the first one is full; 0 = none */
};

/* The kernel's hKMResource: allocations created together. */
struct agpu_vidmm_resource {
    uint32_t handle;
    uint32_t free_link; /* bytes 4..7 */
    uint32_t first_instance;
    uint32_t process;
};

/* A share token, from creation until its release was passed to the device. */
struct agpu_share {
    uint32_t allocation;
    uint32_t next; /* bytes 4..7: bucket, release list, or next free record */
    uint64_t token;
    uint8_t blob[64]; /* private data for openers */
    uint32_t blob_size;
    uint32_t reserved;
};

struct agpu_lru_list {
    uint32_t first, last;
};

/* Resident instances by last use (lru.h). `ordered` is sorted by last_use as of tick ordered_at. Instances used or
 * added since are in `recent`, or will be moved there. Every instance of recent is younger than all of ordered that
 * were not used since. */
struct agpu_lru {
    struct agpu_lru_list ordered, recent;
    uint64_t ordered_at;
};

struct agpu_vidmm_config {
    uint64_t budget;                 /* bytes of segment 1; 0 = default; clamped (vidmm.md 2) */
    struct agpu_segment_window vram; /* segment 2; size 0 = none */
    struct agpu_vidmm_caps caps;     /* checked when the manager opens (vidmm.md 9) */
    enum agpu_wddm_version version;  /* version that the driver reports */
    bool multi_engine_aware;         /* the scheduler's cap: PagingNode counts */
    uint32_t instance_limit;         /* instances of one renamed allocation; 0 = 4 */
    /* Returns true while unsubmitted commands of the process name this handle of an instance. NULL: they never do. */
    bool (*is_recorded)(const void *ctx, uint16_t process, uint32_t handle);
    const void *recorded_ctx;
};

#define AGPU_BUDGET_DEFAULT (512ull << 20)
#define AGPU_BUDGET_MIN     (128ull << 20)
#define AGPU_BUDGET_MAX     (2048ull << 20)

#define AGPU_CREATE_TRACE 64u

/* One line of the creation trace (escape DUMP_CREATEALLOCATION, vidmm.md 3.2). */
struct agpu_create_trace {
    uint64_t sequence; /* increasing from 1 */
    uint64_t size;
    uint32_t alloc_id;
    uint32_t flags_in, flags_out; /* enum agpu_allocation_flag, out with CPU visible and aperture */
};

struct agpu_vidmm_counters {
    uint64_t creates, opens, destroys, locks, discards, renames, recycled;
    uint64_t evictions, bytes_evicted, page_ins, bytes_paged_in;
    uint64_t spills; /* of the evictions: moves to another segment */
};

struct agpu_vidmm {
    struct agpu_memory *memory;
    struct agpu_vidmm_config config;
    struct agpu_segment segments[2]; /* SegmentId - 1 */
    uint32_t segment_count;
    struct agpu_slab instances, allocations, resources, shares;
    struct agpu_instance_arrays arrays;
    uint32_t *id_buckets; /* alloc_id -> allocation */
    uint32_t id_bucket_count, id_count;
    uint32_t token_buckets[64]; /* token -> share */
    uint32_t released_first;    /* shares without references whose release is not submitted yet */
    struct agpu_lru lru;
    uint64_t tick;                      /* counts locks and table builds */
    uint64_t submitted, completed;      /* fences */
    uint32_t retire[AGPU_VIDMM_WINDOW]; /* closed instances by the fence that frees them */
    uint32_t mode_pitch;                /* of the current mode, for primaries without their own pitch */
    uint64_t next_kernel_id, next_token;
    uint64_t open_locks;
    uint64_t swap_bytes; /* heap held by evicted contents */
    struct agpu_create_trace trace[AGPU_CREATE_TRACE];
    uint64_t trace_count;
    struct agpu_vidmm_counters counters;
};

/* ---- from one record to another ---- */

static inline struct agpu_instance *agpu_instance_at(const struct agpu_vidmm *vm, uint32_t index)
{
    return agpu_slab_at(&vm->instances, index);
}

static inline struct agpu_allocation *agpu_allocation_at(const struct agpu_vidmm *vm, uint32_t index)
{
    return agpu_slab_at(&vm->allocations, index);
}

static inline uint32_t agpu_instance_index(const struct agpu_instance *instance)
{
    return instance->handle & AGPU_HANDLE_INDEX_MASK;
}

static inline struct agpu_instance_entry *agpu_instance_entry(const struct agpu_vidmm *vm,
                                                              const struct agpu_instance *instance)
{
    return &vm->arrays.entries[agpu_instance_index(instance)];
}

static inline uint64_t *agpu_instance_use(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    return &vm->arrays.uses[agpu_instance_index(instance)];
}

/* Returns the tick of the last lock or table build. */
static inline uint64_t agpu_instance_last_use(const struct agpu_vidmm *vm,
                                              const struct agpu_instance *instance)
{
    return *agpu_instance_use(vm, instance) >> AGPU_USE_SLOT_BITS;
}

/* Marks the instance as used now, by a lock or a table. */
static inline void agpu_instance_touch(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    *agpu_instance_use(vm, instance) = vm->tick << AGPU_USE_SLOT_BITS;
}

static inline uint64_t agpu_instance_identity(uint32_t handle, uint16_t process)
{
    return AGPU_IDENTITY_READY | (uint64_t)process << 32 | handle;
}

/* Returns the record of a handle of this process, including alias records; NULL when the handle is invalid there. */
static inline struct agpu_instance *agpu_handle_lookup(const struct agpu_vidmm *vm, uint16_t process,
                                                       uint32_t handle)
{
    uint32_t index = handle & AGPU_HANDLE_INDEX_MASK;

    if (!agpu_slab_known(&vm->instances, index)) {
        return NULL;
    }
    struct agpu_instance *instance = agpu_instance_at(vm, index);
    if (instance->handle != handle || instance->process != process || instance->allocation == 0 ||
        (instance->flags & AGPU_INSTANCE_CLOSED) != 0) {
        return NULL;
    }
    return instance;
}

/* Returns the instance whose memory a record names. */
static inline struct agpu_instance *agpu_instance_target(const struct agpu_vidmm *vm,
                                                         struct agpu_instance *record)
{
    return (record->flags & AGPU_INSTANCE_ALIAS) != 0 ? agpu_instance_at(vm, record->target) : record;
}

/* Returns the number of the segment that holds its pages or, without pages, of the segment where it belongs. */
static inline uint32_t agpu_instance_segment(const struct agpu_vidmm *vm,
                                             const struct agpu_instance *instance)
{
    const struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);

    return (instance->flags & AGPU_INSTANCE_SPILLED) != 0 ? allocation->spill : allocation->segment;
}

/* Returns the newest fence of any use. */
static inline uint64_t agpu_instance_fence(const struct agpu_instance *instance)
{
    return instance->read_fence > instance->write_fence ? instance->read_fence : instance->write_fence;
}

/* True while commands that name this older instance may still be submitted; until then it is neither recycled nor
 * emptied. */
static inline bool agpu_instance_recorded(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    return vm->config.is_recorded != NULL &&
           vm->config.is_recorded(vm->config.recorded_ctx, instance->process, instance->handle);
}

static inline bool agpu_instance_busy(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    return agpu_instance_fence(instance) > vm->completed;
}

/* ---- records.c ---- */

/* Creates a record, with a new handle of that process for an allocation, without pages; flags are enum
 * agpu_instance_flag. NULL when records or the heap are exhausted. */
struct agpu_instance *agpu_instance_new(struct agpu_vidmm *vm, uint16_t process, uint32_t allocation,
                                        uint16_t flags);
/* Updates the instance's table entry; call it after every change of flags. The address is stored only there. */
void agpu_instance_publish(struct agpu_vidmm *vm, struct agpu_instance *instance);
/* Frees the record only; the handle becomes invalid. */
void agpu_instance_free(struct agpu_vidmm *vm, struct agpu_instance *instance);
/* Frees the arrays of all instances, when the manager ends. */
void agpu_instance_arrays_fini(struct agpu_vidmm *vm);

/* ---- live allocations by alloc_id (vidmm.md 3.2) ---- */

/* Returns the record of the allocation with this id, 0 = none. */
uint32_t agpu_id_find(const struct agpu_vidmm *vm, uint32_t alloc_id);
/* Adds an allocation under its alloc_id. STATUS_INVALID_PARAMETER: a live one has that id;
 * STATUS_INSUFFICIENT_RESOURCES: the heap is exhausted. */
NTSTATUS agpu_id_add(struct agpu_vidmm *vm, uint32_t allocation);
void agpu_id_remove(struct agpu_vidmm *vm, uint32_t allocation);

#endif
