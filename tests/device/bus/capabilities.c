/* capabilities.c: layout and behaviour of the capabilities (PCI Local Bus Specification 3.0, 6.7 and 6.8; PCI Power
 * Management 1.2, 3; PCI Express Base 3.0, 7.8). */
#include "tests/device/bus/capabilities.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

#define CONFIG_STATUS  0x04u /* dword of command and status */
#define STATUS_LIST    (1u << 20)
#define CONFIG_POINTER 0x34u

#define ID_POWER   0x01u
#define ID_MSI     0x05u
#define ID_EXPRESS 0x10u
#define ID_MSIX    0x11u

#define AT_POWER   0x40u
#define AT_MSI     0x50u
#define AT_EXPRESS 0x70u
#define AT_MSIX    0xB0u

#define POWER_VERSION   (3u << 16)
#define POWER_STATE     3u /* of the control register: 0 is D0, 3 is D3hot; D1 and D2 are not supported */
#define POWER_NO_RESET  (1u << 3)
#define MSI_64          (1u << 23)
#define MSI_WRITABLE    0x00710000u /* the enable bit and the number of enabled vectors */
#define EXPRESS_VERSION (2u << 16)
#define DEVICE_ROLES    (1u << 15) /* role-based error reporting */
#define DEVICE_FLR      (1u << 28)
#define CONTROL_FLR     0x8000u
#define CONTROL_INITIAL 0x2810u /* relaxed ordering, no snoop, reads of 512 bytes */
#define CONTROL_STORED  0x781Fu
#define LINK_CAPABLE    0x00000411u /* 2.5 GT/s, one lane, ASPM L0s */
#define LINK_STATUS     0x00110000u
#define LINK_STORED     0x0043u
#define MSI_ENABLE      0x00010000u
#define MSIX_WRITABLE   0xC0000000u
#define MSIX_ENABLE     0x80000000u
#define MSIX_FUNCTION   0x40000000u /* masks all vectors */
#define MSIX_TABLE      AEROGPU_PCI_BAR0_SIZE_BYTES
#define PENDING_OFFSET  0x8000u /* of the pending bits, within the half of BAR0 that MSI-X adds */
#define PENDING_BYTES   8u
#define MSIX_PENDING    (AEROGPU_PCI_BAR0_SIZE_BYTES + PENDING_OFFSET)
#define MSIX_ENTRY      16u
#define MSIX_CONTROL    12u /* of an entry */
#define MSIX_MASKED     1u

static uint32_t log2_of(uint32_t value)
{
    uint32_t bits = 0;

    while (value > 1) {
        value /= 2;
        bits++;
    }
    return bits;
}

/* Puts a capability at the end of the list. */
static void append(struct vgpu_config_space *config, uint32_t at, uint32_t first)
{
    uint32_t *from = config->last_capability == 0 ? &config->value[CONFIG_POINTER / 4]
                                                  : &config->value[config->last_capability / 4];

    *from |= at << (config->last_capability == 0 ? 0 : 8);
    config->value[at / 4] = first;
    config->last_capability = at;
    config->value[CONFIG_STATUS / 4] |= STATUS_LIST;
}

static void add_power(struct vgpu_config_space *config)
{
    append(config, AT_POWER, ID_POWER | POWER_VERSION);
    config->value[AT_POWER / 4 + 1] = config->setup.keeps_state ? POWER_NO_RESET : 0;
    config->writable[AT_POWER / 4 + 1] = POWER_STATE;
}

static void add_msi(struct vgpu_config_space *config)
{
    append(config, AT_MSI, ID_MSI | MSI_64 | log2_of(config->setup.msi) << 17);
    config->writable[AT_MSI / 4] = MSI_WRITABLE;
    config->writable[AT_MSI / 4 + 1] = 0xFFFFFFFC;
    config->writable[AT_MSI / 4 + 2] = 0xFFFFFFFF;
    config->writable[AT_MSI / 4 + 3] = 0xFFFF;
}

