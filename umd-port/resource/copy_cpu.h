/* copy_cpu.h: copies done by the CPU (umd.md 7.2). */
#ifndef AGPU_UMD_RESOURCE_COPY_CPU_H
#define AGPU_UMD_RESOURCE_COPY_CPU_H

#include "umd-port/base/device.h"
#include "umd-port/resource/copy_packets.h"

/* Copies by the CPU. They mirror a copy by the device: into shadows always, into guest memory only in the host test
 * build. If memory cannot be accessed, the destination stays unchanged. */
void agpu_mirror_buffer_copy(struct agpu_device *device, const struct agpu_buffer_copy *copy);
void agpu_mirror_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy);

/* A copy that the device cannot do: the CPU copies the bytes and announces them to the device. */
HRESULT agpu_cpu_buffer_copy(struct agpu_device *device, const struct agpu_buffer_copy *copy);
HRESULT agpu_cpu_texture_copy(struct agpu_device *device, const struct agpu_texture_copy *copy);

#endif
