/* capabilities.h: the capability list of a function that is on a board: power management, MSI, PCI Express, MSI-X
 * (device.md 1.1). */
#ifndef VGPU_BUS_CAPABILITIES_H
#define VGPU_BUS_CAPABILITIES_H

#include "tests/device/bus/config_space.h"
#include "tests/device/bus/faults.h"

/* Adds what the setup asks for to configuration space in its power-on state; a fault about capabilities adds all. */
void vgpu_capabilities_init(struct vgpu_config_space *config, enum vgpu_fault fault);

/* After a write: true when it asks for a function reset, by FLR or by coming back from D3hot. */
bool vgpu_capabilities_written(struct vgpu_config_space *config, enum vgpu_fault fault);

/* Whether interrupts go by message now, in place of the line. Masked: by MSI-X, but not just now. */
enum vgpu_message_state { VGPU_MESSAGE_OFF, VGPU_MESSAGE_MASKED, VGPU_MESSAGE_READY };
enum vgpu_message_state vgpu_message_state(const struct vgpu_config_space *config);

/* Bytes of BAR0 behind the registers that are MSI-X's; an access of size bytes at offset from there on. */
#define VGPU_MSIX_BYTES 0x10000u
uint64_t vgpu_msix_read(const struct vgpu_config_space *config, uint64_t offset, uint32_t size);
void vgpu_msix_write(struct vgpu_config_space *config, uint64_t offset, uint32_t size, uint64_t value);

#endif
