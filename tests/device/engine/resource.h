/* resource.h: buffers and textures: storage, guest backing, lifetime (commands.md 2, 6). */
#ifndef VGPU_ENGINE_RESOURCE_H
#define VGPU_ENGINE_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/alloc_table.h"
#include "tests/device/engine/changes.h"
#include "tests/device/engine/texture_layout.h"

struct vgpu_exec;
struct vgpu_archive;
struct vgpu_token;

enum vgpu_object_kind { VGPU_OBJECT_BUFFER = 1, VGPU_OBJECT_TEXTURE, VGPU_OBJECT_VIEW };

/* Kinds of binding that an object may have. A hint may stay set after an unbinding; hints avoid a search
 * through all slots. */
#define VGPU_BOUND_TARGET 0x1u /* render or depth target */
#define VGPU_BOUND_SRV    0x2u
#define VGPU_BOUND_UAV    0x4u
#define VGPU_BOUND_OTHER  0x8u /* vertex, index, constant buffer */

/* First member of every object that has a resource handle. */
struct vgpu_object {
    uint8_t kind;  /* enum vgpu_object_kind */
    uint8_t bound; /* VGPU_BOUND_* that may exist, under any handle of the object */
};

/* Guest memory of a resource: an id that is resolved with the table of each submission. */
struct vgpu_backing {
    uint32_t alloc_id; /* 0 = owned by the device */
    uint32_t offset;
};

struct vgpu_resource {
    struct vgpu_object object;
    bool original_destroyed; /* the first handle is destroyed but stays reserved while aliases live */
    uint32_t original;       /* handle of the creation packet */
    uint32_t references;     /* number of live handles */
    uint32_t usage;
    struct vgpu_backing backing;
    uint64_t size; /* of data, in bytes; for a texture, all subresources in the packed layout */
    uint8_t *data;
    uint64_t version;                  /* counts changes by the model, for copies in a renderer */
    struct vgpu_changes changes;       /* by the model since the renderer cleared this */
    bool renderer_newer;               /* the renderer changed its copy: data is stale until read back */
    void *renderer_data;               /* owned by the renderer */
    struct vgpu_texture_layout layout; /* textures */
    struct vgpu_resource *next;        /* in the list of all resources */
    struct vgpu_resource **link;       /* the pointer that points here */
    struct vgpu_view *views;
    struct vgpu_token *tokens;
};

/* Part of a texture with its own handle (commands.md 6.1). */
struct vgpu_view {
    struct vgpu_object object;
    struct vgpu_resource *resource; /* NULL after the texture was destroyed: any use is an error */
    struct vgpu_view *next;         /* of the same resource */
    struct vgpu_view **link;        /* the pointer that points here */
    uint32_t format;                /* AEROGPU_FORMAT_*, of the family of the texture format */
    uint32_t base_mip;
    uint32_t mips;
    uint32_t base_layer;
    uint32_t layers;
};

/* Returns the resource of a bound object: the object itself, or the texture of a view. */
struct vgpu_resource *vgpu_object_resource(struct vgpu_object *object);

/* Returns the resource of a handle (original or alias); NULL when it is unknown, reserved, or a view. */
struct vgpu_resource *vgpu_resource_find(const struct vgpu_exec *exec, uint32_t handle);
struct vgpu_resource *vgpu_buffer_find(const struct vgpu_exec *exec, uint32_t handle);
struct vgpu_resource *vgpu_texture_find(const struct vgpu_exec *exec, uint32_t handle);

/* True when the handle belongs to a destroyed original whose aliases live: any use is an error. */
bool vgpu_handle_reserved(const struct vgpu_exec *exec, uint32_t handle);

/* Creates a resource of properties->size bytes with one reference under handle, which must be free.
 * Device-owned storage is zeroed; guest-backed storage is loaded from alloc. Returns an AEROGPU_ERROR_*;
 * BACKEND when memory is exhausted. */
uint32_t vgpu_resource_create(struct vgpu_exec *exec, uint32_t handle, const struct vgpu_resource *properties,
                              const struct vgpu_alloc *alloc);

/* Makes handle, which must be free, an alias of the resource. Returns an AEROGPU_ERROR_*. */
uint32_t vgpu_resource_alias(struct vgpu_exec *exec, uint32_t handle, struct vgpu_resource *resource);

/* Call before the model reads data: fetches newer contents from the renderer. */
void vgpu_resource_touch(struct vgpu_exec *exec, struct vgpu_resource *resource);

/* Call before the model changes bytes [offset, +size) of data: as vgpu_resource_touch(), and increments
 * version and records the range. */
void vgpu_resource_change(struct vgpu_exec *exec, struct vgpu_resource *resource, uint64_t offset,
                          uint64_t size);

/* Finds the table entry of a backing and checks [offset, +size) of it. NULL = validation error. */
const struct vgpu_alloc *vgpu_backing_resolve(const struct vgpu_exec *exec,
                                              const struct vgpu_backing *backing, uint64_t size);

/* Reads [offset, +size) of the resource from guest memory; alloc is its resolved backing. */
void vgpu_resource_load(struct vgpu_exec *exec, struct vgpu_resource *resource,
                        const struct vgpu_alloc *alloc, uint64_t offset, uint64_t size);

/* Writes bytes to [offset, +size) of the resource's guest memory; alloc is its resolved, writable backing. */
void vgpu_resource_store(struct vgpu_exec *exec, const struct vgpu_resource *resource,
                         const struct vgpu_alloc *alloc, uint64_t offset, const void *bytes, uint64_t size);

/* Returns the backing for a copy with WRITEBACK_DST: it must be in the table and not READONLY. NULL =
 * error. */
const struct vgpu_alloc *vgpu_resource_writable(const struct vgpu_exec *exec,
                                                const struct vgpu_resource *resource);

/* Frees a resource without handles or bound views. */
void vgpu_resource_destroy(struct vgpu_exec *exec, struct vgpu_resource *resource);

/* Visits a reference to a resource that has been visited. NULL: none. */
struct vgpu_resource *vgpu_resource_visit_reference(struct vgpu_exec *exec, struct vgpu_archive *archive,
                                                    struct vgpu_resource *resource);

#endif
