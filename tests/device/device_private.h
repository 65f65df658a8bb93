/* device_private.h: the device as its own files see it: every block's state in one structure. */
#ifndef VGPU_TESTS_DEVICE_PRIVATE_H
#define VGPU_TESTS_DEVICE_PRIVATE_H

#include "tests/device/abi.h"
#include "tests/device/bus/bar0.h"
#include "tests/device/bus/config_space.h"
#include "tests/device/bus/dma.h"
#include "tests/device/bus/irq.h"
#include "tests/device/bus/scanout.h"
#include "tests/device/bus/vblank.h"
#include "tests/device/device.h"
#include "tests/device/engine/errors.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/fence.h"
#include "tests/device/engine/ring.h"
#include "tests/device/engine/submission.h"
#include "tests/device/faults.h"
#include "tests/device/bus/stats.h"

/* Work that one service point may do, in bytes moved, so that no guest can keep the front end from its other
 * duties: some 100 ms. What is left waits for the next one. */
#define VGPU_SERVICE_BUDGET (512ll << 20)
/* What work costs beyond the bytes it moves, some five units a nanosecond. */
#define VGPU_COST_SUBMISSION 256
#define VGPU_COST_PACKET     64
#define VGPU_COST_ROW        128 /* of a copy, clear or present that goes row by row */
#define VGPU_COST_SLOT       4   /* looked at in a search through bindings */
#define VGPU_COST_LOOKUP     64  /* of a handle in such a search */
#define VGPU_COST_OBJECT     512 /* made */
#define VGPU_COST_ALLOC      128 /* entry of an allocation table */

struct vgpu_device {
    struct vgpu_device_machine machine;
    const struct vgpu_abi *abi;
    uint32_t abi_version; /* of the versioned device */
    uint64_t features;    /* AEROGPU_FEATURE_* */
    enum vgpu_fault fault;
    uint32_t fault_parameter;
    bool reset_itself; /* by a fault, once */
    struct vgpu_config_space config;
    struct vgpu_device_vram vram;
    struct vgpu_irq irq;
    struct vgpu_errors errors;
    struct vgpu_ring ring;
    struct vgpu_fences fences;
    struct vgpu_vblank vblank;
    struct vgpu_scanout scanout;
    struct vgpu_cursor cursor;
    struct vgpu_submission submission;
    struct vgpu_exec *exec;     /* NULL in the legacy device */
    struct vgpu_legacy *legacy; /* NULL in the versioned one */
    struct vgpu_device_stats stats;
    struct vgpu_bar0_misses *misses;
    struct vgpu_trace *trace; /* NULL = no log of submissions */
    int64_t budget;           /* left of VGPU_SERVICE_BUDGET; may become negative */
};

/* DMA is allowed: Bus Master is set (device.md 2.1). */
static inline bool vgpu_device_bus_master(const struct vgpu_device *device)
{
    return vgpu_config_space_has(&device->config, VGPU_CONFIG_COMMAND_BUS_MASTER);
}

/* Takes cost from the budget; false, and nothing taken, when it is used up. */
static inline bool vgpu_device_spend(struct vgpu_device *device, int64_t cost)
{
    if (device->budget <= 0) {
        return false;
    }
    device->budget -= cost;
    return true;
}

#endif
