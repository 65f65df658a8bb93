/* vidmm.h: the video memory manager (vidmm.md 2-5): segments, allocations, instances, lock, residency. A
 * state machine: it is told which fences were submitted and completed, never waits and touches no device. */
#ifndef AGPU_MM_VIDMM_VIDMM_H
#define AGPU_MM_VIDMM_VIDMM_H

#include "mm/base/ntstatus.h"
#include "mm/vidmm/caps.h"
#include "mm/vidmm/lru.h"
#include "mm/vidmm/segment.h"

/* Fences that may be outstanding at once; at least the slots of any ring. Power of two. */
#define AGPU_VIDMM_WINDOW 512u

/* Process numbers are 1 .. this - 1. */
#define AGPU_PROCESS_LIMIT 64u

/* agpu_instance.flags */
enum agpu_instance_flag {
    AGPU_INSTANCE_RESIDENT = 1u << 0, /* has pages; address, cpu and range are valid */
    AGPU_INSTANCE_ALIAS = 1u << 1, /* a second name (shared open): `target` is the instance with the memory */
    AGPU_INSTANCE_LATEST =
        1u << 2, /* the instance that a lock gets; its contents are kept when it is evicted */
    AGPU_INSTANCE_RENAMED = 1u << 3, /* its allocation has several instances */
    AGPU_INSTANCE_TOUCHED = 1u << 4, /* may hold something other than zeros */
    AGPU_INSTANCE_PINNED = 1u << 5,  /* never evicted nor moved: primaries */
    AGPU_INSTANCE_CLOSED = 1u << 6,  /* its handle is gone; memory lives on for aliases or until its fence */
    AGPU_INSTANCE_ORDERED = 1u << 7, /* which of the two lists of lru.h it is on */
};

/* What building an allocation table reads of an instance: exactly a table entry, with the name in place of
 * reserved0. */
struct agpu_instance_entry {
    uint32_t alloc_id;
    uint32_t flags;   /* AEROGPU_ALLOC_FLAG_READONLY, which a writer clears */
    uint64_t address; /* device address of the pages */
    uint64_t size;    /* bytes as reported */
    uint64_t
        identity; /* handle, process << 32, AGPU_IDENTITY_READY; other in the top bits: look at the record */
};
/* The instance is resident, has one name, and is the only one of its allocation: its entry can go into a
 * table as is. */
#define AGPU_IDENTITY_READY (1ull << 48)

/* By record of the instance, in two plain arrays, so that a table build finds both with one addition each. A
 * mark is the tick of the last lock or table build in the upper 48 bits and, of a build, the entry's place in
 * that table below. */
struct agpu_instance_side {
    struct agpu_instance_entry *entries;
    uint64_t *marks;
    uint32_t room;
};
#define AGPU_MARK_SLOT_BITS 16u

/* A piece of memory under one handle: all of it that is not in the side table. */
struct agpu_instance {
    uint32_t handle;      /* index and generation (handle.h); survives in a free record */
    uint32_t retire_next; /* bytes 4..7: next of those that wait for the same fence, or next free record */
    uint64_t read_fence;  /* newest submission that reads it, 0 = none */
    uint64_t write_fence; /* newest submission that writes it */
    void *cpu;            /* NULL when not resident or in an unmapped segment */
    void *swap;           /* contents while evicted, NULL = all zero */
    uint16_t flags;       /* enum agpu_instance_flag */
    uint16_t process;     /* whose handle this is */
    uint32_t allocation;  /* record of the allocation; 0 in a free record */
    uint32_t range;
    uint32_t lru_prev, lru_next;
    uint32_t sibling;    /* next instance of the same allocation */
    uint32_t target;     /* alias: instance with the memory */
    uint32_t lock_count; /* open locks through every name */
    uint32_t own_locks;  /* open locks through this handle */
    /* 1 + submissions of its process when it was renamed away while unsubmitted commands named it; 0 =
     * they did not */
    uint32_t renamed_at;
    uint32_t resource; /* record of the resource it belongs to, 0 = none */
    uint32_t resource_next;
};

