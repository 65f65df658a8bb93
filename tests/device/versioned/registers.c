/* registers.c: the register map of BAR0 (device.md 4), from pci/protocol/registers.def. Handlers do the
 * immediate effect of a register; DMA work waits for the service point. */
#include "tests/device/versioned/registers.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/irq.h"
#include "tests/device/bus/scanout.h"
#include "tests/device/bus/vblank.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/ring.h"

#define LOW(value)         ((uint32_t)(value))
#define HIGH(value)        ((uint32_t)((value) >> 32))
#define SET_LOW(old, low)  (((old) & ~0xFFFFFFFFull) | (low))
#define SET_HIGH(old, top) (((old)&0xFFFFFFFFull) | (uint64_t)(top) << 32)

#define FEATURES LOW(engine->bus->features)

/* Reads and writes are of the whole dword. NULL: reads 0, ignores writes. */
struct vgpu_register {
    const char *name;
    uint32_t (*read)(struct vgpu_engine *engine);
    void (*write)(struct vgpu_engine *engine, uint32_t value);
    uint64_t feature; /* feature that the register requires (device.md 4.1), or 0 */
};

#define READER(name, expression)                                                                             \
    static uint32_t read_##name(struct vgpu_engine *engine)                                                  \
    {                                                                                                        \
        (void)engine;                                                                                        \
        return (expression);                                                                                 \
    }
#define WRITER(name, statement)                                                                              \
    static void write_##name(struct vgpu_engine *engine, uint32_t value)                                     \
    {                                                                                                        \
        statement;                                                                                           \
    }

/* Identification (device.md 4, 4.1). */
READER(magic, AEROGPU_MMIO_MAGIC)
READER(abi_version, engine->bus->abi_version)
READER(features_lo, FEATURES)
READER(features_hi, 0)

/* Ring and fence (device.md 4.2, 4.3, 4.5): address halves take effect at once. */
READER(ring_gpa_lo, LOW(engine->ring.gpa))
READER(ring_gpa_hi, HIGH(engine->ring.gpa))
READER(ring_size, engine->ring.size_bytes)
READER(ring_control, engine->ring.enabled ? AEROGPU_RING_CONTROL_ENABLE : 0)
READER(fence_gpa_lo, LOW(engine->fences.page_gpa))
READER(fence_gpa_hi, HIGH(engine->fences.page_gpa))
READER(completed_lo, LOW(engine->fences.completed))
READER(completed_hi, HIGH(engine->fences.completed))
WRITER(ring_gpa_lo, engine->ring.gpa = SET_LOW(engine->ring.gpa, value))
WRITER(ring_gpa_hi, engine->ring.gpa = SET_HIGH(engine->ring.gpa, value))
WRITER(ring_size, engine->ring.size_bytes = value)
WRITER(ring_control, vgpu_ring_control(engine, value))
WRITER(fence_gpa_lo, engine->fences.page_gpa = SET_LOW(engine->fences.page_gpa, value))
WRITER(fence_gpa_hi, engine->fences.page_gpa = SET_HIGH(engine->fences.page_gpa, value))
WRITER(doorbell, (void)value; vgpu_ring_doorbell(engine))

/* Interrupts (device.md 4.4): a vblank edge that is due latches with the old mask. */
static uint32_t read_irq_status(struct vgpu_engine *engine)
{
    vgpu_vblank_catch_up(engine->bus);
    return engine->bus->irq.status;
}

static void write_irq_enable(struct vgpu_engine *engine, uint32_t value)
{
    vgpu_vblank_catch_up(engine->bus);
    vgpu_irq_set_enable(engine->bus, value);
}

static void write_irq_ack(struct vgpu_engine *engine, uint32_t value)
{
    vgpu_irq_clear(engine->bus, value);
}

READER(irq_enable, engine->bus->irq.enable)

/* Errors (device.md 4.6). */
READER(error_code, engine->errors.code)
READER(error_fence_lo, LOW(engine->errors.fence))
READER(error_fence_hi, HIGH(engine->errors.fence))
READER(error_count, engine->errors.count)

/* Scanout 0 (device.md 4.5, 4.8). */
#define SCANOUT_WRITER(name, statement) WRITER(name, statement; vgpu_scanout_changed(&engine->bus->scanout))

