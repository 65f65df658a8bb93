/* config_space.h: PCI configuration space of the model: identity, command register, BARs (device.md 1, 2). */
#ifndef VGPU_BUS_CONFIG_SPACE_H
#define VGPU_BUS_CONFIG_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#define VGPU_CONFIG_COMMAND            0x04u
#define VGPU_CONFIG_COMMAND_IO         0x0001u
#define VGPU_CONFIG_COMMAND_MEMORY     0x0002u
#define VGPU_CONFIG_COMMAND_BUS_MASTER 0x0004u
#define VGPU_CONFIG_COMMAND_INTX_OFF   0x0400u
#define VGPU_CONFIG_DWORDS             64u

struct vgpu_config_space {
    uint32_t value[VGPU_CONFIG_DWORDS];
    uint32_t writable[VGPU_CONFIG_DWORDS]; /* bits that a write changes */
    uint64_t bar1_size;
};

/* Power-on state of the versioned device with a BAR1 of vram_bytes (a power of two, 0 = no BAR1). */
void vgpu_config_space_init(struct vgpu_config_space *config, uint64_t vram_bytes);

/* Gives it another identity: device << 16 | vendor of function and subsystem. */
void vgpu_config_space_identify(struct vgpu_config_space *config, uint32_t id, uint32_t subsystem);

/* PCI function reset: command and other plain storage return to 0, BARs stay. */
void vgpu_config_space_reset(struct vgpu_config_space *config);

/* Accesses of 1, 2 or 4 bytes; one that crosses a dword is truncated to it, one outside reads 0. */
uint32_t vgpu_config_space_read(const struct vgpu_config_space *config, uint32_t offset, uint32_t size);
void vgpu_config_space_write(struct vgpu_config_space *config, uint32_t offset, uint32_t size,
                             uint32_t value);

/* Address of BAR1 as the firmware assigned it. */
uint64_t vgpu_config_space_bar1(const struct vgpu_config_space *config);

/* Bits of the command register. */
static inline bool vgpu_config_space_has(const struct vgpu_config_space *config, uint32_t command_bit)
{
    return (config->value[VGPU_CONFIG_COMMAND / 4] & command_bit) != 0;
}

#endif
