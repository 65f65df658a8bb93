/* registers.c: the register map of BAR0 (device.md 4). Handlers do a register's immediate effect; DMA work
 * waits for the service point. */
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

#define RO(name, handler) [AEROGPU_MMIO_REG_##name / 4] = {#name, read_##handler, NULL}
#define RW(name, handler) [AEROGPU_MMIO_REG_##name / 4] = {#name, read_##handler, write_##handler}
#define WO(name, handler) [AEROGPU_MMIO_REG_##name / 4] = {#name, NULL, write_##handler}

static const struct vgpu_register registers[] = {
    RO(MAGIC, magic),
    RO(ABI_VERSION, abi_version),
    RO(FEATURES_LO, features_lo),
    RO(FEATURES_HI, features_hi),
    RW(RING_GPA_LO, ring_gpa_lo),
    RW(RING_GPA_HI, ring_gpa_hi),
    RW(RING_SIZE_BYTES, ring_size),
    RW(RING_CONTROL, ring_control),
    RW(FENCE_GPA_LO, fence_gpa_lo),
    RW(FENCE_GPA_HI, fence_gpa_hi),
    RO(COMPLETED_FENCE_LO, completed_lo),
    RO(COMPLETED_FENCE_HI, completed_hi),
    WO(DOORBELL, doorbell),
    RO(IRQ_STATUS, irq_status),
    RW(IRQ_ENABLE, irq_enable),
    WO(IRQ_ACK, irq_ack),
    RO(ERROR_CODE, error_code),
    RO(ERROR_FENCE_LO, error_fence_lo),
    RO(ERROR_FENCE_HI, error_fence_hi),
    RO(ERROR_COUNT, error_count),
    RW(SCANOUT0_ENABLE, scanout_enable),
    RW(SCANOUT0_WIDTH, scanout_width),
    RW(SCANOUT0_HEIGHT, scanout_height),
    RW(SCANOUT0_FORMAT, scanout_format),
    RW(SCANOUT0_PITCH_BYTES, scanout_pitch),
    RW(SCANOUT0_FB_GPA_LO, scanout_gpa_lo),
    RW(SCANOUT0_FB_GPA_HI, scanout_gpa_hi),
    RO(SCANOUT0_VBLANK_SEQ_LO, vblank_seq_lo),
    RO(SCANOUT0_VBLANK_SEQ_HI, vblank_seq_hi),
    RO(SCANOUT0_VBLANK_TIME_NS_LO, vblank_time_lo),
    RO(SCANOUT0_VBLANK_TIME_NS_HI, vblank_time_hi),
    RO(SCANOUT0_VBLANK_PERIOD_NS, vblank_period),
    RW(CURSOR_ENABLE, cursor_enable),
    RW(CURSOR_X, cursor_x),
    RW(CURSOR_Y, cursor_y),
    RW(CURSOR_HOT_X, cursor_hot_x),
    RW(CURSOR_HOT_Y, cursor_hot_y),
    RW(CURSOR_WIDTH, cursor_width),
    RW(CURSOR_HEIGHT, cursor_height),
    RW(CURSOR_FORMAT, cursor_format),
    RW(CURSOR_FB_GPA_LO, cursor_gpa_lo),
    RW(CURSOR_FB_GPA_HI, cursor_gpa_hi),
    RW(CURSOR_PITCH_BYTES, cursor_pitch),
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

/* The feature that a register belongs to, 0 for those that every device has (device.md 4.1). */
static uint64_t feature_of(uint64_t offset)
{
    static const struct {
        uint64_t first, last, feature;
    } blocks[] = {
        {AEROGPU_MMIO_REG_FENCE_GPA_LO, AEROGPU_MMIO_REG_FENCE_GPA_HI, AEROGPU_FEATURE_FENCE_PAGE},
        {AEROGPU_MMIO_REG_ERROR_CODE, AEROGPU_MMIO_REG_ERROR_COUNT, AEROGPU_FEATURE_ERROR_INFO},
        {AEROGPU_MMIO_REG_SCANOUT0_ENABLE, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, AEROGPU_FEATURE_SCANOUT},
        {AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS,
         AEROGPU_FEATURE_VBLANK},
        {AEROGPU_MMIO_REG_CURSOR_ENABLE, AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES, AEROGPU_FEATURE_CURSOR},
    };

    for (unsigned i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (offset >= blocks[i].first && offset <= blocks[i].last) {
            return blocks[i].feature;
        }
    }
    return 0;
}

/* The same, of this device; a block that it lacks reads 0 and ignores writes, as any place without a register. */
static const struct vgpu_register *register_of(const struct vgpu_device *device, uint64_t offset)
{
    return (feature_of(offset) & ~device->features) != 0 ? NULL : find_register(offset);
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
