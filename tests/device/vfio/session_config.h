/* session_config.h: what a session is created with. */
#ifndef VGPU_TESTS_DEVICE_VFIO_SESSION_CONFIG_H
#define VGPU_TESTS_DEVICE_VFIO_SESSION_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"
#include "tests/device/vfio/log.h"

struct vgpu_vfio_session_config {
    const struct agpu_device_plugin *device; /* checked: tests/device/plugin/table.h */
    const char *options;                     /* for the device; NULL: none */
    bool trust_description;                  /* see tests/device/plugin/port.h */
    /* Offer BARs that a memory file is behind, our model's BAR1, for direct mapping. QEMU then makes every BAR0 write wait for its reply (README.md:
     * 30 us instead of a posted 0.8 us), but reaches BAR1 in nanoseconds. */
    bool map_vram;
    /* Machine time in ns, monotonic, from 0 (device.md 4.7). */
    uint64_t (*now_ns)(void *ctx);
    void *now_ctx;
    struct vgpu_vfio_log log;
};

#endif
