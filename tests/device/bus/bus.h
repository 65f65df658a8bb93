/* bus.h: the common part of both generations of the device: PCI function and VRAM, interrupt block, vblank
 * clock, scanout and cursor surfaces (device.md 0 to 5, legacy.md 1 to 5). It calls the generation for accesses
 * and vblank edges. */
#ifndef VGPU_BUS_BUS_H
#define VGPU_BUS_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/bus/config_space.h"
#include "tests/device/bus/machine.h"
#include "tests/device/bus/stats.h"

struct vgpu_bar0_misses;
struct vgpu_archive;

/* Work limit of one service point, in bytes moved (about 100 ms), so that no guest can block the front end.
 * The rest waits for the next service point. */
#define VGPU_SERVICE_BUDGET (512ll << 20)

/* A generation of the device: each function gets vgpu_bus.generation. */
struct vgpu_abi {
    const char *name;
    /* Registers, by dword. register_name returns NULL for a dword without a register. */
    const char *(*register_name)(uint64_t offset);
    uint32_t (*read)(void *generation, uint64_t offset);
    void (*write)(void *generation, uint64_t offset, uint32_t value);
    /* pending: true when DMA work is due. service: does it. Both are called only while Bus Master is set. */
    bool (*pending)(const void *generation);
    void (*service)(void *generation);
    /* The generation's part of a device reset. */
    void (*reset)(void *generation);
    /* Visits the generation's part of a saved state (archive.h). */
    void (*visit)(void *generation, struct vgpu_archive *archive);
    /* The vblank clock had an edge, or stopped. NULL when the generation does not use them. */
    void (*vblank_edge)(void *generation);
    void (*vblank_stopped)(void *generation);
};

struct vgpu_irq {
    uint32_t status;
    uint32_t enable;
    uint32_t unmasked; /* legacy: INT_STATUS, drives the line whatever enable says */
    bool line;         /* level last driven */
    uint32_t sent;     /* active causes whose message has been sent */
};

#define VGPU_VBLANK_PERIOD_NS 16666667u /* ceil(1e9 / 60) */

struct vgpu_vblank {
    bool running;
    uint64_t sequence;
    uint64_t time_ns;      /* scheduled time of the last edge */
    uint64_t next_edge_ns; /* while running */
};

/* Common to scanout and cursor. The address is written low half first; the high half commits it. */
struct vgpu_surface_registers {
    bool enable;
    uint32_t width;
    uint32_t height;
    uint32_t format; /* AEROGPU_FORMAT_*, INVALID for any other value written */
    uint32_t pitch_bytes;
    uint64_t gpa;       /* in effect */
    uint32_t staged_lo; /* valid when staged */
    bool staged;
    bool any_pitch; /* legacy: the pitch need not be a multiple of the pixel size */
};

struct vgpu_scanout {
    struct vgpu_surface_registers surface;
    bool owns_output; /* has taken over from the legacy output */
};

struct vgpu_cursor {
    struct vgpu_surface_registers surface;
    uint32_t x; /* signed */
    uint32_t y;
    uint32_t hot_x;
    uint32_t hot_y;
};

struct vgpu_bus {
    struct vgpu_device_machine machine;
    const struct vgpu_abi *abi; /* abi and generation are set by the generation at creation */
    void *generation;
    uint32_t abi_version; /* of the versioned device */
    enum vgpu_executor executor;
    uint64_t features; /* AEROGPU_FEATURE_* */
    struct vgpu_config_space config;
    struct vgpu_device_vram vram;
    struct vgpu_irq irq;
    struct vgpu_vblank vblank;
    struct vgpu_scanout scanout;
    struct vgpu_cursor cursor;
    struct vgpu_device_stats stats;
    struct vgpu_bar0_misses *misses;
    int64_t budget; /* rest of VGPU_SERVICE_BUDGET; may become negative */
};

/* DMA is allowed: Bus Master is set (device.md 2.1). */
static inline bool vgpu_bus_master(const struct vgpu_bus *bus)
{
    return vgpu_config_space_has(&bus->config, VGPU_CONFIG_COMMAND_BUS_MASTER);
}

/* Takes cost from the budget. Returns false, and takes nothing, when the budget is used up. */
static inline bool vgpu_bus_spend(struct vgpu_bus *bus, int64_t cost)
{
    if (bus->budget <= 0) {
        return false;
    }
    bus->budget -= cost;
    return true;
}

#endif
