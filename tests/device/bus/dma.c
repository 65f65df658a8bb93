/* dma.c: guest memory through the machine's callbacks, piece by piece when a range is not mapped as a
 * whole. */
#include "tests/device/bus/dma.h"

#include <string.h>

#include "tests/device/bus/bus.h"

/* FB_GPA may point into BAR1 (device.md 4.8), which the machine does not treat as memory. */
static void *map_vram(struct vgpu_bus *bus, uint64_t gpa, uint64_t size)
{
    const uint64_t base = vgpu_config_space_bar1(&bus->config);

    if (base == 0 || gpa < base || gpa - base >= bus->vram.size || size > bus->vram.size - (gpa - base) ||
        !vgpu_config_space_has(&bus->config, VGPU_CONFIG_COMMAND_MEMORY)) {
        return NULL;
    }
    return (uint8_t *)bus->vram.bytes + (gpa - base);
}

void *vgpu_dma_map(struct vgpu_bus *bus, uint64_t gpa, uint64_t size, bool write)
{
    void *bytes = bus->machine.dma_pointer(bus->machine.ctx, gpa, size, write);

    return bytes != NULL ? bytes : map_vram(bus, gpa, size);
}

/* Stores the length of the piece at gpa (at most size) and returns its pointer, or NULL for the rest of an
 * unmapped page. */
static void *dma_piece(struct vgpu_bus *bus, uint64_t gpa, uint64_t size, bool write, uint64_t *length)
{
    const uint64_t to_page_end = 0x1000u - (gpa & 0xFFFu);
    uint64_t extent = bus->machine.dma_extent(bus->machine.ctx, gpa, write);
    void *bytes;

    if (extent > size) {
        extent = size;
    }
    if (extent > 0) {
        bytes = vgpu_dma_map(bus, gpa, extent, write);
    } else {
        extent = size < to_page_end ? size : to_page_end;
        bytes = map_vram(bus, gpa, extent);
    }
    *length = extent;
    return bytes;
}

/* Not inlined: an access that is one piece, the usual case, would otherwise pay for the stack frame of this
 * loop. */
static __attribute__((noinline)) void read_pieces(struct vgpu_bus *bus, uint64_t gpa, uint8_t *to,
                                                  uint64_t size)
{
    while (size > 0) {
        uint64_t length;
        const void *from = dma_piece(bus, gpa, size, false, &length);

        if (from != NULL) {
            memcpy(to, from, length);
        } else {
            memset(to, 0xFF, length);
        }
        to += length;
        gpa += length;
        size -= length;
    }
}

void vgpu_dma_read(struct vgpu_bus *bus, uint64_t gpa, void *out, uint64_t size)
{
    uint8_t *to = out;

    if (size == 0) {
        return;
    }
    bus->stats.dma_read_bytes += size;
    const void *whole = vgpu_dma_map(bus, gpa, size, false);
    if (whole != NULL) {
        memcpy(to, whole, size);
        return;
    }
    read_pieces(bus, gpa, to, size);
}

static __attribute__((noinline)) void write_pieces(struct vgpu_bus *bus, uint64_t gpa, const uint8_t *from,
                                                   uint64_t size)
{
    while (size > 0) {
        uint64_t length;
        void *to = dma_piece(bus, gpa, size, true, &length);

        if (to != NULL) {
            memcpy(to, from, length);
        }
        from += length;
        gpa += length;
        size -= length;
    }
}

void vgpu_dma_write(struct vgpu_bus *bus, uint64_t gpa, const void *data, uint64_t size)
{
    const uint8_t *from = data;

    if (size == 0) {
        return;
    }
    bus->stats.dma_written_bytes += size;
    void *whole = vgpu_dma_map(bus, gpa, size, true);
    if (whole != NULL) {
        memcpy(whole, from, size);
        return;
    }
    write_pieces(bus, gpa, from, size);
}

void vgpu_dma_publish32(struct vgpu_bus *bus, uint64_t gpa, uint32_t value)
{
    void *word = vgpu_dma_map(bus, gpa, sizeof value, true);

    if (word != NULL && ((uintptr_t)word & (sizeof value - 1)) == 0) {
        __atomic_store_n((uint32_t *)word, value, __ATOMIC_RELEASE);
        bus->stats.dma_written_bytes += sizeof value;
    } else {
        __atomic_thread_fence(__ATOMIC_RELEASE);
        vgpu_dma_write(bus, gpa, &value, sizeof value);
    }
}

void vgpu_dma_publish64(struct vgpu_bus *bus, uint64_t gpa, uint64_t value)
{
    void *word = vgpu_dma_map(bus, gpa, sizeof value, true);

    if (word != NULL && ((uintptr_t)word & (sizeof value - 1)) == 0) {
        __atomic_store_n((uint64_t *)word, value, __ATOMIC_RELEASE);
        bus->stats.dma_written_bytes += sizeof value;
    } else {
        __atomic_thread_fence(__ATOMIC_RELEASE);
        vgpu_dma_write(bus, gpa, &value, sizeof value);
    }
}
