/* regions.h: regions of the PCI function (BARs, configuration space): sizes, and accesses split into bus
 * cycles. */
#ifndef VGPU_TESTS_DEVICE_VFIO_REGIONS_H
#define VGPU_TESTS_DEVICE_VFIO_REGIONS_H

#include <stdint.h>

#include "tests/device/plugin/port.h"
#include "tests/device/vfio/wire.h"

/* BAR0-5, ROM, configuration space, VGA: the indexes of <linux/vfio.h>. */
#define VGPU_VFIO_NUM_REGIONS 9u

/* Returns the size of a region in bytes; 0 when the function lacks it or the index is unknown. */
uint64_t vgpu_vfio_region_size(const struct vgpu_port *port, uint32_t index);
/* Returns the memory file of a region, -1 when there is none. */
int vgpu_vfio_region_memory(const struct vgpu_port *port, uint32_t index);

/* Read access->count bytes into data, or write them from data. Return 0, or EINVAL when the access is not
 * inside the region. */
int vgpu_vfio_region_read(struct vgpu_port *port, const struct vgpu_vfio_access *access, uint8_t *data);
int vgpu_vfio_region_write(struct vgpu_port *port, const struct vgpu_vfio_access *access,
                           const uint8_t *data);

#endif
