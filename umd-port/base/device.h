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
struct agpu_texture_copy;

/* Operations of a device without a runtime: the recorder of a deferred context. */
struct agpu_recorder {
    /* Replaces a submission: later packets may refer to other allocations than the recorded ones. */
    HRESULT (*split)(struct agpu_device *);
    /* Record copies that the device cannot do: of bytes, and between formats. */
    HRESULT (*copy_bytes)(struct agpu_device *, const struct agpu_buffer_copy *);
    HRESULT (*copy_across)(struct agpu_device *, const struct agpu_texture_copy *);
};

struct agpu_device {
    struct agpu_context imm; /* first member: a device handle is its immediate context's handle */
    struct agpu_alloc_list allocs;
    uint32_t lost_in_a_row; /* failed submissions since the last successful one */
    HRESULT removed;        /* reason from a callback why the device is lost; S_OK = not lost */
    bool list_oom;          /* the list could not grow: the next submission fails and resets it */
    const D3DDDI_DEVICECALLBACKS *callbacks;
    D3D10DDI_HRTDEVICE runtime;
    const struct agpu_umd_environment *env;
    struct agpu_adapter *adapter;
    uint32_t vertex_slots;                 /* 16 for Direct3D 10, 32 for 11 */
    struct agpu_resource *pending_staging; /* written by recorded, unsubmitted copies */
    uint64_t last_submitted_fence;
    uint64_t completed_fence;
    HANDLE kernel_context;
    D3DKMT_HANDLE fence_object;
    struct agpu_submit_buffers buffers;
    uint32_t upload_buffer;  /* handle of the buffer used by streamed updates; 0 = not created */
    uint32_t upload_texture; /* handle of the texture that each of them creates and destroys; 0 = none yet */
    struct agpu_sharing *sharing; /* data shared by contexts; NULL: deferred contexts are not offered */
    const struct agpu_recorder *recorder; /* NULL: a device */
};

static inline enum agpu_backing_mode agpu_mode(const struct agpu_device *device)
{
    return device->imm.options->backing_mode;
}

#endif
