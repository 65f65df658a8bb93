/* vidmm_client.h: a separate process on the case's runtime that uses the memory manager only through the driver's
 * callbacks: allocations, locks with any flags, and submissions with any allocation list. */
#ifndef AGPU_CASES_RIG_VIDMM_CLIENT_H
#define AGPU_CASES_RIG_VIDMM_CLIENT_H

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/umd_buffers.h"

/* An allocation, with a device buffer of the same size over it. */
struct agpu_client_memory {
    D3DKMT_HANDLE allocation; /* the instance to use: a lock with Discard replaces it */
    D3DKMT_HANDLE resource;
    uint32_t alloc_id;
    uint32_t buffer; /* protocol handle; 0 = none was created */
    uint32_t bytes;
    void *data; /* from the last lock */
};

/* Used by stack_case.c. */
bool agpu_client_open(struct agpu_test *test);
void agpu_client_close(struct agpu_test *test);

/* Allocates, and records the creation of the buffer (and its first load) unless told not to. Remaining allocations
 * are freed after the case. */
bool agpu_client_alloc(struct agpu_test *test, uint32_t bytes, struct agpu_client_memory *out);
HRESULT agpu_client_alloc_only(uint32_t bytes, struct agpu_client_memory *out);
/* Like agpu_client_alloc_only(), in one of these segments (bit n - 1 for segment n). */
HRESULT agpu_client_alloc_in(uint32_t bytes, uint32_t segments, struct agpu_client_memory *out);
void agpu_client_make_buffer(struct agpu_client_memory *memory);

/* Any allocation that AllocateCb supports; 0 leaves a field out. */
struct agpu_client_wish {
    uint32_t bytes;
    uint32_t segments;                          /* bit n - 1 for segment n; 0 = system memory */
    uint32_t width, height, dxgi_format, pitch; /* an image */
    bool shared, primary, cross_adapter;
    bool texture;         /* the device will sample from it */
    bool not_cpu_visible; /* of its private data */
    /* out */
    uint64_t token;
    uint32_t granted_pitch, granted_bytes;
};
HRESULT agpu_client_allocate(struct agpu_client_wish *wish, struct agpu_client_memory *out);
/* Opens a shared allocation of another process as this one. Closed after the case at the latest. */
HRESULT agpu_client_open_shared(uint64_t token, struct agpu_client_memory *out);
/* Return the allocation's segment and device address; 0 if it has no pages. */
uint32_t agpu_client_segment(const struct agpu_client_memory *memory);
uint64_t agpu_client_address(const struct agpu_client_memory *memory);
/* Records the destruction of the buffer, submits, and deallocates. */
void agpu_client_free(struct agpu_test *test, struct agpu_client_memory *memory);

/* LockCb and UnlockCb with these D3DDDICB_LOCKFLAGS bits. */
#define AGPU_LOCK_READ            0x1u
#define AGPU_LOCK_WRITE           0x2u
#define AGPU_LOCK_DONOTWAIT       0x4u
#define AGPU_LOCK_IGNORESYNC      0x8u
#define AGPU_LOCK_ENTIRE          0x10u
#define AGPU_LOCK_DONOTEVICT      0x20u
#define AGPU_LOCK_ACQUIREAPERTURE 0x40u
#define AGPU_LOCK_DISCARD         0x80u
#define AGPU_LOCK_NOREFERENCE     0x100u
#define AGPU_LOCK_ALTERNATEVA     0x200u
#define AGPU_LOCK_IGNOREREADSYNC  0x400u
HRESULT agpu_client_lock(struct agpu_client_memory *memory, uint32_t flags);
HRESULT agpu_client_unlock(struct agpu_client_memory *memory);
/* Locks for writing with flags, copies data to the start, unlocks, and records the dirty range. */
bool agpu_client_write(struct agpu_test *test, struct agpu_client_memory *memory, uint32_t flags,
                       const void *data, uint32_t bytes);
/* Locks for reading, compares, unlocks. */
#define agpu_client_check(t, memory, expected, bytes)                                                        \
    agpu_client_check_at((t), (memory), (expected), (bytes), AGPU_HERE)
bool agpu_client_check_at(struct agpu_test *test, struct agpu_client_memory *memory, const void *expected,
                          uint32_t bytes, struct agpu_where where);

/* ---- the current command buffer ---- */

/* Appends a packet, zeroed except for its header; never NULL. */
void *agpu_client_packet(uint32_t opcode, uint32_t size);
void agpu_client_nop(void);
/* Return the write position; append NOPs until this many bytes, at most all, are in use. */
const void *agpu_client_buffer(void);
void agpu_client_fill(uint32_t bytes);
/* Adds to the allocation list. */
void agpu_client_list(D3DKMT_HANDLE allocation, bool write);
/* Copies all of the smaller size with write-back, and lists both allocations accordingly. */
void agpu_client_copy(const struct agpu_client_memory *dst, const struct agpu_client_memory *src);
/* RenderCb with the recorded packets, which are discarded whatever the result. */
HRESULT agpu_client_render(void);
/* RenderCb of an empty stream whose list names the allocation, in a second context of the process: once in a case. */
HRESULT agpu_client_render_beside(D3DKMT_HANDLE allocation);
/* Returns why the client is lost; S_OK if it is not. */
HRESULT agpu_client_lost(void);
/* Calls agpu_client_render() and checks that it succeeds. */
#define agpu_client_submit(t) agpu_check_hr((t), agpu_client_render(), S_OK)

/* Forgets the client after the runner terminated the case; its memory is freed separately. */
void agpu_client_forget(void);

#endif
