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

static bool about_capabilities(enum vgpu_fault fault)
{
    switch (fault) {
    case VGPU_FAULT_CAPABILITY_LOOP:
    case VGPU_FAULT_CAPABILITY_OUTSIDE:
    case VGPU_FAULT_CAPABILITY_OVERLAP:
    case VGPU_FAULT_POWER_STUCK:
    case VGPU_FAULT_POWER_DECODES:
    case VGPU_FAULT_POWER_STATE_D2:
    case VGPU_FAULT_FLR_IGNORED:
    case VGPU_FAULT_FLR_KEEPS_RING:
    case VGPU_FAULT_MSI_COUNT:
    case VGPU_FAULT_MSI_ADDRESS:
    case VGPU_FAULT_MSIX_OUTSIDE:
    case VGPU_FAULT_MSIX_OVERLAP:
    case VGPU_FAULT_EXPRESS_VERSION:
    case VGPU_FAULT_MESSAGE_LOST:
    case VGPU_FAULT_MESSAGE_UNMASKED:
    case VGPU_FAULT_MESSAGE_FORGOTTEN:
    case VGPU_FAULT_MESSAGE_AND_LINE:
        return true;
    default:
        return false;
    }
}

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

static void add_power(struct vgpu_config_space *config, enum vgpu_fault fault)
{
    append(config, AT_POWER, ID_POWER | POWER_VERSION);
    config->value[AT_POWER / 4 + 1] = config->setup.keeps_state ? POWER_NO_RESET : 0;
    config->writable[AT_POWER / 4 + 1] = fault == VGPU_FAULT_POWER_STUCK ? 0 : POWER_STATE;
}

static void add_msi(struct vgpu_config_space *config, enum vgpu_fault fault)
{
    const uint32_t count = fault == VGPU_FAULT_MSI_COUNT ? 7 : log2_of(config->setup.msi);

    append(config, AT_MSI, ID_MSI | MSI_64 | count << 17);
    config->writable[AT_MSI / 4] = MSI_WRITABLE;
    config->writable[AT_MSI / 4 + 1] = fault == VGPU_FAULT_MSI_ADDRESS ? 0xFFFFFFFF : 0xFFFFFFFC;
    config->writable[AT_MSI / 4 + 2] = 0xFFFFFFFF;
    config->writable[AT_MSI / 4 + 3] = 0xFFFF;
}

static void add_express(struct vgpu_config_space *config, enum vgpu_fault fault)
{
    const uint32_t at = fault == VGPU_FAULT_CAPABILITY_OVERLAP ? AT_MSI + 8 : AT_EXPRESS;
    uint32_t *value = &config->value[at / 4];
    uint32_t *writable = &config->writable[at / 4];

    append(config, at, ID_EXPRESS | (fault == VGPU_FAULT_EXPRESS_VERSION ? 0 : EXPRESS_VERSION));
    config->express_at = at;
    value[1] = DEVICE_ROLES | (config->setup.function_reset ? DEVICE_FLR : 0);
    value[2] = CONTROL_INITIAL;
    writable[2] = CONTROL_STORED | (config->setup.function_reset ? CONTROL_FLR : 0);
    value[3] = LINK_CAPABLE;
    value[4] = LINK_STATUS;
    writable[4] = LINK_STORED;
    value[11] = 2; /* link capabilities 2: 2.5 GT/s */
    value[12] = 1;
}

static void add_msix(struct vgpu_config_space *config, enum vgpu_fault fault)
{
    append(config, AT_MSIX, ID_MSIX | (uint32_t)(config->setup.msix - 1) << 16);
    config->writable[AT_MSIX / 4] = MSIX_WRITABLE;
    config->value[AT_MSIX / 4 + 1] = fault == VGPU_FAULT_MSIX_OUTSIDE ? 2 * MSIX_TABLE : MSIX_TABLE;
    config->value[AT_MSIX / 4 + 2] = fault == VGPU_FAULT_MSIX_OVERLAP ? MSIX_TABLE : MSIX_PENDING;
    memset(config->msix, 0, sizeof config->msix);
    for (uint32_t i = 0; i < config->setup.msix; i++) {
        config->msix[i * MSIX_ENTRY + MSIX_CONTROL] = MSIX_MASKED;
    }
}

void vgpu_capabilities_init(struct vgpu_config_space *config, enum vgpu_fault fault)
{
    struct vgpu_pci_setup *setup = &config->setup;

    if (about_capabilities(fault)) {
        setup->power = setup->express = setup->function_reset = true;
        setup->msi = setup->msi != 0 ? setup->msi : 4;
        setup->msix = setup->msix != 0 ? setup->msix : 4;
    }
    if (setup->power) {
        add_power(config, fault);
    }
    if (setup->msi != 0) {
        add_msi(config, fault);
    }
    if (setup->express) {
        add_express(config, fault);
    }
    if (setup->msix != 0) {
        add_msix(config, fault);
    }
    if (fault == VGPU_FAULT_CAPABILITY_LOOP) {
        config->value[config->last_capability / 4] |= AT_POWER << 8;
    } else if (fault == VGPU_FAULT_CAPABILITY_OUTSIDE) {
        config->value[config->last_capability / 4] |= 0x3Cu << 8;
    }
}

/* Returns true when the write returns to D0 with a reset. */
static bool power_written(struct vgpu_config_space *config, enum vgpu_fault fault)
{
    uint32_t *control = &config->value[AT_POWER / 4 + 1];
    const uint32_t state = *control & POWER_STATE;
    const bool was_off = config->power_state == POWER_STATE;

    if ((state == 1 || state == 2) && fault != VGPU_FAULT_POWER_STATE_D2) {
        *control = (*control & ~POWER_STATE) | config->power_state; /* unsupported state: nothing changes */
        return false;
    }
    config->power_state = state;
    config->off = state == POWER_STATE && fault != VGPU_FAULT_POWER_DECODES;
    return was_off && state == 0 && !config->setup.keeps_state;
}

static bool express_written(struct vgpu_config_space *config, enum vgpu_fault fault)
{
    uint32_t *control = &config->value[config->express_at / 4 + 2];
    const bool asked = (*control & CONTROL_FLR) != 0;

    *control &= ~CONTROL_FLR;
    return asked && fault != VGPU_FAULT_FLR_IGNORED;
}

bool vgpu_capabilities_written(struct vgpu_config_space *config, enum vgpu_fault fault)
{
    bool reset = false;

    if (config->setup.power) {
        reset = power_written(config, fault);
    }
    if (config->setup.express) {
        reset |= express_written(config, fault);
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
