/* types.h: the records of the runtime, for the files of this directory only. */
#ifndef AGPU_MM_RUNTIME_TYPES_H
#define AGPU_MM_RUNTIME_TYPES_H

#include "mm/runtime/api.h"
#include "mm/runtime/config.h"
#include "umd-port/ddi/d3dddicb.h"

#define AGPU_PRIVATE_BYTES    64u
#define AGPU_RUNTIME_MAX_INFO 1024u /* allocations of one AllocateCb */

/* Command buffer, allocation list and private data of one submission; a context uses several in turn (vidmm.md 6.5). */
struct agpu_runtime_buffer {
    uint32_t block; /* block in the kernel driver's pool */
    uint32_t bytes;
    D3DDDI_ALLOCATIONLIST *list; /* handle 0 in entries that the driver did not fill */
    D3DDDI_PATCHLOCATIONLIST patch[1];
    uint64_t private_data[AGPU_PRIVATE_BYTES / sizeof(uint64_t)];
    uint64_t fence; /* busy until this fence */
};

struct agpu_runtime_context {
    struct agpu_kmd_context kmd; /* first member: contexts are found through it */
    struct agpu_runtime_device *device;
    struct agpu_runtime_context *next;
    D3DKMT_HANDLE sync; /* synchronisation object of its fence, 0 = not created */
    uint32_t current;
    struct agpu_runtime_buffer *buffers;
    uint64_t presents[AGPU_PRESENT_LATENCY_MAX]; /* fences of the last presents (vidmm.md 6.6) */
    uint32_t next_present;
};

struct agpu_runtime_device {
    struct agpu_runtime *runtime;
    struct agpu_runtime_device *next;
    struct agpu_runtime_context *contexts;
    struct agpu_runtime_deferred *deferred; /* deferred.c */
    struct agpu_saved_state *saved_state;   /* saved_state.c; NULL: not recorded */
    struct agpu_local_sizes *local_sizes;   /* local_sizes.c; NULL: not polled */
    struct agpu_runtime_error_record errors;
    struct agpu_api api;
    uint16_t process;
};

struct agpu_runtime {
    struct agpu_runtime_config config;
    struct agpu_memory memory;
    struct agpu_kmd kmd;
    struct agpu_umd_environment environment;
    D3DDDI_ADAPTERCALLBACKS adapter_callbacks;
    struct agpu_runtime_device *devices;
    uint64_t umd_heap_blocks;
    uint64_t umd_heap_left; /* number of blocks that the driver may still allocate */
    uint32_t next_object;   /* next protocol handle, one counter for all devices (umd.md 3.1) */
    uint32_t next_sync;
    uint32_t leaked_contexts, leaked_syncs; /* leaks of destroyed devices */
};

#endif