/* agpu_allocation.flags */
enum agpu_allocation_flag {
    AGPU_ALLOCATION_SHARED = 1u << 0,
    AGPU_ALLOCATION_PRIMARY = 1u << 1,
    AGPU_ALLOCATION_STAGING = 1u << 2,
    AGPU_ALLOCATION_CPU_VISIBLE =
        1u << 3, /* as the driver declared it: a recorded hint, no condition (4.1) */
    AGPU_ALLOCATION_CROSS_ADAPTER = 1u << 4,
};

/* What all instances and names of one allocation have in common. */
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
    uint8_t reserved;
};

/* The kernel's hKMResource: allocations created together. */
struct agpu_resource {
    uint32_t handle;
    uint32_t free_link; /* bytes 4..7 */
    uint32_t first_instance;
    uint32_t process;
};

/* A share token, from creation until its release was handed to the device. */
struct agpu_share {
    uint32_t allocation;
    uint32_t next; /* bytes 4..7: bucket, release list, or next free record */
    uint64_t token;
    uint8_t blob[64]; /* private data as the opener gets it */
    uint32_t blob_size;
    uint32_t reserved;
};

struct agpu_vidmm_config {
    uint64_t budget;                 /* bytes of segment 1; 0 = default; clamped (vidmm.md 2) */
    struct agpu_segment_window vram; /* segment 2; size 0 = none */
    struct agpu_vidmm_caps caps;
    uint32_t instance_limit; /* of one renamed allocation; 0 = 4 */
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
};

struct agpu_vidmm {
    struct agpu_memory *memory;
    struct agpu_vidmm_config config;
    struct agpu_segment segments[2]; /* SegmentId - 1 */
    uint32_t segment_count;
    struct agpu_slab instances, allocations, resources, shares;
    struct agpu_instance_side side;
    uint32_t *id_buckets; /* alloc_id -> allocation */
    uint32_t id_bucket_count, id_count;
    uint32_t token_buckets[64]; /* token -> share */
    uint32_t released_first;    /* shares whose last reference is gone and whose release was not yet taken */
    struct agpu_lru lru;
    uint64_t tick;                        /* counts locks and table builds */
    uint64_t submitted, completed;        /* fences */
    uint32_t retire[AGPU_VIDMM_WINDOW];   /* closed instances by the fence that frees them */
    uint32_t mode_pitch;                  /* of the current mode, for primaries without pitch of their own */
    uint32_t renders[AGPU_PROCESS_LIMIT]; /* submissions by process */
    uint64_t next_kernel_id, next_token;
    uint64_t open_locks;
    uint64_t swap_bytes; /* heap held by evicted contents */
    struct agpu_create_trace trace[AGPU_CREATE_TRACE];
    uint64_t trace_count;
    struct agpu_vidmm_counters counters;
};

/* Sets up segments from config (copied). False when the heap is exhausted or the window is unusable. */
bool agpu_vidmm_init(struct agpu_vidmm *vm, struct agpu_memory *memory,
                     const struct agpu_vidmm_config *config);
/* Gives back everything, whoever still uses it: the device must be stopped. */
void agpu_vidmm_fini(struct agpu_vidmm *vm);

/* A submission with this fence is queued, a later one than all before. */
void agpu_vidmm_submitted(struct agpu_vidmm *vm, uint64_t fence);
/* The device has completed all fences up to this one (or lost them in a reset): frees what waited for them.
 * Values outside [completed, submitted] are clamped. */
void agpu_vidmm_complete(struct agpu_vidmm *vm, uint64_t fence);

/* The process gave up, or submitted, all commands that it had recorded. */
void agpu_vidmm_commands_gone(struct agpu_vidmm *vm, uint16_t process);

/* ---- allocations (vidmm.md 3) ---- */

