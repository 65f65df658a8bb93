/* registers.c: the register map of BAR0 (device.md 4), from pci/protocol/registers.def. Handlers do a register's
 * immediate effect; DMA work waits for the service point. */
#include "tests/device/versioned/registers.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"

#define LOW(value)         ((uint32_t)(value))
#define HIGH(value)        ((uint32_t)((value) >> 32))
#define SET_LOW(old, low)  (((old) & ~0xFFFFFFFFull) | (low))
#define SET_HIGH(old, top) (((old)&0xFFFFFFFFull) | (uint64_t)(top) << 32)

#define FEATURES LOW(device->features)

/* A getter returns, a setter takes the whole dword; NULL reads 0 or ignores. */
struct vgpu_register {
    const char *name;
    uint32_t (*read)(struct vgpu_device *device);
    void (*write)(struct vgpu_device *device, uint32_t value);
    uint64_t feature; /* without which the device lacks the register, or 0 (device.md 4.1) */
};

#define READER(name, expression)                                                                             \
    static uint32_t read_##name(struct vgpu_device *device)                                                  \
    {                                                                                                        \
        (void)device;                                                                                        \
        return (expression);                                                                                 \
    }
#define WRITER(name, statement)                                                                              \
    static void write_##name(struct vgpu_device *device, uint32_t value)                                     \
    {                                                                                                        \
        statement;                                                                                           \
    }

/* Identification (device.md 4, 4.1). */
READER(magic, AEROGPU_MMIO_MAGIC)
READER(abi_version, device->abi_version)
READER(features_lo, FEATURES)
READER(features_hi, 0)

/* Ring and fence (device.md 4.2, 4.3, 4.5): address halves take effect at once. */
READER(ring_gpa_lo, LOW(device->ring.gpa))
READER(ring_gpa_hi, HIGH(device->ring.gpa))
READER(ring_size, device->ring.size_bytes)
READER(ring_control, device->ring.enabled ? AEROGPU_RING_CONTROL_ENABLE : 0)
READER(fence_gpa_lo, LOW(device->fences.page_gpa))
READER(fence_gpa_hi, HIGH(device->fences.page_gpa))
READER(completed_lo, LOW(device->fences.completed))
READER(completed_hi, HIGH(device->fences.completed))
WRITER(ring_gpa_lo, device->ring.gpa = SET_LOW(device->ring.gpa, value))
WRITER(ring_gpa_hi, device->ring.gpa = SET_HIGH(device->ring.gpa, value))
WRITER(ring_size, device->ring.size_bytes = value)
WRITER(ring_control, vgpu_ring_control(device, value))
WRITER(fence_gpa_lo, device->fences.page_gpa = SET_LOW(device->fences.page_gpa, value))
WRITER(fence_gpa_hi, device->fences.page_gpa = SET_HIGH(device->fences.page_gpa, value))
WRITER(doorbell, (void)value; vgpu_ring_doorbell(device))

/* Interrupts (device.md 4.4): edges that are due latch with the mask that was in force. */
static uint32_t read_irq_status(struct vgpu_device *device)
{
    vgpu_vblank_catch_up(device);
    return device->irq.status;
}

static void write_irq_enable(struct vgpu_device *device, uint32_t value)
{
    vgpu_vblank_catch_up(device);
    vgpu_irq_set_enable(device, value);
}

static void write_irq_ack(struct vgpu_device *device, uint32_t value)
{
    vgpu_irq_clear(device, device->fault == VGPU_FAULT_IRQ_ACK_ALL ? ~0u : value);
}

READER(irq_enable, device->irq.enable)

/* Errors (device.md 4.6). */
READER(error_code, device->errors.code)
READER(error_fence_lo, LOW(device->errors.fence))
READER(error_fence_hi, HIGH(device->errors.fence))
READER(error_count, device->errors.count)

/* Scanout 0 (device.md 4.5, 4.8). */
static void write_scanout_gpa_lo(struct vgpu_device *device, uint32_t value)
{
    struct vgpu_surface_registers *surface = &device->scanout.surface;

    if (device->fault == VGPU_FAULT_FB_GPA_NOT_STAGED) {
        surface->gpa = SET_LOW(surface->gpa, value);
    } else {
        vgpu_surface_set_gpa_lo(surface, value);
    }
}

#define SCANOUT_WRITER(name, statement) WRITER(name, statement; vgpu_scanout_changed(&device->scanout))