static void add_express(struct vgpu_config_space *config)
{
    uint32_t *value = &config->value[AT_EXPRESS / 4];
    uint32_t *writable = &config->writable[AT_EXPRESS / 4];

    append(config, AT_EXPRESS, ID_EXPRESS | EXPRESS_VERSION);
    value[1] = DEVICE_ROLES | (config->setup.function_reset ? DEVICE_FLR : 0);
    value[2] = CONTROL_INITIAL;
    writable[2] = CONTROL_STORED | (config->setup.function_reset ? CONTROL_FLR : 0);
    value[3] = LINK_CAPABLE;
    value[4] = LINK_STATUS;
    writable[4] = LINK_STORED;
    value[11] = 2; /* link capabilities 2: 2.5 GT/s */
    value[12] = 1;
}

static void add_msix(struct vgpu_config_space *config)
{
    append(config, AT_MSIX, ID_MSIX | (uint32_t)(config->setup.msix - 1) << 16);
    config->writable[AT_MSIX / 4] = MSIX_WRITABLE;
    config->value[AT_MSIX / 4 + 1] = MSIX_TABLE;
    config->value[AT_MSIX / 4 + 2] = MSIX_PENDING;
    memset(config->msix, 0, sizeof config->msix);
    for (uint32_t i = 0; i < config->setup.msix; i++) {
        config->msix[i * MSIX_ENTRY + MSIX_CONTROL] = MSIX_MASKED;
    }
}

void vgpu_capabilities_init(struct vgpu_config_space *config)
{
    const struct vgpu_pci_setup *setup = &config->setup;

    if (setup->power) {
        add_power(config);
    }
    if (setup->msi != 0) {
        add_msi(config);
    }
    if (setup->express) {
        add_express(config);
    }
    if (setup->msix != 0) {
        add_msix(config);
    }
}

/* Returns true when the write returns to D0 with a reset. */
static bool power_written(struct vgpu_config_space *config)
{
    uint32_t *control = &config->value[AT_POWER / 4 + 1];
    const uint32_t state = *control & POWER_STATE;
    const bool was_off = config->power_state == POWER_STATE;

    if (state == 1 || state == 2) {
        *control = (*control & ~POWER_STATE) | config->power_state; /* unsupported state: nothing changes */
        return false;
    }
    config->power_state = state;
    config->off = state == POWER_STATE;
    return was_off && state == 0 && !config->setup.keeps_state;
}

static bool express_written(struct vgpu_config_space *config)
{
    uint32_t *control = &config->value[AT_EXPRESS / 4 + 2];
    const bool asked = (*control & CONTROL_FLR) != 0;

    *control &= ~CONTROL_FLR;
    return asked;
}

bool vgpu_capabilities_written(struct vgpu_config_space *config)
{
    bool reset = false;

    if (config->setup.power) {
        reset = power_written(config);
    }
    if (config->setup.express) {
        reset |= express_written(config);
    }
    return reset;
}

enum vgpu_message_state vgpu_message_state(const struct vgpu_config_space *config)
{
    if (config->off) {
        return VGPU_MESSAGE_OFF;
    }
    if (config->setup.msix != 0 && (config->value[AT_MSIX / 4] & MSIX_ENABLE) != 0) {
        const bool masked = (config->value[AT_MSIX / 4] & MSIX_FUNCTION) != 0 ||
                            (config->msix[MSIX_CONTROL] & MSIX_MASKED) != 0;

        return masked ? VGPU_MESSAGE_MASKED : VGPU_MESSAGE_READY;
    }
    return config->setup.msi != 0 && (config->value[AT_MSI / 4] & MSI_ENABLE) != 0 ? VGPU_MESSAGE_READY
                                                                                   : VGPU_MESSAGE_OFF;
}

static bool in_table(const struct vgpu_config_space *config, uint64_t offset, uint32_t size)
{
    return offset < sizeof config->msix && size <= sizeof config->msix - offset;
}

uint64_t vgpu_msix_read(const struct vgpu_config_space *config, uint64_t offset, uint32_t size)
{
    uint64_t value = 0;

    if (in_table(config, offset, size)) {
        memcpy(&value, config->msix + offset, size);
    } else if (offset >= PENDING_OFFSET && offset < PENDING_OFFSET + PENDING_BYTES) {
        value = offset == PENDING_OFFSET ? config->msix_pending : 0;
    }
    return value;
}

void vgpu_msix_write(struct vgpu_config_space *config, uint64_t offset, uint32_t size, uint64_t value)
{
    if (in_table(config, offset, size)) {
        memcpy(config->msix + offset, &value, size);
    }
}
