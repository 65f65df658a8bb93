/* shared_surface.h: share tokens, by which a resource is imported under further handles (commands.md 12). */
#ifndef VGPU_ENGINE_SHARED_SURFACE_H
#define VGPU_ENGINE_SHARED_SURFACE_H

#include "tests/device/engine/resource.h"

/* A token that was exported. After it is retired it stays in the map until reset. */
struct vgpu_token {
    struct vgpu_resource *resource; /* NULL = retired */
    struct vgpu_token *next;        /* of the same resource */
    struct vgpu_token **link;       /* the pointer that points here */
};

/* Retires all tokens of a resource that is about to be freed. */
void vgpu_token_retire_all(struct vgpu_resource *resource);

/* Frees every token (reset). */
void vgpu_token_free_all(struct vgpu_exec *exec);

/* Visits every token for save and restore, after the resources. */
void vgpu_token_visit_all(struct vgpu_exec *exec, struct vgpu_archive *archive);

#endif
