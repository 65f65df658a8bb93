/* aerogpu_legacy_ring.h: ring entries and submission descriptors of the retired "ARGP" device (legacy.md 3,
 * 4). */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_LEGACY_RING_H
#define AGPU_RING_PROTOCOL_AEROGPU_LEGACY_RING_H

#include <stdint.h>

/* Ring entry and submission descriptor (legacy.md 3, 4). */
#define AEROGPU_LEGACY_RING_ENTRY_SUBMIT       0x1u
#define AEROGPU_LEGACY_SUBMISSION_DESC_VERSION 0x1u
#define AEROGPU_LEGACY_SUBMIT_RENDER           0x1u
#define AEROGPU_LEGACY_SUBMIT_PRESENT          0x2u
#define AEROGPU_LEGACY_SUBMIT_PAGING           0x3u

struct aerogpu_legacy_ring_entry_submit {
    uint32_t type; /* AEROGPU_LEGACY_RING_ENTRY_SUBMIT, else the entry is skipped */
    uint32_t flags;
    uint32_t fence;
    uint32_t desc_size; /* >= 32 */
    uint64_t desc_gpa;
};

union aerogpu_legacy_ring_entry {
    uint32_t type;
    struct aerogpu_legacy_ring_entry_submit submit;
};

struct aerogpu_legacy_submission_desc_header {
    uint32_t version; /* AEROGPU_LEGACY_SUBMISSION_DESC_VERSION */
    uint32_t type;    /* AEROGPU_LEGACY_SUBMIT_* */
    uint32_t fence;   /* as in the ring entry */
    uint32_t reserved0;
    uint64_t dma_buffer_gpa;
    uint32_t dma_buffer_size;
    uint32_t allocation_count; /* aerogpu_legacy_submission_desc_allocation that follow */
};

struct aerogpu_legacy_submission_desc_allocation {
    uint64_t allocation_handle; /* driver-private */
    uint64_t gpa;
    uint32_t size_bytes;
    uint32_t alloc_id;
};

#endif
