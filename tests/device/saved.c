/* saved.c: header, bus, generation and checksum of a saved device. */
#include "tests/device/saved.h"

#include <stdio.h>

#include "tests/device/bus/archive.h"
#include "tests/device/bus/bus_visit.h"
#include "tests/device/device_private.h"

#define SAVED_MAGIC   UINT64_C(0x4556415355504741) /* "AGPUSAVE" */
#define SAVED_VERSION 1u

static bool visit_device(struct vgpu_device *device, struct vgpu_archive *archive, char *message,
                         size_t message_size)
{
    vgpu_archive_same(archive, "magic", SAVED_MAGIC);
    vgpu_archive_same(archive, "version", SAVED_VERSION);
    vgpu_archive_same(archive, "legacy device", device->legacy != NULL);
    if (vgpu_archive_good(archive)) {
        vgpu_bus_visit(&device->bus, archive);
        device->bus.abi->visit(device->bus.generation, archive);
        vgpu_archive_same(archive, "checksum", archive->sum);
        vgpu_archive_expect(archive, archive->left == 0, "the end of the stream after the checksum");
    }
    snprintf(message, message_size, "saved state: %s", archive->wrong);
    return vgpu_archive_good(archive);
}

bool vgpu_device_save(struct vgpu_device *device, bool (*write)(void *ctx, const void *bytes, uint64_t size),
                      void *ctx, char *message, size_t message_size)
{
    struct vgpu_archive archive = {.write = write, .ctx = ctx};

    return visit_device(device, &archive, message, message_size);
}

bool vgpu_device_load(struct vgpu_device *device, const void *bytes, uint64_t size, char *message,
                      size_t message_size)
{
    struct vgpu_archive archive = {.loading = true, .next = bytes, .left = size};

    if (!visit_device(device, &archive, message, message_size)) {
        return false;
    }
    if (device->bus.irq.line) { /* a new device drives the line low */
        device->bus.machine.set_intx(device->bus.machine.ctx, true);
    }
    return true;
}
