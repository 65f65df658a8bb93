/* query.h: the kernel driver's answers to dxgkrnl's queries for segments and adapter caps (vidmm.md 2, 10). */
#ifndef AGPU_MM_KMD_QUERY_H
#define AGPU_MM_KMD_QUERY_H

#include "mm/kmd/kmd.h"

/* DXGK_SEGMENTDESCRIPTOR, without the members that have no meaning here. */
struct agpu_segment_report {
    uint32_t id;
    bool aperture, cpu_visible, cache_coherent;
    uint64_t base_address; /* 0: device addresses are guest physical */
    uint64_t size;         /* budget of segment 1, size of segment 2 */
    uint64_t committed;
};

/* Returns the segment with this id (from 1); false past the last one. */
bool agpu_query_segment(const struct agpu_vidmm *vm, uint32_t id, struct agpu_segment_report *out);

/* Paging buffer and memory groups. */
struct agpu_memory_report {
    uint32_t segment_count;
    uint32_t paging_segment, paging_size, paging_private_size;
    uint64_t local_bytes, non_local_bytes; /* memory size reported to applications */
};
struct agpu_memory_report agpu_query_memory(const struct agpu_vidmm *vm);

/* DXGK_DRIVERCAPS, without the members that have no meaning here. */
struct agpu_driver_caps {
    enum agpu_wddm_version version;
    uint32_t max_allocation_list_slot_id;
    uint32_t memory_management_caps;
    uint32_t dma_private_size;
    bool multi_engine_aware, fine_preemption;
    struct agpu_vidmm_caps vidmm;
};
struct agpu_driver_caps agpu_query_driver_caps(const struct agpu_vidmm *vm);

/* Returns the segment and device address of an allocation's pages. False when the handle is invalid or the allocation
 * has no pages now. */
bool agpu_query_placement(const struct agpu_vidmm *vm, uint16_t process, uint32_t handle, uint32_t *segment,
                          uint64_t *address);

/* DxgkDdiLock (vidmm.md 4.7): returns the address of offset in an allocation that is already locked. size 0 = to the
 * end. STATUS_INVALID_PARAMETER: not locked, or the range lies outside; STATUS_NOT_SUPPORTED: another segment. */
NTSTATUS agpu_query_lock_range(const struct agpu_vidmm *vm, uint16_t process, uint32_t handle,
                               uint32_t segment, uint64_t offset, uint64_t size, void **data);

#endif
