/* legacy.h: the retired "ARGP" device (legacy.md 1 to 4): its ring, fences and interrupt block. It shares the
 * bus with the versioned device. */
#ifndef VGPU_TESTS_DEVICE_LEGACY_LEGACY_H
#define VGPU_TESTS_DEVICE_LEGACY_LEGACY_H

#include "tests/device/bus/bus.h"

struct vgpu_legacy;
struct vgpu_trace;

extern const struct vgpu_abi vgpu_abi_legacy; /* vgpu_bus.generation is a struct vgpu_legacy */

/* Creates the device in its power-on state and sets the legacy identity in configuration space. Returns NULL
 * when memory is exhausted. Bus and trace must outlive it. */
struct vgpu_legacy *vgpu_legacy_create(struct vgpu_bus *bus, struct vgpu_trace *trace);
void vgpu_legacy_destroy(struct vgpu_legacy *legacy);

#endif
