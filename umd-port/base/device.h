/* device.h: one device: its immediate context, its callbacks, its submissions and fences (umd.md 3.3, 12). */
#ifndef AGPU_UMD_BASE_DEVICE_H
#define AGPU_UMD_BASE_DEVICE_H

#include "umd-port/base/adapter.h"
#include "umd-port/base/alloc_list.h"
#include "umd-port/base/context.h"
#include "umd-port/ddi/d3d11umddi.h"

/* The runtime's buffers for the next submission; all zero while there is no kernel context. */
struct agpu_submit_buffers {
    void *dma;
    void *command;
    D3DDDI_ALLOCATIONLIST *list;
    D3DDDI_PATCHLOCATIONLIST *patches;
    void *priv;
    uint32_t command_bytes;
    uint32_t list_entries;
    uint32_t patch_entries;
    uint32_t priv_bytes;
};

struct agpu_buffer_copy;

/* What a device without a runtime behind it does instead: the recorder of a deferred context. */
struct agpu_recorder {
    /* For a submission: what follows may refer to other allocations than what is recorded. */
    HRESULT (*split)(struct agpu_device *);
    /* For a copy of bytes that the device cannot do: records it. */
    HRESULT (*copy_bytes)(struct agpu_device *, const struct agpu_buffer_copy *);
};

struct agpu_device {
    struct agpu_context imm; /* first: a device handle is its immediate context's handle */
    struct agpu_alloc_list allocs;
    uint32_t lost_in_a_row; /* submissions that failed since the last that did not */
    HRESULT removed;        /* why the device is lost, as far as callbacks said; S_OK = it is not */
    bool list_oom;          /* the list could not grow: the next submission fails and starts afresh */
    const D3DDDI_DEVICECALLBACKS *callbacks;
    D3D10DDI_HRTDEVICE runtime;
    const struct agpu_umd_environment *env;
    struct agpu_adapter *adapter;
    uint32_t vertex_slots;                 /* 16 for Direct3D 10, 32 for 11 */
    struct agpu_resource *pending_staging; /* written by recorded copies, not submitted yet */
    uint64_t last_submitted_fence;
    uint64_t completed_fence;
    HANDLE kernel_context;
    D3DKMT_HANDLE fence_object;
    struct agpu_submit_buffers buffers;
    uint32_t passage; /* handle of the buffer that streamed updates pass through; 0 = not created */
    struct agpu_sharing *sharing;         /* what contexts share; NULL: deferred contexts are not offered */
    const struct agpu_recorder *recorder; /* NULL: a device */
};

static inline enum agpu_backing_mode agpu_mode(const struct agpu_device *device)
{
    return device->imm.options->backing_mode;
}

#endif
