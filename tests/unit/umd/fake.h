/* fake.h: a recording stand-in for the runtime's callback table, so that tests of the driver need no mm/, ring/ or
 * pci/. It stores allocations in host memory, captures submissions, and fails, delays or answers as a test requests. */
#ifndef AGPU_TESTS_UNIT_UMD_FAKE_H
#define AGPU_TESTS_UNIT_UMD_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "umd-port/base/adapter.h"
#include "umd-port/base/device.h"
#include "umd-port/ddi/d3d11umddi.h"
#include "umd-port/ddi/environment.h"
#include "umd-port/entry/open.h"

enum fake_call {
    FAKE_ALLOCATE,
    FAKE_DEALLOCATE,
    FAKE_LOCK,
    FAKE_UNLOCK,
    FAKE_RENDER,
    FAKE_PRESENT,
    FAKE_CREATE_CONTEXT,
    FAKE_DESTROY_CONTEXT,
    FAKE_CREATE_FENCE,
    FAKE_DESTROY_FENCE,
    FAKE_WAIT,
    FAKE_GET_BUFFER,
    FAKE_QUERY_FENCE,
    FAKE_HEAP, /* not a callback, but counted by the same countdown */
    FAKE_CALLS,
};

#define FAKE_MAX_ALLOCATIONS 512
#define FAKE_MAX_SUBMISSIONS 1024
#define FAKE_MAX_EVENTS      4096

struct fake_allocation {
    D3DKMT_HANDLE handle;
    D3DKMT_HANDLE km_resource;
    struct aerogpu_wddm_alloc_priv_v2 blob; /* as returned to the driver */
    D3DDDICB_ALLOCATEFLAGS flags;
    D3DDDI_RESOURCEFLAGS resource_flags;
    D3DDDI_ALLOCATIONINFOFLAGS info_flags;
    uint64_t asked_bytes;
    uint8_t *memory;
    uint64_t bytes;
    size_t slack;   /* not the driver's from here on; 0: another record of the memory says */
    size_t reach;   /* the largest data_offset of any lock */
    uint32_t locks; /* locks that are open now */
    bool freed;
};

struct fake_submission {
    uint8_t *stream;
    uint32_t bytes;
    D3DDDI_ALLOCATIONLIST list[64];
    uint32_t list_count;
    uint32_t priv_type;
    bool present;
    D3DKMT_HANDLE present_source;
    uint32_t sync_interval;
    uint64_t fence;
};

struct fake {
    D3DDDI_DEVICECALLBACKS callbacks; /* used directly: tests change members */
    D3DDDI_ADAPTERCALLBACKS adapter_callbacks;
    D3D10DDI_CORELAYER_DEVICECALLBACKS core_callbacks;
    struct agpu_umd_environment env;
    struct agpu_umd_options options;

    /* Answers of the fake. */
    struct aerogpu_umd_private_v1 info;
    bool async;               /* fences complete only by fake_complete() */
    bool no_fences;           /* submissions return fence 0 */
    HRESULT fail[FAKE_CALLS]; /* all calls of that kind fail with this; S_OK: none */
    HRESULT busy_code;        /* answer to a poll of an unfinished fence; 0: HRESULT_NT_TIMEOUT */
    HRESULT wait_result;      /* answer to infinite waits; S_OK: not overridden */
    uint64_t fail_at;         /* the call with this number, over all kinds, fails; 1: the next one; 0: none */
    HRESULT fail_at_code;
    D3DKMT_HANDLE next_handle;     /* handle of the next allocation */
    const D3DKMT_HANDLE *sequence; /* handles to use first, 0-terminated; repeated ones share memory */
    uint32_t pitch_multiple;       /* row pitch is rounded up to this; 0: not rounded */
    uint32_t force_pitch;          /* row pitch to return; 0: not forced */
    uint64_t force_bytes;
    bool zero_bytes; /* returns size 0: exactly the required size */
    bool null_handle, null_km, null_token, no_data;
    uint32_t force_alloc_id;
    uint32_t lock_pitch;  /* row pitch that a lock returns; UINT32_MAX: the allocation's */
    bool keep_pitch;      /* a lock returns no pitch */
    uint32_t data_offset; /* offset of lock pointers in the memory */
    bool rename_on_discard;
    uint32_t buffer_bytes, list_entries, command_offset, priv_bytes; /* sizes of the DMA buffers */

    /* Record of all calls. */
    uint32_t calls[FAKE_CALLS];
    uint64_t total_calls;
    uint8_t events[FAKE_MAX_EVENTS]; /* enum fake_call in order */
    uint32_t event_count;
    struct fake_allocation allocations[FAKE_MAX_ALLOCATIONS];
    uint32_t allocation_count;
    struct fake_submission submissions[FAKE_MAX_SUBMISSIONS];
    uint32_t submission_count;
    uint64_t fence, completed;
    HRESULT errors[64]; /* errors of SetErrorCb, in order */
    uint32_t error_count;
    uint64_t wait_fence; /* of the last wait call */
    uint64_t wait_timeout;
    D3DDDICB_LOCKFLAGS lock_flags; /* of the last lock */
    uint32_t live_blocks;          /* heap blocks of the driver */
    uint32_t log_lines;
    char log[2200];     /* last trace line */
    char log_all[8192]; /* all lines, each with a line break; a test may clear it */

    void *dma[2];
    D3DDDI_ALLOCATIONLIST *lists[2];
    D3DDDI_PATCHLOCATIONLIST patches[2][1];
    uint8_t priv[2][64];
    uint32_t current;
    uint32_t token;
};

/* Prepares a fake in the mode: host has no backing callbacks, guest has them and rounds pitches to 64, wdk is
 * complete. */
void fake_init(struct fake *fake, enum agpu_backing_mode mode);
/* Add the allocate and lock callbacks; the fence query; larger command buffers. */
void fake_add_backing(struct fake *fake);
void fake_add_query(struct fake *fake);
void fake_add_get_buffer(struct fake *fake);
/* Frees captured streams and allocations. */
void fake_free(struct fake *fake);

void fake_complete(struct fake *fake, uint64_t fence);
/* Returns the opcode of the first packet that uses a reserved member, or 0. */
uint32_t fake_reserved_used(const uint8_t *stream, size_t bytes);
struct fake_allocation *fake_find(struct fake *fake, D3DKMT_HANDLE handle);
/* Clears the record of calls, errors and submissions. */
void fake_forget(struct fake *fake);

#endif
