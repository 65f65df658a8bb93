/* regions.c: sizes of the regions, and accesses split into bus cycles. */
#include "tests/device/vfio/regions.h"

#include <errno.h>
#include <linux/vfio.h>
#include <stdbool.h>
#include <string.h>

uint64_t vgpu_vfio_region_size(const struct vgpu_port *port, uint32_t index)
{
    if (index <= VFIO_PCI_BAR5_REGION_INDEX) {
        return vgpu_port_info(port)->bars[index].size;
    }
    return index == VFIO_PCI_CONFIG_REGION_INDEX ? vgpu_port_info(port)->config_bytes : 0;
}

int vgpu_vfio_region_memory(const struct vgpu_port *port, uint32_t index)
{
    return index <= VFIO_PCI_BAR5_REGION_INDEX ? vgpu_port_info(port)->bars[index].memory_fd : -1;
}

static bool access_inside(struct vgpu_port *port, const struct vgpu_vfio_access *access)
{
    const uint64_t size = vgpu_vfio_region_size(port, access->region);

    return access->offset <= size && access->count <= size - access->offset;
}

/* Returns the size of the next bus cycle. An access that is one bus cycle stays whole, aligned or not, because
 * the device has rules for that (device.md 3); any other access is split at natural alignment. */
static uint32_t next_cycle(const struct vgpu_vfio_access *access, uint32_t done, uint32_t widest)
{
    const uint64_t offset = access->offset + done;
    const uint32_t left = access->count - done;
    uint32_t size = widest;

    if (access->region != VFIO_PCI_CONFIG_REGION_INDEX && done == 0 &&
        (left == 1 || left == 2 || left == 4 || left == 8)) {
        return left;
    }
    while (size > left || (offset & (size - 1)) != 0) {
        size /= 2;
    }
    return size;
}

static uint64_t read_cycle(struct vgpu_port *port, uint32_t region, uint64_t offset, uint32_t size)
{
    if (region == VFIO_PCI_CONFIG_REGION_INDEX) {
        return vgpu_port_config_read(port, (uint32_t)offset, size);
    }
    return vgpu_port_bar_read(port, region, offset, size);
}

static void write_cycle(struct vgpu_port *port, uint32_t region, uint64_t offset, uint32_t size,
                        uint64_t value)
{
    if (region == VFIO_PCI_CONFIG_REGION_INDEX) {
        vgpu_port_config_write(port, (uint32_t)offset, size, (uint32_t)value);
        return;
    }
    vgpu_port_bar_write(port, region, offset, size, value);
}

static uint32_t widest_cycle(uint32_t region)
{
    return region == VFIO_PCI_CONFIG_REGION_INDEX ? 4 : 8;
}

int vgpu_vfio_region_read(struct vgpu_port *port, const struct vgpu_vfio_access *access, uint8_t *data)
{
    if (!access_inside(port, access)) {
        return EINVAL;
    }
    for (uint32_t done = 0; done < access->count;) {
        const uint32_t size = next_cycle(access, done, widest_cycle(access->region));
        const uint64_t value = read_cycle(port, access->region, access->offset + done, size);

        memcpy(data + done, &value, size); /* little-endian host, like the guest */
        done += size;
    }
    return 0;
}

int vgpu_vfio_region_write(struct vgpu_port *port, const struct vgpu_vfio_access *access, const uint8_t *data)
{
    if (!access_inside(port, access)) {
        return EINVAL;
    }
    for (uint32_t done = 0; done < access->count;) {
        const uint32_t size = next_cycle(access, done, widest_cycle(access->region));
        uint64_t value = 0;

        memcpy(&value, data + done, size);
        write_cycle(port, access->region, access->offset + done, size, value);
        done += size;
    }
    return 0;
}