/* One allocation to create. */
struct agpu_create_info {
    void *private_data; /* aerogpu_wddm_alloc_priv or _v2, in and out; NULL = standard allocation */
    uint32_t private_size;
    uint32_t alignment; /* power of two, 0 = page */
    uint64_t size;      /* bytes; in and out */
    uint32_t row_pitch; /* standard allocations and primaries without a blob; 0 = unknown */
    uint32_t rows;
    uint32_t segment_set; /* bit n-1 = segment n; 0 = system memory */
    bool primary;
    bool cross_adapter;    /* vidmm.md 9: needs the capability; mips and layers must be 1 */
    uint32_t mips, layers; /* looked at for cross-adapter allocations only */
    /* out */
    uint32_t handle;
    uint32_t alloc_id;
};

struct agpu_create_request {
    uint16_t process;
    bool shared;          /* CreateShared */
    bool create_resource; /* hand out a resource handle */
    uint32_t count;
    struct agpu_create_info *infos;
    /* out */
    uint32_t resource;
};

/* Creates all of request->infos or none. Errors: vidmm.md 3.1. */
NTSTATUS agpu_vidmm_create(struct agpu_vidmm *vm, struct agpu_create_request *request);

/* Opens a shared allocation under a new handle (vidmm.md 3.3): token names it. The creator's blob, verbatim,
 * goes to blob (64 bytes of room; may be NULL) and its length to blob_size. */
NTSTATUS agpu_vidmm_open(struct agpu_vidmm *vm, uint16_t process, uint64_t token, uint32_t *handle,
                         uint8_t *blob, uint32_t *blob_size);

/* Destroys the allocations named by the handles, then the resource (0 = none) with all that is left in it.
 * Unknown handles and repetitions have no effect; memory in use by the device stays until its fence
 * (vidmm.md 3.4, 3.6). */
NTSTATUS agpu_vidmm_destroy(struct agpu_vidmm *vm, uint16_t process, uint32_t resource,
                            const uint32_t *handles, uint32_t count);
/* Destroys everything that a process left behind. Returns how many handles that were. */
uint32_t agpu_vidmm_close_process(struct agpu_vidmm *vm, uint16_t process);

/* Takes one token whose last reference is gone (vidmm.md 3.5); false when there is none. */
bool agpu_vidmm_take_released(struct agpu_vidmm *vm, uint64_t *token);

/* ---- lock (vidmm.md 4) ---- */

struct agpu_lock_request {
    uint16_t process;
    NTSTATUS gate;   /* what the device's state allows (4.1 steps 3, 4): returned after the argument checks */
    uint32_t flags;  /* D3DDDICB_LOCKFLAGS.Value */
    uint32_t handle; /* in and out */
    bool unsubmitted; /* the caller's unsubmitted command buffer names the allocation */
    bool check_flush; /* fail a lock that forgot to submit (4.3) */
    /* out */
    void *data;
    uint32_t pitch, slice_pitch;
    uint64_t wait_fence; /* STATUS_PENDING: repeat when this fence is complete */
};

/* One attempt. STATUS_PENDING: would wait (never with DonotWait, which gives STATUS_GRAPHICS_GPU_BUSY). */
NTSTATUS agpu_vidmm_lock(struct agpu_vidmm *vm, struct agpu_lock_request *request);
NTSTATUS agpu_vidmm_unlock(struct agpu_vidmm *vm, uint16_t process, uint32_t handle);

/* ---- what submission needs (table.h builds on these) ---- */

/* Gives the instance pages if it has none. Instances used at tick `guard` or later are not evicted for it.
 * Returns STATUS_PENDING when only memory in use by the device stands in the way, with the fence to wait
 * for. */
NTSTATUS agpu_vidmm_make_resident(struct agpu_vidmm *vm, struct agpu_instance *instance, bool may_evict,
                                  uint64_t guard, uint64_t *wait_fence);

#endif
