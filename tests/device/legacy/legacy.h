/* legacy.h: the retired "ARGP" device behind device.h (legacy.md 1 to 4): its ring, fences and interrupt block
 * beside the bus, which it shares with the versioned device. */
#ifndef VGPU_TESTS_DEVICE_LEGACY_LEGACY_H
#define VGPU_TESTS_DEVICE_LEGACY_LEGACY_H

#include "tests/device/bus/bus.h"

struct vgpu_legacy;
struct vgpu_trace;

extern const struct vgpu_abi vgpu_abi_legacy; /* vgpu_bus.generation is a struct vgpu_legacy */

/* Its state at power-on; gives the configuration space the legacy identity. NULL when memory is exhausted. Bus and
 * trace outlive it. */
struct vgpu_legacy *vgpu_legacy_create(struct vgpu_bus *bus, struct vgpu_trace *trace);
void vgpu_legacy_destroy(struct vgpu_legacy *legacy);

#endif