READER(scanout_enable, device->scanout.surface.enable)
READER(scanout_width, device->scanout.surface.width)
READER(scanout_height, device->scanout.surface.height)
READER(scanout_format, device->scanout.surface.format)
READER(scanout_pitch, device->scanout.surface.pitch_bytes)
READER(scanout_gpa_lo, vgpu_surface_gpa_lo(&device->scanout.surface))
READER(scanout_gpa_hi, HIGH(device->scanout.surface.gpa))
WRITER(scanout_enable, vgpu_scanout_write_enable(device, &device->scanout, value))
SCANOUT_WRITER(scanout_width, device->scanout.surface.width = value)
SCANOUT_WRITER(scanout_height, device->scanout.surface.height = value)
SCANOUT_WRITER(scanout_format, vgpu_surface_set_format(&device->scanout.surface, value))
SCANOUT_WRITER(scanout_pitch, device->scanout.surface.pitch_bytes = value)
SCANOUT_WRITER(scanout_gpa_hi, vgpu_surface_set_gpa_hi(&device->scanout.surface, value))

/* Vblank counters (device.md 4.7), exact at the moment of the read. */
READER(vblank_seq_lo, (vgpu_vblank_catch_up(device), LOW(device->vblank.sequence)))
READER(vblank_seq_hi, (vgpu_vblank_catch_up(device), HIGH(device->vblank.sequence)))
READER(vblank_time_lo, (vgpu_vblank_catch_up(device), LOW(device->vblank.time_ns)))
READER(vblank_time_hi, (vgpu_vblank_catch_up(device), HIGH(device->vblank.time_ns)))
READER(vblank_period, VGPU_VBLANK_PERIOD_NS)

/* Cursor (device.md 4.5, 4.9). */
READER(cursor_enable, device->cursor.surface.enable)
READER(cursor_x, device->cursor.x)
READER(cursor_y, device->cursor.y)
READER(cursor_hot_x, device->cursor.hot_x)
READER(cursor_hot_y, device->cursor.hot_y)
READER(cursor_width, device->cursor.surface.width)
READER(cursor_height, device->cursor.surface.height)
READER(cursor_format, device->cursor.surface.format)
READER(cursor_gpa_lo, vgpu_surface_gpa_lo(&device->cursor.surface))
READER(cursor_gpa_hi, HIGH(device->cursor.surface.gpa))
READER(cursor_pitch, device->cursor.surface.pitch_bytes)
WRITER(cursor_enable, vgpu_surface_set_enable(&device->cursor.surface, value))
WRITER(cursor_x, device->cursor.x = value)
WRITER(cursor_y, device->cursor.y = value)
WRITER(cursor_hot_x, device->cursor.hot_x = value)
WRITER(cursor_hot_y, device->cursor.hot_y = value)
WRITER(cursor_width, device->cursor.surface.width = value)
WRITER(cursor_height, device->cursor.surface.height = value)
WRITER(cursor_format, vgpu_surface_set_format(&device->cursor.surface, value))
WRITER(cursor_gpa_lo, vgpu_surface_set_gpa_lo(&device->cursor.surface, value))
WRITER(cursor_gpa_hi, vgpu_surface_set_gpa_hi(&device->cursor.surface, value))
WRITER(cursor_pitch, device->cursor.surface.pitch_bytes = value)

#define RO(handler) read_##handler, NULL
#define RW(handler) read_##handler, write_##handler
#define WO(handler) NULL, write_##handler

static const struct vgpu_register registers[] = {
#define AEROGPU_REGISTER(NAME, handler, offset, access, kind, reset, feature, section)                       \
    [(offset) / 4] = {#NAME, access(handler), feature},
#include "pci/protocol/registers.def"
};

/* The register that holds the dword at offset, NULL when none does. */
static const struct vgpu_register *find_register(uint64_t offset)
{
    const uint64_t index = offset / 4;

    if (index >= sizeof registers / sizeof registers[0] || registers[index].name == NULL) {
        return NULL;
    }
    return &registers[index];
}

const char *vgpu_register_name(uint64_t offset)
{
    const struct vgpu_register *reg = find_register(offset);

    return reg != NULL ? reg->name : NULL;
}

/* The same, of this device; a block that it lacks reads 0 and ignores writes, as any place without a register. */
static const struct vgpu_register *register_of(const struct vgpu_device *device, uint64_t offset)
{
    const struct vgpu_register *reg = find_register(offset);

    return reg != NULL && (reg->feature & ~device->features) == 0 ? reg : NULL;
}

uint32_t vgpu_register_read(struct vgpu_device *device, uint64_t offset)
{
    const struct vgpu_register *reg = register_of(device, offset);

    return reg != NULL && reg->read != NULL ? reg->read(device) : 0;
}

void vgpu_register_write(struct vgpu_device *device, uint64_t offset, uint32_t value)
{
    const struct vgpu_register *reg = register_of(device, offset);

    if (reg != NULL && reg->write != NULL) {
        reg->write(device, value);
    }
}
