/* resource.h: buffers and textures behind handles: storage, guest backing, life time (commands.md 2, 6). */
#ifndef AGPU_TESTS_DEVICE_RESOURCE_H
#define AGPU_TESTS_DEVICE_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/alloc_table.h"
#include "tests/device/changes.h"
#include "tests/device/texture_layout.h"

struct agpu_exec;
struct agpu_view;
struct agpu_token;

enum agpu_object_kind { AGPU_OBJECT_BUFFER = 1, AGPU_OBJECT_TEXTURE, AGPU_OBJECT_VIEW };

/* Kinds of binding that an object may have; sticky hints that spare a search through all slots. */
#define AGPU_BOUND_TARGET 0x1u /* render or depth target */
#define AGPU_BOUND_SRV    0x2u
#define AGPU_BOUND_UAV    0x4u
#define AGPU_BOUND_OTHER  0x8u /* vertex, index, constant buffer */

/* What every object behind a resource handle begins with. */
struct agpu_object {
    uint8_t kind;  /* enum agpu_object_kind */
    uint8_t bound; /* AGPU_BOUND_* that may exist, under any handle */
};

/* Guest memory behind a resource: a name, resolved with the table of each submission. */
struct agpu_backing {
    uint32_t alloc_id; /* 0 = owned by the device */
    uint32_t offset;
};

struct agpu_resource {
    struct agpu_object object;
    bool original_destroyed; /* the first handle is gone but stays reserved while aliases live */
    uint32_t original;       /* handle of the creation */
    uint32_t references;     /* live handles */
    uint32_t usage;
    struct agpu_backing backing;
    uint64_t size; /* bytes of data: of a texture, all subresources in the packed layout */
    uint8_t *data;
    uint64_t version;                  /* counts changes made by the model, for the copies of a renderer */
    struct agpu_changes changes;       /* made by the model since the renderer cleared this */
    bool renderer_newer;               /* the renderer changed its copy: data is stale until read back */
    void *renderer_data;               /* owned by the renderer */
    struct agpu_texture_layout layout; /* textures */
    struct agpu_resource *next;        /* of all resources */
    struct agpu_resource **link;       /* what points here */
    struct agpu_view *views;
    struct agpu_token *tokens;
};

/* The resource behind a handle, original or alias; NULL when it is unknown, reserved, or a view. */
struct agpu_resource *agpu_resource_find(const struct agpu_exec *exec, uint32_t handle);
struct agpu_resource *agpu_buffer_find(const struct agpu_exec *exec, uint32_t handle);
struct agpu_resource *agpu_texture_find(const struct agpu_exec *exec, uint32_t handle);

/* True when the handle is that of a destroyed original whose aliases live: any use is an error. */
bool agpu_handle_reserved(const struct agpu_exec *exec, uint32_t handle);

/* Makes a resource with size bytes and one reference under handle, which is free. Device-owned storage is
 * zeroed; guest-backed storage is loaded from alloc. Returns an AEROGPU_ERROR_*; BACKEND when memory is
 * exhausted. */
uint32_t agpu_resource_create(struct agpu_exec *exec, uint32_t handle, const struct agpu_resource *properties,
                              const struct agpu_alloc *alloc);

/* Makes handle, which is free, one more name of the resource. Returns an AEROGPU_ERROR_*. */
uint32_t agpu_resource_alias(struct agpu_exec *exec, uint32_t handle, struct agpu_resource *resource);

/* Before the model reads data: what the renderer holds comes first. */
void agpu_resource_touch(struct agpu_exec *exec, struct agpu_resource *resource);

/* The same before it changes bytes [offset, +size) of data: counts up version and notes the range. */
void agpu_resource_change(struct agpu_exec *exec, struct agpu_resource *resource, uint64_t offset,
                          uint64_t size);

/* Drops one handle; the last one takes the resource with it. */
void agpu_resource_release(struct agpu_exec *exec, uint32_t handle, struct agpu_resource *resource);

/* Finds the table entry behind a backing and checks [offset, +size) of it. NULL = validation error. */
const struct agpu_alloc *agpu_backing_resolve(const struct agpu_exec *exec,
                                              const struct agpu_backing *backing, uint64_t size);

/* Reads [offset, +size) of the resource from guest memory; alloc is its resolved backing. */
void agpu_resource_load(struct agpu_exec *exec, struct agpu_resource *resource,
                        const struct agpu_alloc *alloc, uint64_t offset, uint64_t size);

/* Writes bytes to [offset, +size) behind the resource; alloc is its resolved, writable backing. */
void agpu_resource_store(struct agpu_exec *exec, const struct agpu_resource *resource,
                         const struct agpu_alloc *alloc, uint64_t offset, const void *bytes, uint64_t size);

/* The backing that a copy with WRITEBACK_DST writes to: present in the table, not READONLY. NULL = error. */
const struct agpu_alloc *agpu_resource_writable(const struct agpu_exec *exec,
                                                const struct agpu_resource *resource);

/* Frees every resource without regard to references: reset. */
void agpu_resource_free_all(struct agpu_exec *exec);

#endif
