/* handle.h: 32-bit kernel handles: bit 31 kind, bits 21-30 generation, bits 0-20 record. A handle that was
 * closed is not valid again until its record was recycled 1024 times, and records rest as long as possible
 * (slab.h). */
#ifndef AGPU_MM_VIDMM_HANDLE_H
#define AGPU_MM_VIDMM_HANDLE_H

#include "mm/vidmm/vidmm.h"

#define AGPU_HANDLE_INDEX_MASK     0x001FFFFFu
#define AGPU_HANDLE_GENERATION     0x00200000u
#define AGPU_HANDLE_GENERATION_ALL 0x7FE00000u
#define AGPU_HANDLE_RESOURCE       0x80000000u

/* Handle for a record, given the handle that the record had before (0 = never used). */
static inline uint32_t agpu_handle_next(uint32_t previous, uint32_t index, uint32_t kind)
{
    return kind | ((previous + AGPU_HANDLE_GENERATION) & AGPU_HANDLE_GENERATION_ALL) | index;
}

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
    return &vm->side.entries[agpu_instance_index(instance)];
}

static inline uint64_t *agpu_instance_mark(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    return &vm->side.marks[agpu_instance_index(instance)];
}

/* Tick of the last lock or table build. */
static inline uint64_t agpu_instance_last_use(const struct agpu_vidmm *vm,
                                              const struct agpu_instance *instance)
{
    return *agpu_instance_mark(vm, instance) >> AGPU_MARK_SLOT_BITS;
}

static inline void agpu_instance_touch(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    *agpu_instance_mark(vm, instance) = vm->tick << AGPU_MARK_SLOT_BITS;
}

static inline uint64_t agpu_instance_identity(uint32_t handle, uint16_t process)
{
    return AGPU_IDENTITY_READY | (uint64_t)process << 32 | handle;
}

/* The record behind a handle of this process, alias records included; NULL when the handle is not valid
 * there. */
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

/* The instance whose memory a record names. */
static inline struct agpu_instance *agpu_instance_target(const struct agpu_vidmm *vm,
                                                         struct agpu_instance *record)
{
    return (record->flags & AGPU_INSTANCE_ALIAS) != 0 ? agpu_instance_at(vm, record->target) : record;
}

/* Newest fence of any use. */
static inline uint64_t agpu_instance_fence(const struct agpu_instance *instance)
{
    return instance->read_fence > instance->write_fence ? instance->read_fence : instance->write_fence;
}

/* True while commands that name this older instance may still be submitted: it is neither recycled nor
 * emptied. */
static inline bool agpu_instance_recorded(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    return instance->renamed_at != 0 &&
           instance->renamed_at == vm->renders[instance->process % AGPU_PROCESS_LIMIT] + 1u;
}

static inline bool agpu_instance_busy(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    return agpu_instance_fence(instance) > vm->completed;
}

/* ---- internal to mm/: records ---- */

/* A cleared record with a fresh handle; NULL when exhausted. allocation stays 0 until the caller sets it. */
struct agpu_instance *agpu_instance_new(struct agpu_vidmm *vm);
/* Brings the entry in the side table up to date; after every change of flags. address is kept there alone. */
void agpu_instance_publish(struct agpu_vidmm *vm, struct agpu_instance *instance);
/* Frees the record only. */
void agpu_instance_free(struct agpu_vidmm *vm, struct agpu_instance *instance);

/* alloc_id table. Index of the allocation, 0 = none. */
uint32_t agpu_id_find(const struct agpu_vidmm *vm, uint32_t alloc_id);
bool agpu_id_insert(struct agpu_vidmm *vm, uint32_t allocation);
void agpu_id_remove(struct agpu_vidmm *vm, uint32_t allocation);

/* Shares. Index of a live share, 0 = none. */
uint32_t agpu_share_find(const struct agpu_vidmm *vm, uint64_t token);
/* New share with the next token for the allocation; 0 when exhausted. */
uint32_t agpu_share_new(struct agpu_vidmm *vm, uint32_t allocation);
/* Makes the token unknown. announce: queue it for agpu_vidmm_take_released, else forget it. */
void agpu_share_drop(struct agpu_vidmm *vm, uint32_t share, bool announce);

/* Gives the pages (and evicted contents) of an instance back; the record stays. */
void agpu_instance_release_pages(struct agpu_vidmm *vm, struct agpu_instance *instance);
/* Frees an instance of a dead allocation, and the allocation with its last one. */
void agpu_instance_destroy(struct agpu_vidmm *vm, struct agpu_instance *instance);
/* Places an instance in its segment, evicting as agpu_vidmm_make_resident describes. */
NTSTATUS agpu_residency_place(struct agpu_vidmm *vm, const struct agpu_allocation *allocation, bool may_evict,
                              uint64_t guard, struct agpu_placement *out, uint64_t *wait_fence);

/* Discard of an instance in use (vidmm.md 4.4): *instance becomes the new latest one. unsubmitted: commands
 * that are not submitted yet name the old one. */
NTSTATUS agpu_vidmm_rename(struct agpu_vidmm *vm, struct agpu_instance **instance, bool unsubmitted,
                           bool may_evict, uint64_t *wait_fence);

#endif
