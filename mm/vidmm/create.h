/* create.h: CreateAllocation and OpenAllocation (vidmm.md 3.1-3.3). */
#ifndef AGPU_MM_VIDMM_CREATE_H
#define AGPU_MM_VIDMM_CREATE_H

#include "mm/vidmm/private_data.h"
#include "mm/vidmm/records.h"

/* Decisions about an allocation before any memory is allocated. Read once from the driver's data, which may change
 * meanwhile. */
struct agpu_create_plan {
    struct agpu_private_data data;
    uint64_t size;
    uint32_t pitch, rows;
    uint32_t segment, spill;
    uint8_t flags; /* enum agpu_allocation_flag */
};

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
    bool texture;          /* the device will sample from it */
    uint32_t mips, layers; /* texture, mips, layers: for cross-adapter allocations only */
    /* out */
    uint32_t handle;
    uint32_t alloc_id;
    struct agpu_create_plan plan; /* private to the manager */
};

struct agpu_create_request {
    uint16_t process;
    bool shared;          /* CreateShared */
    bool create_resource; /* return a resource handle */
    uint32_t count;
    struct agpu_create_info *infos;
    /* out */
    uint32_t resource;
};

/* Creates all of request->infos or none. Errors: vidmm.md 3.1. */
NTSTATUS agpu_vidmm_create(struct agpu_vidmm *vm, struct agpu_create_request *request);

/* Opens a shared allocation, named by token, under a new handle (vidmm.md 3.3). blob (64 bytes; may be NULL) gets the
 * creator's blob unchanged, blob_size its length. */
NTSTATUS agpu_vidmm_open(struct agpu_vidmm *vm, uint16_t process, uint64_t token, uint32_t *handle,
                         uint8_t *blob, uint32_t *blob_size);

#endif
