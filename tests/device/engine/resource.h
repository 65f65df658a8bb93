/* resource.h: buffers and textures behind handles: storage, guest backing, life time (commands.md 2, 6). */
#ifndef VGPU_ENGINE_RESOURCE_H
#define VGPU_ENGINE_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/alloc_table.h"
#include "tests/device/engine/changes.h"
#include "tests/device/engine/texture_layout.h"

struct vgpu_exec;
struct vgpu_token;

enum vgpu_object_kind { VGPU_OBJECT_BUFFER = 1, VGPU_OBJECT_TEXTURE, VGPU_OBJECT_VIEW };

/* Kinds of binding that an object may have; sticky hints that spare a search through all slots. */
#define VGPU_BOUND_TARGET 0x1u /* render or depth target */
#define VGPU_BOUND_SRV    0x2u
#define VGPU_BOUND_UAV    0x4u
#define VGPU_BOUND_OTHER  0x8u /* vertex, index, constant buffer */

/* What every object behind a resource handle begins with. */
struct vgpu_object {
    uint8_t kind;  /* enum vgpu_object_kind */
    uint8_t bound; /* VGPU_BOUND_* that may exist, under any handle */
};

/* Guest memory behind a resource: a name, resolved with the table of each submission. */
struct vgpu_backing {
    uint32_t alloc_id; /* 0 = owned by the device */
    uint32_t offset;
};

struct vgpu_resource {
    struct vgpu_object object;
    bool original_destroyed; /* the first handle is gone but stays reserved while aliases live */
    uint32_t original;       /* handle of the creation */
    uint32_t references;     /* live handles */
    uint32_t usage;
    struct vgpu_backing backing;
    uint64_t size; /* bytes of data: of a texture, all subresources in the packed layout */
    uint8_t *data;
    uint64_t version;                  /* counts changes made by the model, for the copies of a renderer */
    struct vgpu_changes changes;       /* made by the model since the renderer cleared this */
    bool renderer_newer;               /* the renderer changed its copy: data is stale until read back */
    void *renderer_data;               /* owned by the renderer */
    struct vgpu_texture_layout layout; /* textures */
    struct vgpu_resource *next;        /* of all resources */
    struct vgpu_resource **link;       /* what points here */
    struct vgpu_view *views;
    struct vgpu_token *tokens;
};

/* Part of a texture under a handle of its own (commands.md 6.1). */
struct vgpu_view {
    struct vgpu_object object;
    struct vgpu_resource *resource; /* NULL once the texture is destroyed: any use is an error */
    struct vgpu_view *next;         /* of the same resource */
    struct vgpu_view **link;        /* what points here */
    uint32_t format;                /* AEROGPU_FORMAT_*, of the family of the texture's */
    uint32_t base_mip;
    uint32_t mips;
    uint32_t base_layer;
    uint32_t layers;
};

/* The resource behind a bound object: itself, or what a view looks at. */
struct vgpu_resource *vgpu_object_resource(struct vgpu_object *object);

/* The resource behind a handle, original or alias; NULL when it is unknown, reserved, or a view. */
struct vgpu_resource *vgpu_resource_find(const struct vgpu_exec *exec, uint32_t handle);
struct vgpu_resource *vgpu_buffer_find(const struct vgpu_exec *exec, uint32_t handle);
struct vgpu_resource *vgpu_texture_find(const struct vgpu_exec *exec, uint32_t handle);

/* True when the handle is that of a destroyed original whose aliases live: any use is an error. */
bool vgpu_handle_reserved(const struct vgpu_exec *exec, uint32_t handle);

/* Makes a resource with size bytes and one reference under handle, which is free. Device-owned storage is
 * zeroed; guest-backed storage is loaded from alloc. Returns an AEROGPU_ERROR_*; BACKEND when memory is
 * exhausted. */
uint32_t vgpu_resource_create(struct vgpu_exec *exec, uint32_t handle, const struct vgpu_resource *properties,
                              const struct vgpu_alloc *alloc);

/* Makes handle, which is free, one more name of the resource. Returns an AEROGPU_ERROR_*. */
uint32_t vgpu_resource_alias(struct vgpu_exec *exec, uint32_t handle, struct vgpu_resource *resource);

/* Before the model reads data: what the renderer holds comes first. */
void vgpu_resource_touch(struct vgpu_exec *exec, struct vgpu_resource *resource);

/* The same before it changes bytes [offset, +size) of data: counts up version and notes the range. */
void vgpu_resource_change(struct vgpu_exec *exec, struct vgpu_resource *resource, uint64_t offset,
                          uint64_t size);

/* Finds the table entry behind a backing and checks [offset, +size) of it. NULL = validation error. */
const struct vgpu_alloc *vgpu_backing_resolve(const struct vgpu_exec *exec,
                                              const struct vgpu_backing *backing, uint64_t size);

/* Reads [offset, +size) of the resource from guest memory; alloc is its resolved backing. */
void vgpu_resource_load(struct vgpu_exec *exec, struct vgpu_resource *resource,
                        const struct vgpu_alloc *alloc, uint64_t offset, uint64_t size);

/* Writes bytes to [offset, +size) behind the resource; alloc is its resolved, writable backing. */
void vgpu_resource_store(struct vgpu_exec *exec, const struct vgpu_resource *resource,
                         const struct vgpu_alloc *alloc, uint64_t offset, const void *bytes, uint64_t size);

/* The backing that a copy with WRITEBACK_DST writes to: present in the table, not READONLY. NULL = error. */
const struct vgpu_alloc *vgpu_resource_writable(const struct vgpu_exec *exec,
                                                const struct vgpu_resource *resource);

/* Frees a resource that no handle and no view stands for any more. */
void vgpu_resource_destroy(struct vgpu_exec *exec, struct vgpu_resource *resource);

#endif
