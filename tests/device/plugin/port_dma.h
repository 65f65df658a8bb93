/* port_dma.h: DMA members of the host table, limited to what the bus allows. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PORT_DMA_H
#define VGPU_TESTS_DEVICE_PLUGIN_PORT_DMA_H

#include <stdbool.h>
#include <stdint.h>

/* machine is a struct vgpu_port. */
bool vgpu_port_dma_read(void *machine, uint64_t address, void *to, uint64_t size);
bool vgpu_port_dma_write(void *machine, uint64_t address, const void *from, uint64_t size);
void *vgpu_port_dma_map(void *machine, uint64_t address, uint64_t size, bool write);
uint64_t vgpu_port_dma_extent(void *machine, uint64_t address, bool write);

#endif
