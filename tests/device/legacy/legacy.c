/* legacy.c: creates and resets the legacy device, and sets its identity (legacy.md 1). */
#include "tests/device/legacy/legacy.h"

#include <stdlib.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/device/bus/archive.h"
#include "tests/device/legacy/irq.h"
#include "tests/device/legacy/registers.h"
#include "tests/device/legacy/ring.h"

#define NO_SUBSYSTEM 0u

static void power_on(struct vgpu_legacy *legacy)
{
    legacy->ring = (struct vgpu_legacy_ring){0};
    legacy->fence_completed = 0;
    legacy->bus->scanout.surface.any_pitch = true; /* legacy.md 2 only requires pitch >= width * 4 */
    vgpu_legacy_irq_power_on(legacy);
}

struct vgpu_legacy *vgpu_legacy_create(struct vgpu_bus *bus, struct vgpu_trace *trace)
{
    struct vgpu_legacy *legacy = calloc(1, sizeof *legacy);

    if (legacy != NULL) {
        legacy->bus = bus;
        legacy->trace = trace;
        vgpu_config_space_identify(
            &bus->config, AEROGPU_LEGACY_PCI_DEVICE_ID << 16 | AEROGPU_LEGACY_PCI_VENDOR_ID, NO_SUBSYSTEM);
        power_on(legacy);
    }
    return legacy;
}

void vgpu_legacy_destroy(struct vgpu_legacy *legacy)
{
    free(legacy);
}

static bool legacy_pending(const void *generation)
{
    return vgpu_legacy_ring_pending(generation);
}

static void legacy_service(void *generation)
{
    vgpu_legacy_ring_service(generation);
}

static void legacy_reset(void *generation)
{
    power_on(generation);
}

static const struct vgpu_field legacy_fields[] = {
    VGPU_FIELD(vgpu_legacy, ring.base),       VGPU_FIELD(vgpu_legacy, ring.entry_count),
    VGPU_FIELD(vgpu_legacy, ring.head),       VGPU_FIELD(vgpu_legacy, ring.tail),
    VGPU_FIELD(vgpu_legacy, ring.doorbell),   VGPU_FIELD(vgpu_legacy, ring.batch.active),
    VGPU_FIELD(vgpu_legacy, ring.batch.base), VGPU_FIELD(vgpu_legacy, ring.batch.count),
    VGPU_FIELD(vgpu_legacy, ring.batch.head), VGPU_FIELD(vgpu_legacy, ring.batch.tail),
    VGPU_FIELD(vgpu_legacy, ring.batch.left), VGPU_FIELD(vgpu_legacy, ring.batch.advanced),
    VGPU_FIELD(vgpu_legacy, fence_completed),
};

static void legacy_visit(void *generation, struct vgpu_archive *archive)
{
    VGPU_ARCHIVE_FIELDS(archive, generation, legacy_fields);
}

const struct vgpu_abi vgpu_abi_legacy = {
    .name = "legacy",
    .register_name = vgpu_legacy_register_name,
    .read = vgpu_legacy_register_read,
    .write = vgpu_legacy_register_write,
    .pending = legacy_pending,
    .service = legacy_service,
    .reset = legacy_reset,
    .visit = legacy_visit,
};
