/* device_private.h: a device consists of the bus, the trace, and one of the two generations. */
#ifndef VGPU_TESTS_DEVICE_PRIVATE_H
#define VGPU_TESTS_DEVICE_PRIVATE_H

#include "tests/device/bus/bus.h"
#include "tests/device/engine/trace.h"

struct vgpu_device {
    struct vgpu_bus bus;
    struct vgpu_trace trace;
    struct vgpu_engine *engine; /* NULL in the legacy device */
    struct vgpu_legacy *legacy; /* NULL in the versioned device */
};

#endif
