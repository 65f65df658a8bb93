/* copy_cpu.h: copies done by the CPU (umd.md 7.2). */
#ifndef AGPU_UMD_RESOURCE_COPY_CPU_H
#define AGPU_UMD_RESOURCE_COPY_CPU_H

#include "umd-port/base/device.h"
#include "umd-port/resource/copy_packets.h"

/* The same copies done by the CPU: mirrors of what the device does (shadows always, guest memory only for the
 * host test build), or the copy itself where the device has no way. Failures to reach memory leave the
 * destination alone. */
void agpu_mirror_buffer_copy(struct agpu_device *device, const struct agpu_buffer_copy *copy);
void agpu_mirror_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy);

/* A copy that the device cannot do: the CPU copies the bytes and announces them to the device. */
HRESULT agpu_cpu_buffer_copy(struct agpu_device *device, const struct agpu_buffer_copy *copy);
HRESULT agpu_cpu_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy);

#endif
