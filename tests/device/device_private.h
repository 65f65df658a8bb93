/* device_private.h: the device as its own files see it: every block's state in one structure. */
#ifndef AGPU_TESTS_DEVICE_PRIVATE_H
#define AGPU_TESTS_DEVICE_PRIVATE_H

#include "tests/device/abi.h"
#include "tests/device/bar0.h"
#include "tests/device/config_space.h"
#include "tests/device/device.h"
#include "tests/device/dma.h"
#include "tests/device/errors.h"
#include "tests/device/exec.h"
#include "tests/device/faults.h"
#include "tests/device/fence.h"
#include "tests/device/inspect.h"
#include "tests/device/irq.h"
#include "tests/device/registers.h"
#include "tests/device/ring.h"
#include "tests/device/scanout.h"
#include "tests/device/submission.h"
#include "tests/device/vblank.h"

/* Work that one service point may do, in bytes moved, so that no guest can keep the front end from its other
 * duties: some 100 ms. What is left waits for the next one. */
#define AGPU_SERVICE_BUDGET (512ll << 20)
/* What work costs beyond the bytes it moves, some five units a nanosecond. */
#define AGPU_COST_SUBMISSION 256
#define AGPU_COST_PACKET     64
#define AGPU_COST_ROW        128 /* of a copy, clear or present that goes row by row */
#define AGPU_COST_SLOT       4   /* looked at in a search through bindings */
#define AGPU_COST_LOOKUP     64  /* of a handle in such a search */
#define AGPU_COST_OBJECT     512 /* made */
#define AGPU_COST_ALLOC      128 /* entry of an allocation table */

struct agpu_device {
    struct agpu_device_machine machine;
    const struct agpu_abi *abi;
    enum agpu_fault fault;
    struct agpu_config_space config;
    struct agpu_device_vram vram;
    struct agpu_irq irq;
    struct agpu_errors errors;
    struct agpu_ring ring;
    struct agpu_fences fences;
    struct agpu_vblank vblank;
    struct agpu_scanout scanout;
    struct agpu_cursor cursor;
    struct agpu_submission submission;
    struct agpu_exec *exec;     /* NULL in the legacy device */
    struct agpu_legacy *legacy; /* NULL in the versioned one */
    struct agpu_device_stats stats;
    struct agpu_bar0_misses *misses;
    struct agpu_trace *trace; /* NULL = no log of submissions */
    int64_t budget;           /* left of AGPU_SERVICE_BUDGET; may become negative */
};

/* Register part of a ring reset (device.md 4.2) apart from the ring's own state. */
void agpu_device_engine_reset(struct agpu_device *device);

/* DMA is allowed: Bus Master is set (device.md 2.1). */
bool agpu_device_bus_master(const struct agpu_device *device);

/* Takes cost from the budget; false, and nothing taken, when it is used up. */
static inline bool agpu_device_spend(struct agpu_device *device, int64_t cost)
{
    if (device->budget <= 0) {
        return false;
    }
    device->budget -= cost;
    return true;
}

#endif
