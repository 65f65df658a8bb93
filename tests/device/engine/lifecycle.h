/* lifecycle.h: what a ring reset takes from the engine (device.md 4.2). */
#ifndef VGPU_ENGINE_LIFECYCLE_H
#define VGPU_ENGINE_LIFECYCLE_H

struct vgpu_device;

/* Register part of a ring reset apart from the ring's own state: nothing in progress, nothing queued, no
 * fence completed, no error, no resources, no interrupt pending. */
void vgpu_reset_engine(struct vgpu_device *device);

#endif
