/* config_space.h: PCI configuration space of the model: identity, command register, BARs (device.md 1, 2). */
#ifndef VGPU_BUS_CONFIG_SPACE_H
#define VGPU_BUS_CONFIG_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/machine.h"

#define VGPU_CONFIG_COMMAND            0x04u
#define VGPU_CONFIG_COMMAND_IO         0x0001u
#define VGPU_CONFIG_COMMAND_MEMORY     0x0002u
#define VGPU_CONFIG_COMMAND_BUS_MASTER 0x0004u
#define VGPU_CONFIG_COMMAND_INTX_OFF   0x0400u
#define VGPU_CONFIG_DWORDS             64u

#define VGPU_MSIX_MAX 64u

struct vgpu_config_space {
    uint32_t value[VGPU_CONFIG_DWORDS];
    uint32_t writable[VGPU_CONFIG_DWORDS]; /* bits that a write changes */
    struct vgpu_pci_setup setup;
    uint64_t registers_size;           /* size of BAR0 */
    uint64_t vram_size;                /* size of the VRAM BAR */
    uint32_t vram_register;            /* BAR register of the VRAM: 1, or 2 when BAR0 is a 64-bit BAR */
    uint32_t last_capability;          /* offset; 0: there is none */
    uint32_t power_state;              /* 0 or 3 */
    bool off;                          /* D3hot: nothing is decoded, no DMA, no interrupt */
    uint8_t msix[VGPU_MSIX_MAX * 16u]; /* the MSI-X table */
    bool msix_pending;                 /* pending bit of the first vector, the only one in use */
};

/* Power-on state of the versioned device with vram_bytes of VRAM (a power of two, 0 = none). */
void vgpu_config_space_init(struct vgpu_config_space *config, const struct vgpu_pci_setup *setup,
                            uint64_t vram_bytes);

/* Sets another identity: device << 16 | vendor, of function and subsystem. */
void vgpu_config_space_identify(struct vgpu_config_space *config, uint32_t id, uint32_t subsystem);

/* PCI function reset: command and other plain storage return to 0, BARs stay. */
void vgpu_config_space_reset(struct vgpu_config_space *config);

/* Accesses of 1, 2 or 4 bytes. An access that crosses a dword is truncated to it; one outside the space reads
 * 0. */
uint32_t vgpu_config_space_read(const struct vgpu_config_space *config, uint32_t offset, uint32_t size);
void vgpu_config_space_write(struct vgpu_config_space *config, uint32_t offset, uint32_t size,
                             uint32_t value);

/* Address of the VRAM BAR, assigned by the firmware. */
uint64_t vgpu_config_space_bar1(const struct vgpu_config_space *config);

/* Tests bits of the command register. */
static inline bool vgpu_config_space_has(const struct vgpu_config_space *config, uint32_t command_bit)
{
    if (config->off) { /* as if every enable were 0 */
        return command_bit == VGPU_CONFIG_COMMAND_INTX_OFF;
    }
    return (config->value[VGPU_CONFIG_COMMAND / 4] & command_bit) != 0;
}

#endif
