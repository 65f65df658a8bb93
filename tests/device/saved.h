/* saved.h: save and restore of a device (device.md 2.3). */
#ifndef VGPU_TESTS_DEVICE_SAVED_H
#define VGPU_TESTS_DEVICE_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vgpu_device;

#define VGPU_SAVED_MESSAGE 240

/* Saves the state through write, in pieces, and loads it into a device that was just created with the same
 * configuration and whose clock continues. Return false with a message; after a load that failed, the
 * device can only be destroyed. The bytes are untrusted. A service point follows a load. */
bool vgpu_device_save(struct vgpu_device *device, bool (*write)(void *ctx, const void *bytes, uint64_t size),
                      void *ctx, char *message, size_t message_size);
bool vgpu_device_load(struct vgpu_device *device, const void *bytes, uint64_t size, char *message,
                      size_t message_size);

#endif
