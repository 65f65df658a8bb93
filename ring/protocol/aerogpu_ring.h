/* aerogpu_ring.h: memory layouts of the submission ring, its descriptors, the allocation table and the fence
 * page (ring.md 1, 3, 5, 8). Integers are little-endian; every structure has its natural layout. */
#ifndef AGPU_RING_PROTOCOL_AEROGPU_RING_H
#define AGPU_RING_PROTOCOL_AEROGPU_RING_H

#include <stdint.h>

/* Flags and engines of a submission descriptor (ring.md 3). */
#define AEROGPU_SUBMIT_FLAG_NONE    0x0u
#define AEROGPU_SUBMIT_FLAG_PRESENT 0x1u /* the stream contains a present */
#define AEROGPU_SUBMIT_FLAG_NO_IRQ  0x2u /* its fence raises no interrupt */

#define AEROGPU_ENGINE_0 0x0u

/* Magic numbers of the three structures in guest memory: "ALOC", "ARNG", "FENC" in memory order. */
#define AEROGPU_ALLOC_TABLE_MAGIC 0x434F4C41u
#define AEROGPU_RING_MAGIC        0x474E5241u
#define AEROGPU_FENCE_PAGE_MAGIC  0x434E4546u

/* Flags of an allocation entry (ring.md 8). */
#define AEROGPU_ALLOC_FLAG_NONE     0x0u
#define AEROGPU_ALLOC_FLAG_READONLY 0x1u /* the device must not write that memory */

/* Allocation table (ring.md 8): valid for one submission, maps alloc_id to guest memory. */
struct aerogpu_alloc_table_header {
    uint32_t magic;              /* AEROGPU_ALLOC_TABLE_MAGIC */
    uint32_t abi_version;        /* major must be 1 */
    uint32_t size_bytes;         /* header and entries; what follows is ignored */
    uint32_t entry_count;        /* may be 0 */
    uint32_t entry_stride_bytes; /* >= 32 */
    uint32_t reserved0;
};

struct aerogpu_alloc_entry {
    uint32_t alloc_id;   /* non-zero, unique in the table */
    uint32_t flags;      /* AEROGPU_ALLOC_FLAG_* */
    uint64_t gpa;        /* may be 0, no alignment required */
    uint64_t size_bytes; /* non-zero */
    uint64_t reserved0;
};

/* Submission descriptor (ring.md 3): the first 64 bytes of a ring slot. */
struct aerogpu_submit_desc {
    uint32_t desc_size_bytes; /* 64 .. entry stride */
    uint32_t flags;           /* AEROGPU_SUBMIT_FLAG_* */
    uint32_t context_id;      /* driver-defined */
    uint32_t engine_id;       /* AEROGPU_ENGINE_0 */
    uint64_t cmd_gpa;         /* command buffer; zero together with its size for an empty submission */
    uint32_t cmd_size_bytes;  /* its capacity */
    uint32_t cmd_reserved0;
    uint64_t alloc_table_gpa; /* zero together with its size when absent */
    uint32_t alloc_table_size_bytes;
    uint32_t alloc_table_reserved0;
    uint64_t signal_fence; /* value to complete, 0 = none */
    uint64_t reserved0;
};

/* Ring header at RING_GPA (ring.md 1); slots follow at 64 + slot * entry_stride_bytes. */
struct aerogpu_ring_header {
    uint32_t magic;              /* AEROGPU_RING_MAGIC */
    uint32_t abi_version;        /* major must be 1 */
    uint32_t size_bytes;         /* header and slots, <= RING_SIZE_BYTES */
    uint32_t entry_count;        /* non-zero power of two */
    uint32_t entry_stride_bytes; /* >= 64 */
    uint32_t flags;
    uint32_t head; /* written by the device: entries consumed, free-running */
    uint32_t tail; /* written by the driver: entries posted, free-running */
    uint32_t reserved0;
    uint32_t reserved1;
    uint64_t reserved2[3];
};

/* Fence page at FENCE_GPA (ring.md 5), written by the device whenever the completed fence advances. */
struct aerogpu_fence_page {
    uint32_t magic;       /* AEROGPU_FENCE_PAGE_MAGIC */
    uint32_t abi_version; /* of the device */
    uint64_t completed_fence;
    uint64_t reserved0[5]; /* never written by the device */
};

#endif
