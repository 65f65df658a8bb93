/* legacy.c: life cycle of the legacy device, and its identity (legacy.md 1). */
#include "tests/device/legacy/legacy.h"

#include <stdlib.h>

#include "pci/aerogpu_legacy.h"
#include "tests/device/abi.h"
#include "tests/device/config_space.h"
#include "tests/device/legacy/legacy_private.h"
#include "tests/device/scanout.h"

#define NO_SUBSYSTEM 0u

static void power_on(struct agpu_legacy *legacy)
{
    legacy->ring = (struct agpu_legacy_ring){0};
    legacy->fence_completed = 0;
    legacy->shared.scanout->surface.any_pitch = true; /* legacy.md 2 asks for pitch >= width * 4 only */
    agpu_legacy_irq_power_on(legacy);
}

struct agpu_legacy *agpu_legacy_create(const struct agpu_legacy_shared *shared)
{
    struct agpu_legacy *legacy = calloc(1, sizeof *legacy);

    if (legacy != NULL) {
        legacy->shared = *shared;
        agpu_config_space_identify(shared->config, AEROGPU_PCI_DEVICE_ID << 16 | AEROGPU_PCI_VENDOR_ID,
                                   NO_SUBSYSTEM);
        power_on(legacy);
    }
    return legacy;
}

void agpu_legacy_destroy(struct agpu_legacy *legacy)
{
    free(legacy);
}

static bool pending(const struct agpu_device *device)
{
    return agpu_legacy_ring_pending(agpu_device_legacy(device));
}

static void service(struct agpu_device *device)
{
    agpu_legacy_ring_service(agpu_device_legacy(device));
}

static void reset(struct agpu_device *device)
{
    power_on(agpu_device_legacy(device));
}

const struct agpu_abi agpu_abi_legacy = {
    .name = "legacy",
    .register_name = agpu_legacy_register_name,
    .read = agpu_legacy_register_read,
    .write = agpu_legacy_register_write,
    .pending = pending,
    .service = service,
    .reset = reset,
};
