/* release.h: the end of handles and of the resources behind them (commands.md 2). */
#ifndef VGPU_ENGINE_RELEASE_H
#define VGPU_ENGINE_RELEASE_H

struct vgpu_exec;

/* Frees every resource without regard to references: reset. */
void vgpu_resource_free_all(struct vgpu_exec *exec);

#endif
