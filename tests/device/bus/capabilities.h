/* capabilities.h: capability list of the function: power management, MSI, PCI Express, MSI-X (device.md
 * 1.1). */
#ifndef VGPU_BUS_CAPABILITIES_H
#define VGPU_BUS_CAPABILITIES_H

#include "tests/device/bus/config_space.h"

/* Adds the capabilities of the setup to a configuration space in its power-on state. */
void vgpu_capabilities_init(struct vgpu_config_space *config);

/* Call after a write. Returns true when the write requests a function reset, by FLR or by a return from
 * D3hot. */
bool vgpu_capabilities_written(struct vgpu_config_space *config);

/* State of messages, which replace the interrupt line. MASKED: MSI-X is enabled but its vector is masked now. */
enum vgpu_message_state { VGPU_MESSAGE_OFF, VGPU_MESSAGE_MASKED, VGPU_MESSAGE_READY };
enum vgpu_message_state vgpu_message_state(const struct vgpu_config_space *config);

/* Bytes that MSI-X adds to BAR0 after the registers. offset is relative to that part; size is that of the
 * access. */
#define VGPU_MSIX_BYTES 0x10000u
uint64_t vgpu_msix_read(const struct vgpu_config_space *config, uint64_t offset, uint32_t size);
void vgpu_msix_write(struct vgpu_config_space *config, uint64_t offset, uint32_t size, uint64_t value);

#endif
