/* release.h: frees handles and their resources (commands.md 2). */
#ifndef VGPU_ENGINE_RELEASE_H
#define VGPU_ENGINE_RELEASE_H

struct vgpu_exec;

/* Frees every resource regardless of references (reset). */
void vgpu_resource_free_all(struct vgpu_exec *exec);

#endif
