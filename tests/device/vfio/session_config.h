/* session_config.h: configuration of a session. */
#ifndef VGPU_TESTS_DEVICE_VFIO_SESSION_CONFIG_H
#define VGPU_TESTS_DEVICE_VFIO_SESSION_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"
#include "tests/device/plugin/save_schedule.h"
#include "tests/device/vfio/log.h"

struct vgpu_vfio_session_config {
    const struct agpu_device_plugin *device; /* checked by tests/device/plugin/table.h */
    const char *options;                     /* for the device; NULL: none */
    bool trust_description;                  /* see tests/device/plugin/port.h */
    /* Offer BARs with a memory file (BAR1 of the model) for direct mapping. QEMU then waits for the reply of
     * every BAR0 write (README.md: 30 us instead of 0.8 us when posted), but accesses BAR1 in nanoseconds. */
    bool map_vram;
    /* The device is saved and restored on this schedule. Not with map_vram: a restored device has other memory
     * files, and the client would keep the old ones mapped. */
    struct vgpu_save_schedule save;
    /* Machine time in ns, monotonic, from 0 (device.md 4.7). */
    uint64_t (*now_ns)(void *ctx);
    void *now_ctx;
    struct vgpu_vfio_log log;
};

#endif
