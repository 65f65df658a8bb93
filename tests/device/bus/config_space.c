/* config_space.c: PCI configuration space (device.md 1, 2). Every dword has a value and a mask of writable
 * bits. */
#include "tests/device/bus/config_space.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

#define CONFIG_ID         0x00u
#define CONFIG_CLASS      0x08u
#define CONFIG_CACHE_LINE 0x0Cu
#define CONFIG_BAR0       0x10u
#define CONFIG_SUBSYSTEM  0x2Cu
#define CONFIG_INTERRUPT  0x3Cu

#define BAR_64              0x4u
#define BAR_PREFETCHABLE    0x8u
#define INTERRUPT_LINE_MASK 0xFFu
#define INTERRUPT_PIN_INTA  (1u << 8)
/* Besides the four bits of device.md 2, the parity and SERR enables are stored, as PCI requires of every
 * function. */
#define COMMAND_WRITABLE    0x0547u
#define CACHE_LINE_WRITABLE 0xFFFFu /* cache line size and latency timer: plain storage */

static void init_bar(struct vgpu_config_space *config, uint32_t index, uint64_t size, uint32_t flags)
{
    const uint32_t at = CONFIG_BAR0 / 4 + index;

    if (size == 0) {
        return;
    }
    config->value[at] = flags;
    config->writable[at] = (uint32_t) ~(size - 1) & ~0xFu;
    if ((flags & BAR_64) != 0) {
        config->writable[at + 1] = (uint32_t)(~(size - 1) >> 32);
    }
}

void vgpu_config_space_init(struct vgpu_config_space *config, const struct vgpu_pci_setup *setup,
                            uint64_t vram_bytes)
{
    const struct vgpu_pci_setup copy = *setup; /* setup may point into config */

    memset(config, 0, sizeof *config);
    config->setup = copy;
    config->registers_size = AEROGPU_PCI_BAR0_SIZE_BYTES << (copy.msix != 0);
    config->vram_size = vram_bytes;
    config->vram_register = copy.wide_registers ? 2 : 1;
    config->value[CONFIG_ID / 4] = AEROGPU_PCI_DEVICE_ID << 16 | AEROGPU_PCI_VENDOR_ID;
    config->value[CONFIG_CLASS / 4] = AEROGPU_PCI_CLASS_CODE_DISPLAY_CONTROLLER << 24 |
                                      AEROGPU_PCI_SUBCLASS_VGA_COMPATIBLE << 16 | AEROGPU_PCI_PROG_IF << 8;
    config->value[CONFIG_SUBSYSTEM / 4] = AEROGPU_PCI_SUBSYSTEM_ID << 16 | AEROGPU_PCI_SUBSYSTEM_VENDOR_ID;
    config->value[CONFIG_INTERRUPT / 4] = INTERRUPT_PIN_INTA;

    config->writable[VGPU_CONFIG_COMMAND / 4] = COMMAND_WRITABLE;
    config->writable[CONFIG_CACHE_LINE / 4] = CACHE_LINE_WRITABLE;
    config->writable[CONFIG_INTERRUPT / 4] = INTERRUPT_LINE_MASK;
    init_bar(config, 0, config->registers_size, copy.wide_registers ? BAR_64 : 0);
    init_bar(config, config->vram_register, vram_bytes, BAR_PREFETCHABLE | (copy.wide_vram ? BAR_64 : 0));
}

void vgpu_config_space_reset(struct vgpu_config_space *config)
{
    const uint32_t id = config->value[CONFIG_ID / 4];
    const uint32_t subsystem = config->value[CONFIG_SUBSYSTEM / 4];
    uint32_t bars[6];

    memcpy(bars, &config->value[CONFIG_BAR0 / 4], sizeof bars);
    vgpu_config_space_init(config, &config->setup, config->vram_size);
    memcpy(&config->value[CONFIG_BAR0 / 4], bars, sizeof bars);
    vgpu_config_space_identify(config, id, subsystem);
}

void vgpu_config_space_identify(struct vgpu_config_space *config, uint32_t id, uint32_t subsystem)
{
    config->value[CONFIG_ID / 4] = id;
    config->value[CONFIG_SUBSYSTEM / 4] = subsystem;
}

/* Returns the mask of the byte lanes that an access covers in its dword; *shift is the bit position of the
 * first. */
static uint32_t byte_lanes(uint32_t offset, uint32_t size, unsigned *shift)
{
    const uint64_t mask = (1ull << (size * 8)) - 1;

    *shift = (offset & 3u) * 8;
    return (uint32_t)(mask << *shift);
}

uint32_t vgpu_config_space_read(const struct vgpu_config_space *config, uint32_t offset, uint32_t size)
{
    unsigned shift;
    uint32_t mask;

    if (offset >= VGPU_CONFIG_DWORDS * 4 || size == 0 || size > 4) {
        return 0;
    }
    mask = byte_lanes(offset, size, &shift);
    return (config->value[offset / 4] & mask) >> shift;
}

void vgpu_config_space_write(struct vgpu_config_space *config, uint32_t offset, uint32_t size, uint32_t value)
{
    unsigned shift;
    uint32_t mask;
    uint32_t *word;

    if (offset >= VGPU_CONFIG_DWORDS * 4 || size == 0 || size > 4) {
        return;
    }
    mask = byte_lanes(offset, size, &shift) & config->writable[offset / 4];
    word = &config->value[offset / 4];
    *word = (*word & ~mask) | ((value << shift) & mask);
}

uint64_t vgpu_config_space_bar1(const struct vgpu_config_space *config)
{
    const uint32_t at = CONFIG_BAR0 / 4 + config->vram_register;
    const uint64_t high = config->setup.wide_vram ? config->value[at + 1] : 0;

    return high << 32 | (config->value[at] & config->writable[at]);
}
