/* handles.h: memory of the handles of a device with deferred contexts (umd.md 15). An immediate handle holds the object
 * and, after it on separate cache lines, a part that all contexts only read. A context-local handle holds the data that
 * its context writes. */
#ifndef AGPU_UMD_DEFERRED_HANDLES_H
#define AGPU_UMD_DEFERRED_HANDLES_H

#include "umd-port/deferred/shared_object.h"

#define AGPU_CACHE_LINE 64u

/* The read-only part after an immediate object. The object's creation writes it, the destruction clears it. */
struct agpu_shared_info {
    struct agpu_shared_object *object; /* NULL: the object has no protocol object of its own */
    uint8_t valid;                     /* 0 after a failed create and after destruction */
    /* Initial value of context-local handles. Its protocol handles and pointers are unused. */
    union {
        struct agpu_resource resource;
        struct agpu_view view;
        struct agpu_blend_object blend;
        struct agpu_depth_stencil_object depth_stencil;
        struct agpu_rasterizer_object rasterizer;
    } copy;
};

/* Context-local resource; state entry points use it like any resource. Its protocol handle is the recording's symbol.
 * Its allocation handle, again the symbol, makes draws list it. */
struct agpu_local_resource {
    struct agpu_resource resource;
    /* Bytes of the last discard in the present list; NO_OVERWRITE continues with a copy of them. */
    uint8_t *discarded;
    uint32_t discarded_subresource;
    uint64_t discarded_list; /* number of that list; 0 = none */
    uint8_t guest_backed;    /* whether the immediate resource is */
};

/* Context-local shader, layout, sampler or query, of which packets need only the handle. State entry points read it as
 * the immediate object, which starts with its handle. */
struct agpu_local_object {
    uint32_t symbol;
};

/* Number of kinds with context-local handles: 0 .. 12 (umd.md 1.2). */
#define AGPU_HANDLE_TYPES 13u

/* Returns the bytes of an immediate handle of the type, including the read-only part. */
size_t agpu_immediate_handle_bytes(uint32_t handle_type);
/* Returns the bytes of a context-local handle and a cache line of padding. 0: no such type. */
size_t agpu_local_handle_bytes(uint32_t handle_type);
/* Returns the read-only part of an immediate object: at the first cache line boundary after it. */
struct agpu_shared_info *agpu_shared_info_of(uint32_t handle_type, void *immediate_object);

/* Table entries. The array may be NULL to query the count; otherwise *count is its length. */
void agpu_check_deferred_handle_sizes(D3D10DDI_HDEVICE device, uint32_t *count, D3D11DDI_HANDLESIZE *sizes);
size_t agpu_calc_deferred_handle_size(D3D10DDI_HDEVICE device, uint32_t handle_type, void *immediate_object);

#endif
