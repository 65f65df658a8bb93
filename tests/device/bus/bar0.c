/* bar0.c: access rules of BAR0 (device.md 3). */
#include "tests/device/bus/bar0.h"

#include "tests/device/bus/bus.h"

static void count_miss(const struct vgpu_bus *bus, uint32_t *counts, uint64_t offset)
{
    const uint64_t index = offset / 4;

    if (index < VGPU_BAR0_DWORDS && bus->abi->register_name(offset) == NULL && counts[index] != UINT32_MAX) {
        counts[index]++;
    }
}

static uint32_t read_dword(struct vgpu_bus *bus, uint64_t offset)
{
    count_miss(bus, bus->misses->reads, offset);
    return bus->abi->read(bus->generation, offset);
}

static void write_dword(struct vgpu_bus *bus, uint64_t offset, uint32_t value)
{
    count_miss(bus, bus->misses->writes, offset);
    bus->abi->write(bus->generation, offset, value);
}

uint64_t vgpu_bar0_read(struct vgpu_bus *bus, uint64_t offset, uint32_t size)
{
    switch (size) {
    case 8: {
        const uint64_t low = read_dword(bus, offset);

        return low | (uint64_t)read_dword(bus, offset + 4) << 32;
    }
    case 4: /* unaligned: the low address bits are dropped */
        return read_dword(bus, offset);
    case 2: /* crossing the dword: truncated to it */
        return (read_dword(bus, offset) >> (offset % 4 * 8)) & 0xFFFFu;
    case 1:
        return (read_dword(bus, offset) >> (offset % 4 * 8)) & 0xFFu;
    default:
        return 0;
    }
}

void vgpu_bar0_write(struct vgpu_bus *bus, uint64_t offset, uint32_t size, uint64_t value)
{
    const uint32_t low = (uint32_t)value;

    if (size == 8) {
        write_dword(bus, offset, low);
        write_dword(bus, offset + 4, (uint32_t)(value >> 32));
    } else if (size == 4) {
        write_dword(bus, offset, low);
    } else if (size == 2 || size == 1) { /* read, modify, write with the full side effect */
        const unsigned shift = (unsigned)(offset % 4 * 8);
        const uint32_t mask = (size == 2 ? 0xFFFFu : 0xFFu) << shift;
        const uint32_t merged = (bus->abi->read(bus->generation, offset) & ~mask) | (low << shift & mask);

        write_dword(bus, offset, merged);
    }
}
