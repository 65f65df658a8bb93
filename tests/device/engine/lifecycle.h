/* lifecycle.h: creates, resets and destroys the engine (device.md 4.2). */
#ifndef VGPU_ENGINE_LIFECYCLE_H
#define VGPU_ENGINE_LIFECYCLE_H

struct vgpu_bus;
struct vgpu_engine;
struct vgpu_exec;
struct vgpu_trace;

/* Creates an engine without resources, with default state and nothing enabled; NULL when memory is exhausted.
 * Bus and trace must outlive it. */
struct vgpu_engine *vgpu_engine_create(struct vgpu_bus *bus, struct vgpu_trace *trace);
void vgpu_engine_destroy(struct vgpu_engine *engine);

/* Register part of a ring reset without the state of the ring itself: nothing in progress or queued, no fence
 * completed, no error, no resources, no interrupt pending. */
void vgpu_engine_reset(struct vgpu_engine *engine);

/* Removes all resources and restores default state, including that of the renderer. */
void vgpu_exec_reset(struct vgpu_exec *exec);

#endif
