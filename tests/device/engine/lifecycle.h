/* lifecycle.h: creates, resets and destroys the engine (device.md 4.2). */
#ifndef VGPU_ENGINE_LIFECYCLE_H
#define VGPU_ENGINE_LIFECYCLE_H

struct vgpu_bus;
struct vgpu_engine;
struct vgpu_exec;
struct vgpu_trace;

/* An engine without resources, with default state and nothing enabled; NULL when memory is exhausted. Bus and trace
 * outlive it. */
struct vgpu_engine *vgpu_engine_create(struct vgpu_bus *bus, struct vgpu_trace *trace);
void vgpu_engine_destroy(struct vgpu_engine *engine);

/* Register part of a ring reset apart from the ring's own state: nothing in progress, nothing queued, no
 * fence completed, no error, no resources, no interrupt pending. */
void vgpu_engine_reset(struct vgpu_engine *engine);

/* No resources and default state: the part that a renderer sees. */
void vgpu_exec_reset(struct vgpu_exec *exec);

#endif
