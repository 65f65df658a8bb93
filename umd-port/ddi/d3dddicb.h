/* d3dddicb.h: the runtime's callbacks for a device, and their arguments (umd.md 4): the driver's only interface to its
 * surroundings. Names are those of the Windows Driver Kit; umd.md 18 lists the structures that have its layout: its
 * members first, also those that this stack does not use, which are 0. Members marked "extension" follow. They carry
 * data that Windows passes in other ways (segment caps, monitored fence memory, private DMA data of the kernel driver).
 * The callback fills the members marked "out" and those below an "out" comment, the driver all others. */
#ifndef AGPU_UMD_DDI_D3DDDICB_H
#define AGPU_UMD_DDI_D3DDDICB_H

#include <stddef.h>
#include <stdint.h>

#include "umd-port/ddi/d3dkmt.h"
#include "umd-port/ddi/hresult.h"

/* ---- allocations ---- */

typedef struct D3DDDI_ALLOCATIONINFOFLAGS {
    union {
        struct {
            uint32_t Primary : 1;
            uint32_t Reserved : 31;
        };
        uint32_t Value;
    };
} D3DDDI_ALLOCATIONINFOFLAGS;

typedef struct D3DDDI_ALLOCATIONINFO {
    D3DKMT_HANDLE hAllocation; /* out */
    const void *pSystemMem;
    /* aerogpu_wddm_alloc_priv_v2, in and out: returns alloc_id, share_token, size, pitch */
    void *pPrivateDriverData;
    uint32_t PrivateDriverDataSize; /* 64 */
    uint32_t VidPnSourceId;
    D3DDDI_ALLOCATIONINFOFLAGS Flags;
    /* extension; because of it the entries of an array are longer than the kit's */
    uint64_t Size;                    /* bytes; out: final size, 0 = as requested */
    uint32_t Alignment;               /* 0 = default */
    uint32_t SupportedReadSegmentSet; /* bit n-1 = segment n */
    uint32_t SupportedWriteSegmentSet;
} D3DDDI_ALLOCATIONINFO;

typedef struct D3DDDICB_ALLOCATEFLAGS {
    union {
        struct {
            uint32_t CreateResource : 1;
            uint32_t CreateShared : 1;
            uint32_t Primary : 1;
            /* extension: D3DKMT_CREATEALLOCATIONFLAGS.CrossAdapter, a surface that two adapters share
             * (vidmm.md 9) */
            uint32_t CrossAdapter : 1;
            uint32_t Reserved : 28;
        };
        uint32_t Value;
    };
} D3DDDICB_ALLOCATEFLAGS;

typedef struct D3DDDI_RESOURCEFLAGS {
    union {
        struct {
            uint32_t RenderTarget : 1;
            uint32_t ZBuffer : 1;
            uint32_t Other : 14;
            uint32_t Texture : 1;
            uint32_t Reserved : 15;
        };
        uint32_t Value;
    };
} D3DDDI_RESOURCEFLAGS;

typedef struct D3DDDICB_ALLOCATE {
    const void *pPrivateDriverData; /* of the resource: none */
    uint32_t PrivateDriverDataSize;
    HANDLE hResource;          /* the runtime's resource */
    D3DKMT_HANDLE hKMResource; /* out */
    uint32_t NumAllocations;
    D3DDDI_ALLOCATIONINFO *pAllocationInfo;
    /* extension */
    D3DDDICB_ALLOCATEFLAGS Flags;
    D3DDDI_RESOURCEFLAGS ResourceFlags;
} D3DDDICB_ALLOCATE;

typedef struct D3DDDICB_DEALLOCATE {
    HANDLE hResource;
    uint32_t NumAllocations;
    const D3DKMT_HANDLE *HandleList;
    D3DKMT_HANDLE hKMResource; /* extension */
} D3DDDICB_DEALLOCATE;

/* ---- lock ---- */

/* Bit order of umd.md 1.3: ReadOnly is bit 0. */
typedef struct D3DDDICB_LOCKFLAGS {
    union {
        struct {
            uint32_t ReadOnly : 1;
            uint32_t WriteOnly : 1;
            uint32_t DonotWait : 1;
            uint32_t IgnoreSync : 1;
            uint32_t LockEntire : 1;
            uint32_t DonotEvict : 1;
            uint32_t AcquireAperture : 1;
            uint32_t Discard : 1;
            uint32_t NoExistingReference : 1;
            uint32_t UseAlternateVA : 1;
            uint32_t IgnoreReadSync : 1;
            uint32_t Reserved : 21;
        };
        uint32_t Value;
    };
} D3DDDICB_LOCKFLAGS;