READER(scanout_enable, engine->bus->scanout.surface.enable)
READER(scanout_width, engine->bus->scanout.surface.width)
READER(scanout_height, engine->bus->scanout.surface.height)
READER(scanout_format, engine->bus->scanout.surface.format)
READER(scanout_pitch, engine->bus->scanout.surface.pitch_bytes)
READER(scanout_gpa_lo, vgpu_surface_gpa_lo(&engine->bus->scanout.surface))
READER(scanout_gpa_hi, HIGH(engine->bus->scanout.surface.gpa))
WRITER(scanout_enable, vgpu_scanout_write_enable(engine->bus, &engine->bus->scanout, value))
SCANOUT_WRITER(scanout_width, engine->bus->scanout.surface.width = value)
SCANOUT_WRITER(scanout_height, engine->bus->scanout.surface.height = value)
SCANOUT_WRITER(scanout_format, vgpu_surface_set_format(&engine->bus->scanout.surface, value))
SCANOUT_WRITER(scanout_pitch, engine->bus->scanout.surface.pitch_bytes = value)
WRITER(scanout_gpa_lo, vgpu_surface_set_gpa_lo(&engine->bus->scanout.surface, value))
SCANOUT_WRITER(scanout_gpa_hi, vgpu_surface_set_gpa_hi(&engine->bus->scanout.surface, value))

/* Vblank counters (device.md 4.7), exact at the moment of the read. */
READER(vblank_seq_lo, (vgpu_vblank_catch_up(engine->bus), LOW(engine->bus->vblank.sequence)))
READER(vblank_seq_hi, (vgpu_vblank_catch_up(engine->bus), HIGH(engine->bus->vblank.sequence)))
READER(vblank_time_lo, (vgpu_vblank_catch_up(engine->bus), LOW(engine->bus->vblank.time_ns)))
READER(vblank_time_hi, (vgpu_vblank_catch_up(engine->bus), HIGH(engine->bus->vblank.time_ns)))
READER(vblank_period, VGPU_VBLANK_PERIOD_NS)

/* Cursor (device.md 4.5, 4.9). */
READER(cursor_enable, engine->bus->cursor.surface.enable)
READER(cursor_x, engine->bus->cursor.x)
READER(cursor_y, engine->bus->cursor.y)
READER(cursor_hot_x, engine->bus->cursor.hot_x)
READER(cursor_hot_y, engine->bus->cursor.hot_y)
READER(cursor_width, engine->bus->cursor.surface.width)
READER(cursor_height, engine->bus->cursor.surface.height)
READER(cursor_format, engine->bus->cursor.surface.format)
READER(cursor_gpa_lo, vgpu_surface_gpa_lo(&engine->bus->cursor.surface))
READER(cursor_gpa_hi, HIGH(engine->bus->cursor.surface.gpa))
READER(cursor_pitch, engine->bus->cursor.surface.pitch_bytes)
WRITER(cursor_enable, vgpu_surface_set_enable(&engine->bus->cursor.surface, value))
WRITER(cursor_x, engine->bus->cursor.x = value)
WRITER(cursor_y, engine->bus->cursor.y = value)
WRITER(cursor_hot_x, engine->bus->cursor.hot_x = value)
WRITER(cursor_hot_y, engine->bus->cursor.hot_y = value)
WRITER(cursor_width, engine->bus->cursor.surface.width = value)
WRITER(cursor_height, engine->bus->cursor.surface.height = value)
WRITER(cursor_format, vgpu_surface_set_format(&engine->bus->cursor.surface, value))
WRITER(cursor_gpa_lo, vgpu_surface_set_gpa_lo(&engine->bus->cursor.surface, value))
WRITER(cursor_gpa_hi, vgpu_surface_set_gpa_hi(&engine->bus->cursor.surface, value))
WRITER(cursor_pitch, engine->bus->cursor.surface.pitch_bytes = value)

#define RO(handler) read_##handler, NULL
#define RW(handler) read_##handler, write_##handler
#define WO(handler) NULL, write_##handler

static const struct vgpu_register registers[] = {
#define AEROGPU_REGISTER(NAME, handler, offset, access, kind, reset, feature, section)                       \
    [(offset) / 4] = {#NAME, access(handler), feature},
#include "pci/protocol/registers.def"
};

/* Returns the register of the dword at offset, NULL when there is none. */
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

/* Returns the register at offset of this device, NULL without one: a block that the device lacks reads 0 and ignores
 * writes, like an offset without a register. */
static const struct vgpu_register *register_of(const struct vgpu_engine *engine, uint64_t offset)
{
    const struct vgpu_register *reg = find_register(offset);

    return reg != NULL && (reg->feature & ~engine->bus->features) == 0 ? reg : NULL;
}

uint32_t vgpu_register_read(void *generation, uint64_t offset)
{
    struct vgpu_engine *engine = generation;
    const struct vgpu_register *reg = register_of(engine, offset);

    return reg != NULL && reg->read != NULL ? reg->read(engine) : 0;
}

void vgpu_register_write(void *generation, uint64_t offset, uint32_t value)
{
    struct vgpu_engine *engine = generation;
    const struct vgpu_register *reg = register_of(engine, offset);

    if (reg != NULL && reg->write != NULL) {
        reg->write(engine, value);
    }
}
