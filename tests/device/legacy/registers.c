/* registers.c: BAR0 of the legacy device (legacy.md 2), from pci/protocol/legacy_registers.def. */
#include "tests/device/legacy/registers.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/device/bus/scanout.h"
#include "tests/device/bus/vblank.h"
#include "tests/device/legacy/irq.h"
#include "tests/device/legacy/ring.h"

#define LOW(value)         ((uint32_t)(value))
#define HIGH(value)        ((uint32_t)((value) >> 32))
#define SET_LOW(old, low)  (((old) & ~0xFFFFFFFFull) | (low))
#define SET_HIGH(old, top) (((old)&0xFFFFFFFFull) | (uint64_t)(top) << 32)

struct legacy_register {
    uint32_t offset;
    const char *name;
    uint32_t (*read)(struct vgpu_legacy *legacy);              /* NULL: reads 0 */
    void (*write)(struct vgpu_legacy *legacy, uint32_t value); /* NULL: writes are ignored */
};

#define READER(name, expression)                                                                             \
    static uint32_t legacy_read_##name(struct vgpu_legacy *legacy)                                           \
    {                                                                                                        \
        (void)legacy;                                                                                        \
        return (expression);                                                                                 \
    }
#define WRITER(name, statement)                                                                              \
    static void legacy_write_##name(struct vgpu_legacy *legacy, uint32_t value)                              \
    {                                                                                                        \
        statement;                                                                                           \
    }

/* Identification. */
READER(magic, AEROGPU_LEGACY_MMIO_MAGIC)
READER(version, AEROGPU_LEGACY_MMIO_VERSION)
READER(features_lo, AEROGPU_LEGACY_FEATURE_VBLANK)
READER(features_hi, 0)

/* Ring and fence. */
READER(ring_base_lo, LOW(legacy->ring.base))
READER(ring_base_hi, HIGH(legacy->ring.base))
READER(ring_entry_count, legacy->ring.entry_count)
READER(ring_head, legacy->ring.head)
READER(ring_tail, legacy->ring.tail)
READER(fence_completed, legacy->fence_completed)
WRITER(ring_base_lo, legacy->ring.base = SET_LOW(legacy->ring.base, value))
WRITER(ring_base_hi, legacy->ring.base = SET_HIGH(legacy->ring.base, value))
WRITER(ring_entry_count, vgpu_legacy_ring_set_entry_count(legacy, value))
WRITER(ring_head, legacy->ring.head = value)
WRITER(ring_tail, legacy->ring.tail = value)
WRITER(ring_doorbell, (void)value; vgpu_legacy_ring_doorbell(legacy))

/* Interrupts: a vblank edge that is due latches with the old mask. */
static void legacy_write_irq_enable(struct vgpu_legacy *legacy, uint32_t value)
{
    vgpu_vblank_catch_up(legacy->bus);
    vgpu_legacy_irq_set_enable(legacy, value);
}

READER(int_status, legacy->bus->irq.unmasked)
READER(irq_status, (vgpu_vblank_catch_up(legacy->bus), legacy->bus->irq.status))
READER(irq_enable, legacy->bus->irq.enable)
WRITER(int_ack, vgpu_legacy_irq_int_ack(legacy, value))
WRITER(irq_ack, vgpu_legacy_irq_ack(legacy, value))

/* Scanout. */
#define SURFACE                         (&legacy->bus->scanout.surface)
#define SCANOUT_WRITER(name, statement) WRITER(name, statement; vgpu_scanout_changed(&legacy->bus->scanout))

READER(scanout_fb_lo, vgpu_surface_gpa_lo(SURFACE))
READER(scanout_fb_hi, HIGH(SURFACE->gpa))
READER(scanout_pitch, SURFACE->pitch_bytes)
READER(scanout_width, SURFACE->width)
READER(scanout_height, SURFACE->height)
READER(scanout_format, vgpu_surface_is_bgrx(SURFACE) ? AEROGPU_LEGACY_SCANOUT_X8R8G8B8 : 0)
READER(scanout_enable, SURFACE->enable)
WRITER(scanout_fb_lo, vgpu_surface_set_gpa_lo(SURFACE, value))
SCANOUT_WRITER(scanout_fb_hi, vgpu_surface_set_gpa_hi(SURFACE, value))
SCANOUT_WRITER(scanout_pitch, SURFACE->pitch_bytes = value)
SCANOUT_WRITER(scanout_width, SURFACE->width = value)
SCANOUT_WRITER(scanout_height, SURFACE->height = value)
SCANOUT_WRITER(scanout_format, vgpu_surface_set_bgrx(SURFACE, value == AEROGPU_LEGACY_SCANOUT_X8R8G8B8))
WRITER(scanout_enable, vgpu_scanout_write_enable(legacy->bus, &legacy->bus->scanout, value))

/* Vblank counters, exact at the moment of the read. */
static const struct vgpu_vblank *vblank_now(struct vgpu_legacy *legacy)
{
    vgpu_vblank_catch_up(legacy->bus);
    return &legacy->bus->vblank;
}

READER(vblank_seq_lo, LOW(vblank_now(legacy)->sequence))
READER(vblank_seq_hi, HIGH(vblank_now(legacy)->sequence))
READER(vblank_time_lo, LOW(vblank_now(legacy)->time_ns))
READER(vblank_time_hi, HIGH(vblank_now(legacy)->time_ns))
READER(vblank_period, VGPU_VBLANK_PERIOD_NS)

#define RO(handler) legacy_read_##handler, NULL
#define RW(handler) legacy_read_##handler, legacy_write_##handler
#define WO(handler) NULL, legacy_write_##handler

static const struct legacy_register registers[] = {
#define AEROGPU_REGISTER(NAME, handler, offset, access, kind, reset, feature, section)                       \
    {offset, #NAME, access(handler)},
#include "pci/protocol/legacy_registers.def"
};

/* Returns the register of the dword at offset, NULL when there is none. */
static const struct legacy_register *find_legacy_register(uint64_t offset)
{
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        if (registers[i].offset == (offset & ~3ull)) {
            return &registers[i];
        }
    }
    return NULL;
}

const char *vgpu_legacy_register_name(uint64_t offset)
{
    const struct legacy_register *reg = find_legacy_register(offset);

    return reg != NULL ? reg->name : NULL;
}

uint32_t vgpu_legacy_register_read(void *generation, uint64_t offset)
{
    const struct legacy_register *reg = find_legacy_register(offset);

    return reg != NULL && reg->read != NULL ? reg->read(generation) : 0;
}

void vgpu_legacy_register_write(void *generation, uint64_t offset, uint32_t value)
{
    const struct legacy_register *reg = find_legacy_register(offset);

    if (reg != NULL && reg->write != NULL) {
        reg->write(generation, value);
    }
}
