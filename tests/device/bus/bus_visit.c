/* bus_visit.c: configuration space, interrupts, vblank clock, scanout, cursor, video memory. */
#include "tests/device/bus/bus_visit.h"

#include <unistd.h>

#include "tests/device/bus/archive.h"
#include "tests/device/bus/bus.h"

static const struct vgpu_field config_fields[] = {
    VGPU_FIELD_UP_TO(vgpu_config_space, power_state, 3),
    VGPU_FIELD(vgpu_config_space, off),
    VGPU_FIELD(vgpu_config_space, msix),
    VGPU_FIELD(vgpu_config_space, msix_pending),
};

static const struct vgpu_field irq_fields[] = {
    VGPU_FIELD(vgpu_irq, status), VGPU_FIELD(vgpu_irq, enable), VGPU_FIELD(vgpu_irq, unmasked),
    VGPU_FIELD(vgpu_irq, line),   VGPU_FIELD(vgpu_irq, sent),
};

static const struct vgpu_field vblank_fields[] = {
    VGPU_FIELD(vgpu_vblank, running),
    VGPU_FIELD(vgpu_vblank, sequence),
    VGPU_FIELD(vgpu_vblank, time_ns),
    VGPU_FIELD(vgpu_vblank, next_edge_ns),
};

static const struct vgpu_field surface_fields[] = {
    VGPU_FIELD(vgpu_surface_registers, enable),      VGPU_FIELD(vgpu_surface_registers, width),
    VGPU_FIELD(vgpu_surface_registers, height),      VGPU_FIELD(vgpu_surface_registers, format),
    VGPU_FIELD(vgpu_surface_registers, pitch_bytes), VGPU_FIELD(vgpu_surface_registers, gpa),
    VGPU_FIELD(vgpu_surface_registers, staged_lo),   VGPU_FIELD(vgpu_surface_registers, staged),
};

static const struct vgpu_field scanout_fields[] = {
    VGPU_FIELD(vgpu_scanout, owns_output),
};

static const struct vgpu_field cursor_fields[] = {
    VGPU_FIELD(vgpu_cursor, x),
    VGPU_FIELD(vgpu_cursor, y),
    VGPU_FIELD(vgpu_cursor, hot_x),
    VGPU_FIELD(vgpu_cursor, hot_y),
};

/* The part that no write changes states what the device is: a stream of another device is refused. */
static void visit_config(struct vgpu_config_space *config, struct vgpu_archive *archive)
{
    for (uint32_t i = 0; i < VGPU_CONFIG_DWORDS; i++) {
        const uint32_t writable = config->writable[i], fixed = config->value[i] & ~writable;

        vgpu_archive_same(archive, "configuration space", fixed);
        config->value[i] = fixed | ((uint32_t)vgpu_archive_number(archive, "configuration space",
                                                                  config->value[i] & writable, UINT32_MAX) &
                                    writable);
    }
    VGPU_ARCHIVE_FIELDS(archive, config, config_fields);
}

/* Saves the parts of the file that have contents; the rest is zero. */
static void visit_vram(const struct vgpu_device_vram *vram, struct vgpu_archive *archive)
{
    uint64_t at = 0, end = 0;

    while (vgpu_archive_good(archive)) {
        if (!archive->loading) {
            const off_t data = vram->fd >= 0 ? lseek(vram->fd, (off_t)end, SEEK_DATA) : -1;

            at = data >= 0 ? (uint64_t)data : 0;
            end = data >= 0 ? (uint64_t)lseek(vram->fd, data, SEEK_HOLE) : 0;
        }
        at = vgpu_archive_number(archive, "start in video memory", at, vram->size);
        end = vgpu_archive_number(archive, "end in video memory", end, vram->size);
        if (end == 0 || !vgpu_archive_expect(archive, at < end, "an end after its start in video memory")) {
            break;
        }
        vgpu_archive_bytes(archive, (uint8_t *)vram->bytes + at, end - at);
    }
}

void vgpu_bus_visit(struct vgpu_bus *bus, struct vgpu_archive *archive)
{
    vgpu_archive_same(archive, "ABI version", bus->abi_version);
    vgpu_archive_same(archive, "features", bus->features);
    vgpu_archive_same(archive, "size of video memory", bus->vram.size);
    visit_config(&bus->config, archive);
    VGPU_ARCHIVE_FIELDS(archive, &bus->irq, irq_fields);
    VGPU_ARCHIVE_FIELDS(archive, &bus->vblank, vblank_fields);
    VGPU_ARCHIVE_FIELDS(archive, &bus->scanout.surface, surface_fields);
    VGPU_ARCHIVE_FIELDS(archive, &bus->scanout, scanout_fields);
    VGPU_ARCHIVE_FIELDS(archive, &bus->cursor.surface, surface_fields);
    VGPU_ARCHIVE_FIELDS(archive, &bus->cursor, cursor_fields);
    visit_vram(&bus->vram, archive);
}
