/* handles.h: memory behind handles of a device with deferred contexts (umd.md 15). An immediate handle
 * holds the object and behind it, on cache lines of its own, a read-only part for all contexts; a
 * context-local handle holds what its context writes. */
#ifndef AGPU_UMD_DEFERRED_HANDLES_H
#define AGPU_UMD_DEFERRED_HANDLES_H

#include "umd-port/deferred/shared_object.h"

#define AGPU_CACHE_LINE 64u

/* The read-only part behind an immediate object. Written by its creation and cleared by its destruction. */
struct agpu_shared_info {
    struct agpu_shared_object *object; /* NULL: no protocol object of its own */
    uint8_t valid;                     /* 0 after a failed create and after destruction */
    /* Initial value of context-local handles. Its protocol handles and pointers are not used. */
    union {
        struct agpu_resource resource;
        struct agpu_view view;
        struct agpu_shader shader;
        struct agpu_sampler sampler;
        struct agpu_blend_object blend;
        struct agpu_depth_stencil_object depth_stencil;
        struct agpu_rasterizer_object rasterizer;
        struct agpu_list_body *list;
    } copy;
};

/* Context-local resource, used by the state entry points as any resource. Its protocol handle is the
 * symbol of the recording; an allocation handle, the symbol again, makes draws list it. */
struct agpu_local_resource {
    struct agpu_resource resource;
    /* Bytes of the last discard in the present list; NO_OVERWRITE continues with a copy of them. */
    uint8_t *discarded;
    uint32_t discarded_subresource;
    uint64_t discarded_list; /* number of that list; 0 = none */
    uint8_t guest_backed;    /* is the immediate resource? */
};

/* Context-local object of which packets need nothing but the handle. */
struct agpu_local_object {
    uint32_t symbol;
};

/* Number of kinds with context-local handles: 0 .. 12 (umd.md 1.2). */
#define AGPU_HANDLE_TYPES 13u

/* Bytes of an immediate handle of the type, read-only part included. */
size_t agpu_immediate_handle_bytes(uint32_t handle_type);
/* Bytes of a context-local handle, with a cache line of padding behind it. 0: no such type. */
size_t agpu_local_handle_bytes(uint32_t handle_type);
/* The read-only part of an immediate object: the first cache line boundary behind it. */
struct agpu_shared_info *agpu_shared_info_of(uint32_t handle_type, void *immediate_object);

/* Table entries. The array may be NULL to ask for the count; otherwise *count is its length. */
void agpu_check_deferred_handle_sizes(D3D10DDI_HDEVICE device, uint32_t *count, D3D11DDI_HANDLESIZE *sizes);
size_t agpu_calc_deferred_handle_size(D3D10DDI_HDEVICE device, uint32_t handle_type, void *immediate_object);

#endif