typedef struct D3DDDICB_LOCK {
    D3DKMT_HANDLE hAllocation; /* in and out: after Discard the locked instance (vidmm.md 4.4) */
    uint32_t PrivateDriverData;
    uint32_t NumPages; /* 0: the whole allocation */
    const uint32_t *pPages;
    void *pData; /* out */
    D3DDDICB_LOCKFLAGS Flags;
    uint64_t GpuVirtualAddress;
    /* extension, out */
    uint32_t Pitch;      /* bytes per row; 0 = the driver's own pitch applies */
    uint32_t SlicePitch; /* bytes a slice; 0 = pitch * rows */
} D3DDDICB_LOCK;

typedef struct D3DDDICB_UNLOCK {
    uint32_t NumAllocations;
    const D3DKMT_HANDLE *phAllocations;
} D3DDDICB_UNLOCK;

/* ---- contexts, command buffers, submission ---- */

typedef struct D3DDDI_ALLOCATIONLIST {
    D3DKMT_HANDLE hAllocation;
    union {
        struct {
            uint32_t WriteOperation : 1; /* clear in every entry of an alloc_id = READONLY in the table */
            uint32_t DoNotRetireInstance : 1;
            uint32_t Reserved : 30;
        };
        uint32_t Value;
    };
} D3DDDI_ALLOCATIONLIST;

typedef struct D3DDDI_PATCHLOCATIONLIST {
    uint32_t AllocationIndex;
    union {
        struct {
            uint32_t SlotId : 24;
            uint32_t Reserved : 8;
        };
        uint32_t Value;
    };
    uint32_t DriverId;
    uint32_t AllocationOffset;
    uint32_t PatchOffset;
    uint32_t SplitOffset;
} D3DDDI_PATCHLOCATIONLIST;

#define D3DDDI_MAX_BROADCAST_CONTEXT 64

/* First 16 bytes of the private data of a DMA buffer (umd.md 12.3); the kernel driver replaces MetaHandle. */
#define AGPU_DMA_PRIV_RENDER  1u
#define AGPU_DMA_PRIV_PRESENT 2u
#define AGPU_DMA_PRIV_PAGING  3u
typedef struct AGPU_DMA_PRIV {
    uint32_t Type; /* AGPU_DMA_PRIV_* */
    uint32_t Reserved0;
    uint64_t MetaHandle;
} AGPU_DMA_PRIV;

/* The buffers for the next submission of a context. The driver fills pCommandBuffer (at most CommandBufferSize bytes,
 * less the offset of pCommandBuffer in pDmaBuffer), pAllocationList and the private data, then calls Render or Present.
 * Success returns the next set and makes the old pointers invalid; failure leaves the set current. pDmaBuffer and the
 * private data are extensions. */
typedef struct D3DDDICB_CREATECONTEXT {
    uint32_t NodeOrdinal;
    uint32_t EngineAffinity;
    uint32_t Flags; /* 0 */
    void *pPrivateDriverData;
    uint32_t PrivateDriverDataSize;
    /* out */
    HANDLE hContext;
    void *pCommandBuffer;
    uint32_t CommandBufferSize;
    D3DDDI_ALLOCATIONLIST *pAllocationList;
    uint32_t AllocationListSize; /* entries */
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationList;
    uint32_t PatchLocationListSize;
    /* extension, out */
    void *pDmaBuffer;
    void *pDmaBufferPrivateData;
    uint32_t DmaBufferPrivateDataSize; /* at least 16 */
} D3DDDICB_CREATECONTEXT;

typedef struct D3DDDICB_DESTROYCONTEXT {
    HANDLE hContext;
} D3DDDICB_DESTROYCONTEXT;

/* Extension: requests a set whose command buffer holds RequestedSize bytes. Success replaces the context's current set,
 * which is dropped unsubmitted; failure leaves it. */
typedef struct D3DDDICB_GETCOMMANDBUFFER {
    HANDLE hContext;
    uint32_t RequestedSize;
    /* out */
    void *pDmaBuffer;
    void *pCommandBuffer;
    uint32_t CommandBufferSize;
    D3DDDI_ALLOCATIONLIST *pAllocationList;
    uint32_t AllocationListSize;
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationList;
    uint32_t PatchLocationListSize;
    void *pDmaBufferPrivateData;
    uint32_t DmaBufferPrivateDataSize;
} D3DDDICB_GETCOMMANDBUFFER;

