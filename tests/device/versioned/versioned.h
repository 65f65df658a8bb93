/* versioned.h: the versioned device as a generation of the bus; vgpu_bus.generation is its struct vgpu_engine. */
#ifndef VGPU_VERSIONED_VERSIONED_H
#define VGPU_VERSIONED_VERSIONED_H

#include "tests/device/bus/bus.h"

extern const struct vgpu_abi vgpu_abi_versioned;

#endif
