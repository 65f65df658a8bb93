/* resource.h: the driver's record of a buffer or texture, in the runtime's private memory (umd.md 3.2). */
#ifndef AGPU_UMD_BASE_RESOURCE_H
#define AGPU_UMD_BASE_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "umd-port/ddi/d3d10ddiarg.h"
#include "umd-port/ddi/d3dddicb.h"

struct agpu_umd_environment;
struct agpu_view;

/* Numbers of the kinds in an allocation's private data. */
enum agpu_resource_kind {
    AGPU_KIND_UNKNOWN = AEROGPU_WDDM_ALLOC_KIND_UNKNOWN,
    AGPU_KIND_BUFFER = AEROGPU_WDDM_ALLOC_KIND_BUFFER,
    AGPU_KIND_TEXTURE2D = AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D,
};

/* Layout of a texture's bytes: mip by mip, layer by layer (umd.md 5.2); filled by agpu_layout_build(). */
struct agpu_texture_layout {
    uint64_t layer_bytes;
    uint64_t total_bytes;
    uint32_t width, height; /* texels of mip 0 */
    uint32_t mips, layers;
    uint32_t row_pitch; /* of mip 0; deeper mips are tight */
    uint32_t block, block_bytes;
};

/* Location of one mip of one layer in a texture's layout; for a buffer, all of it: offset and bytes only. */
struct agpu_subresource {
    uint64_t offset;
    uint64_t bytes;         /* pitch * rows */
    uint32_t pitch;         /* bytes per row of texels or blocks */
    uint32_t row_bytes;     /* meaningful bytes of a row */
    uint32_t rows;          /* rows of texels or blocks */
    uint32_t width, height; /* texels */
    uint32_t mip;
};

/* The one mapping that a resource may have. */
struct agpu_mapping {
    bool active;
    bool locked;   /* the memory is the locked allocation, else the shadow */
    uint32_t type; /* D3D10_DDI_MAP */
    uint32_t subresource;
    uint32_t pitch;                 /* pitch of the mapped rows, possibly chosen by the lock; 0 for buffers */
    uint64_t bytes;                 /* at that pitch */
    uint8_t *data;                  /* pointer returned to the application */
    uint8_t *target;                /* the memory of which data is an aligned copy, else NULL */
    struct agpu_subresource region; /* in the resource */
};

struct agpu_resource {
    uint32_t handle; /* protocol handle; first member, 0 after a failed create */
    uint8_t kind;    /* enum agpu_resource_kind */
    uint8_t usage;   /* D3D10_DDI_RESOURCE_USAGE */
    uint8_t is_shared;
    uint8_t is_alias; /* opened, not created */
    uint32_t bind_flags;
    uint32_t cpu_access;

    /* Memory. alloc_id 0: host-owned, the device has the contents and uploads fill them. */
    uint32_t alloc_id;
    D3DKMT_HANDLE alloc_handle; /* for lock, list and deallocation; may exist although alloc_id is 0 */
    /* While track_epoch equals the allocation list's epoch, entry track_slot of that list is this resource's. */
    uint64_t track_epoch;
    uint32_t track_slot;
    /* CPU copy: contents of host-owned resources, rollback copy of guest-backed ones; may be NULL */
    uint8_t *shadow;
    uint64_t bytes;      /* in the protocol: buffers padded to 4, textures the whole layout */
    uint32_t byte_width; /* buffers: as created */
    uint32_t structure_stride;

    struct agpu_mapping map;

    /* Synchronisation. */
    uint64_t last_gpu_write_fence; /* last submission that wrote CPU-readable bytes; 0 = none */
    bool device_ahead;             /* guest-backed: the device may have newer bytes than guest memory */
    bool shadow_current; /* guest-backed buffer: the shadow has the bytes that the stream leaves in it */
    /* Link in the device's list of unsubmitted staging writes; NULL = not in it. */
    struct agpu_resource **pending_link;
    struct agpu_resource *pending_next;

    /* Textures. */
    uint32_t dxgi_format;
    uint32_t protocol_format;
    struct agpu_texture_layout layout;

    /* Kernel side. */
    uint64_t share_token;
    D3DKMT_HANDLE km_resource;
    struct agpu_view *views; /* all live views of it */
    HANDLE runtime;
    const struct agpu_umd_environment *env; /* heap of the shadow; valid after the device is gone */
    uint32_t misc_flags;
};

static inline bool agpu_is_guest_backed(const struct agpu_resource *resource)
{
    return resource->alloc_id != 0;
}

/* True when guest memory of a texture may be older than the device's contents. */
static inline bool agpu_is_drawn(const struct agpu_resource *texture)
{
    return texture->device_ahead || texture->is_shared ||
           (texture->bind_flags & (D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_DEPTH_STENCIL));
}

/* True when a write to one changes the other (umd.md 3.2). Used for all hazards. */
static inline bool agpu_same_memory(const struct agpu_resource *a, const struct agpu_resource *b)
{
    return a == b || (a->share_token && a->share_token == b->share_token) ||
           (a->alloc_id && a->alloc_id == b->alloc_id);
}

#endif