/* BroadcastContext and QueuedBufferCount are not used and not written. */
typedef struct D3DDDICB_RENDER {
    uint32_t CommandLength; /* bytes written to pCommandBuffer, stream header included */
    uint32_t CommandOffset; /* 0 */
    uint32_t NumAllocations;
    uint32_t NumPatchLocations; /* 0 */
    void *pNewCommandBuffer;    /* out, like the other New members */
    uint32_t NewCommandBufferSize;
    D3DDDI_ALLOCATIONLIST *pNewAllocationList;
    uint32_t NewAllocationListSize;
    D3DDDI_PATCHLOCATIONLIST *pNewPatchLocationList;
    uint32_t NewPatchLocationListSize;
    uint32_t Flags; /* 0 */
    HANDLE hContext;
    uint32_t BroadcastContextCount; /* 0 */
    HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
    uint32_t QueuedBufferCount;
    /* extension, out */
    uint64_t NewFenceValue; /* value that the context's fence reaches when this submission is done */
    void *pNewDmaBuffer;
    void *pNewDmaBufferPrivateData;
    uint32_t NewDmaBufferPrivateDataSize;
} D3DDDICB_RENDER;

typedef struct D3DDDICB_PRESENT {
    D3DKMT_HANDLE hSrcAllocation; /* backbuffer; 0 when it has none */
    D3DKMT_HANDLE hDstAllocation; /* 0 */
    HANDLE hContext;
    uint32_t BroadcastContextCount; /* 0 */
    HANDLE BroadcastContext[D3DDDI_MAX_BROADCAST_CONTEXT];
    /* extension */
    D3DDDICB_RENDER *pSubmission; /* the recorded packets of hContext, PRESENT last, submitted together */
    uint32_t SyncInterval;
} D3DDDICB_PRESENT;

/* ---- fences ---- */

#define AGPU_WAIT_POLL     0ull
#define AGPU_WAIT_INFINITE UINT64_MAX

typedef struct D3DDDI_SYNCHRONIZATIONOBJECTINFO {
    uint32_t Type; /* not used, like Reserved */
    uint32_t Reserved[16];
} D3DDDI_SYNCHRONIZATIONOBJECTINFO;

typedef struct D3DDDICB_CREATESYNCHRONIZATIONOBJECT {
    D3DDDI_SYNCHRONIZATIONOBJECTINFO Info;
    D3DKMT_HANDLE hSyncObject; /* out */
    HANDLE hContext;           /* extension: the fence is this context's submission fence */
} D3DDDICB_CREATESYNCHRONIZATIONOBJECT;

typedef struct D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE hSyncObject;
} D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT;

#define D3DDDI_MAX_OBJECT_WAITED_ON 32

/* Satisfied when the fence has reached FenceValue. Polling an unfinished fence returns a busy code (umd.md 6.6); the
 * kernel's time-out detection bounds an infinite wait. */
typedef struct D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT {
    HANDLE hContext;
    uint32_t ObjectCount;                                         /* 1 */
    D3DKMT_HANDLE ObjectHandleArray[D3DDDI_MAX_OBJECT_WAITED_ON]; /* only ObjectCount of them are written */
    /* extension */
    uint64_t FenceValue;
    uint64_t Timeout; /* AGPU_WAIT_POLL or AGPU_WAIT_INFINITE */
} D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT;

/* Extension: returns the last completed fence of a context without waiting. */
typedef struct D3DDDICB_QUERYCOMPLETEDFENCE {
    HANDLE hContext;
    /* out */
    uint64_t FenceValue;
} D3DDDICB_QUERYCOMPLETEDFENCE;

/* Extension: the result of D3DKMTGetDeviceState for a device. */
typedef struct D3DDDICB_GETDEVICESTATE {
    /* out: S_OK, or the reason of the loss: DXGI_ERROR_DEVICE_HUNG, _RESET, _REMOVED */
    HRESULT Reason;
} D3DDDICB_GETDEVICESTATE;

/* ---- the table ---- */

/* An entry of the kit's table that this stack does not call: NULL. */
typedef HRESULT (*D3DDDI_UNUSED_CALLBACK)(HANDLE hDevice, const void *args);

/* hDevice is always the runtime's device handle (hRTDevice). The driver stores the pointer to the table and reads a
 * member at each use. Required: Allocate, Deallocate, Lock, Unlock, Render, Present, CreateContext, DestroyContext,
 * CreateSynchronizationObject, DestroySynchronizationObject, WaitForSynchronizationObject; the others may be NULL.
 * (Backing modes host and guest, umd.md 5.3, tolerate NULL for all.) */
typedef struct D3DDDI_DEVICECALLBACKS {
    HRESULT (*pfnAllocateCb)(HANDLE hDevice, D3DDDICB_ALLOCATE *args);
    HRESULT (*pfnDeallocateCb)(HANDLE hDevice, const D3DDDICB_DEALLOCATE *args);
    D3DDDI_UNUSED_CALLBACK pfnSetPriorityCb;
    D3DDDI_UNUSED_CALLBACK pfnQueryResidencyCb;
    D3DDDI_UNUSED_CALLBACK pfnSetDisplayModeCb;
    HRESULT (*pfnPresentCb)(HANDLE hDevice, D3DDDICB_PRESENT *args);
    HRESULT (*pfnRenderCb)(HANDLE hDevice, D3DDDICB_RENDER *args);
    HRESULT (*pfnLockCb)(HANDLE hDevice, D3DDDICB_LOCK *args);
    HRESULT (*pfnUnlockCb)(HANDLE hDevice, const D3DDDICB_UNLOCK *args);
    D3DDDI_UNUSED_CALLBACK pfnEscapeCb;
    D3DDDI_UNUSED_CALLBACK pfnCreateOverlayCb;
    D3DDDI_UNUSED_CALLBACK pfnUpdateOverlayCb;
    D3DDDI_UNUSED_CALLBACK pfnFlipOverlayCb;
    D3DDDI_UNUSED_CALLBACK pfnDestroyOverlayCb;
    HRESULT (*pfnCreateContextCb)(HANDLE hDevice, D3DDDICB_CREATECONTEXT *args);
    HRESULT (*pfnDestroyContextCb)(HANDLE hDevice, const D3DDDICB_DESTROYCONTEXT *args);
    HRESULT (*pfnCreateSynchronizationObjectCb)(HANDLE hDevice, D3DDDICB_CREATESYNCHRONIZATIONOBJECT *args);
    HRESULT(*pfnDestroySynchronizationObjectCb)
    (HANDLE hDevice, const D3DDDICB_DESTROYSYNCHRONIZATIONOBJECT *args);
    HRESULT(*pfnWaitForSynchronizationObjectCb)
    (HANDLE hDevice, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT *args);
    D3DDDI_UNUSED_CALLBACK pfnSignalSynchronizationObjectCb;
    D3DDDI_UNUSED_CALLBACK pfnSetAsyncCallbacksCb;
    D3DDDI_UNUSED_CALLBACK pfnSetDisplayPrivateDriverFormatCb;
    /* extension, optional */
    HRESULT (*pfnGetCommandBufferCb)(HANDLE hDevice, D3DDDICB_GETCOMMANDBUFFER *args);
    HRESULT (*pfnQueryCompletedFenceCb)(HANDLE hDevice, D3DDDICB_QUERYCOMPLETEDFENCE *args);
    HRESULT (*pfnGetDeviceStateCb)(HANDLE hDevice, D3DDDICB_GETDEVICESTATE *args);
} D3DDDI_DEVICECALLBACKS;

/* ---- adapter ---- */

/* The kernel driver's private record about the adapter: aerogpu_umd_private_v1, 64 bytes. */
typedef struct D3DDDICB_QUERYADAPTERINFO {
    void *pPrivateDriverData; /* filled by the callback */
    uint32_t PrivateDriverDataSize;
} D3DDDICB_QUERYADAPTERINFO;

struct agpu_umd_environment;

/* hAdapter is the runtime's adapter handle (hRTAdapter). */
typedef struct D3DDDI_ADAPTERCALLBACKS {
    HRESULT (*pfnQueryAdapterInfoCb)(HANDLE hAdapter, const D3DDDICB_QUERYADAPTERINFO *args);
    const struct agpu_umd_environment *pEnvironment; /* extension, required: umd-port/ddi/environment.h */
} D3DDDI_ADAPTERCALLBACKS;

#endif
