/* power.c: PCI Bus Power Management 1.2, 3.2; PCI Express Base 3.0, 6.6 and 7.8. */
#include "pci/power.h"

#include "pci/machine/wait.h"

#define POWER_CONTROL    4u
#define POWER_STATE_MASK 3u
#define POWER_NO_RESET   0x0008u

#define EXPRESS_CAPABILITIES 4u
#define EXPRESS_FLR_CAPABLE  (1u << 28)
#define EXPRESS_CONTROL      8u
#define EXPRESS_CONTROL_FLR  0x8000u
#define EXPRESS_LINK         0x10u
#define EXPRESS_CONTROL_2    0x28u

#define MSI_CONTROL 2u

#define HEADER_CACHE_LINE    0x0Cu
#define HEADER_TYPE_MASK     0x7Fu
#define HEADER_TYPE_BRIDGE   1u
#define BRIDGE_SECONDARY     0x19u
#define BRIDGE_SUBORDINATE   0x1Au
#define BRIDGE_CONTROL       0x3Eu
#define BRIDGE_CONTROL_RESET 0x0040u

/* Times: a change from or to D3hot; a bus reset; after a reset before the first access; until the function must
 * answer. */
#define POWER_CHANGE_NS  (10 * UINT64_C(1000000))
#define BUS_RESET_NS     (2 * UINT64_C(1000000))
#define RESET_QUIET_NS   (100 * UINT64_C(1000000))
#define RESET_ANSWERS_NS (1000 * UINT64_C(1000000))

uint32_t agpu_power_state(const struct agpu_function *function)
{
    const uint32_t at = agpu_capability_find(function, AGPU_CAPABILITY_POWER);

    return at == 0 ? AGPU_POWER_D0 : agpu_config_read(function, at + POWER_CONTROL, 2) & POWER_STATE_MASK;
}

bool agpu_power_keeps_state(const struct agpu_function *function)
{
    const uint32_t at = agpu_capability_find(function, AGPU_CAPABILITY_POWER);

    return at != 0 && (agpu_config_read(function, at + POWER_CONTROL, 2) & POWER_NO_RESET) != 0;
}

enum agpu_status agpu_power_set(const struct agpu_function *function, uint32_t state)
{
    const uint32_t at = agpu_capability_find(function, AGPU_CAPABILITY_POWER);
    uint32_t control;

    if (at == 0) {
        return AGPU_ERR_INVALID;
    }
    control = agpu_config_read(function, at + POWER_CONTROL, 2);
    agpu_config_write(function, at + POWER_CONTROL, 2, (control & ~POWER_STATE_MASK) | state);
    agpu_wait_stall(function->platform, POWER_CHANGE_NS);
    return AGPU_OK;
}

void agpu_config_save(const struct agpu_function *function, struct agpu_config_saved *out)
{
    static const uint32_t registers[] = {EXPRESS_CONTROL, EXPRESS_LINK, EXPRESS_CONTROL_2};

    *out = (struct agpu_config_saved){
        .header = {agpu_config_read(function, HEADER_CACHE_LINE, 2),
                   agpu_config_read(function, AGPU_PCI_INTERRUPT_LINE, 1)},
        .express_at = agpu_capability_find(function, AGPU_CAPABILITY_EXPRESS),
        .msi_at = agpu_capability_find(function, AGPU_CAPABILITY_MSI),
    };
    for (unsigned i = 0; out->express_at != 0 && i < 3; i++) {
        out->express[i] = (uint16_t)agpu_config_read(function, out->express_at + registers[i], 2);
    }
    for (unsigned i = 0; out->msi_at != 0 && i < 4; i++) {
        out->msi[i] = agpu_config_read(function, out->msi_at + 4 * i, 4);
    }
}

void agpu_config_restore(const struct agpu_function *function, const struct agpu_config_saved *saved)
{
    static const uint32_t registers[] = {EXPRESS_CONTROL, EXPRESS_LINK, EXPRESS_CONTROL_2};

    agpu_config_write(function, HEADER_CACHE_LINE, 2, saved->header[0]);
    agpu_config_write(function, AGPU_PCI_INTERRUPT_LINE, 1, saved->header[1]);
    for (unsigned i = 0; saved->express_at != 0 && i < 3; i++) {
        const uint32_t version = agpu_config_read(function, saved->express_at + 2, 2) & 0xF;

        if (registers[i] != EXPRESS_CONTROL_2 || version >= 2) {
            agpu_config_write(function, saved->express_at + registers[i], 2,
                              saved->express[i] & (i == 0 ? ~EXPRESS_CONTROL_FLR : 0xFFFFu));
        }
    }
    for (unsigned i = 1; saved->msi_at != 0 && i < 4; i++) { /* address and data first, the enable bit last */
        const bool wide = (saved->msi[0] & 0x00800000u) != 0;

        if (i < 3 || wide) {
            agpu_config_write(function, saved->msi_at + 4 * i, i == (wide ? 3u : 2u) ? 2 : 4, saved->msi[i]);
        }
    }
    if (saved->msi_at != 0) {
        agpu_config_write(function, saved->msi_at + MSI_CONTROL, 2, saved->msi[0] >> 16);
    }
    agpu_function_restore(function);
}

bool agpu_reset_has_function_level(const struct agpu_function *function)
{
    const uint32_t at = agpu_capability_find(function, AGPU_CAPABILITY_EXPRESS);

    return at != 0 && (agpu_config_read(function, at + EXPRESS_CAPABILITIES, 4) & EXPRESS_FLR_CAPABLE) != 0;
}

/* A function that is not ready does not answer, or (PCI Express) answers with vendor 0001. */
static enum agpu_status wait_for_function(const struct agpu_function *function)
{
    struct agpu_wait wait;

    agpu_wait_stall(function->platform, RESET_QUIET_NS);
    agpu_wait_begin_ns(&wait, function->platform, AGPU_RELAX_IDLE, RESET_ANSWERS_NS);
    do {
        if (agpu_config_read(function, AGPU_PCI_VENDOR_ID, 2) == function->found.vendor) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return AGPU_ERR_TIMEOUT;
}

enum agpu_status agpu_reset_function(const struct agpu_function *function)
{
    const uint32_t at = agpu_capability_find(function, AGPU_CAPABILITY_EXPRESS);
    uint32_t control;

    if (at == 0) {
        return AGPU_ERR_INVALID;
    }
    agpu_command_write(function, 0); /* stop all DMA before the reset */
    control = agpu_config_read(function, at + EXPRESS_CONTROL, 2);
    agpu_config_write(function, at + EXPRESS_CONTROL, 2, control | EXPRESS_CONTROL_FLR);
    return wait_for_function(function);
}

static uint32_t read_of(const struct agpu_platform *platform, const struct agpu_pci_ref *ref, uint32_t offset,
                        uint32_t size)
{
    return platform->config_read(platform->ctx, ref, offset, size);
}

bool agpu_reset_find_bridge(const struct agpu_function *function, struct agpu_pci_ref *out)
{
    const struct agpu_platform *platform = function->platform;
    const struct agpu_pci_location *mine = &function->found.ref.location;
    struct agpu_pci_ref other;
    bool found = false;

    for (unsigned i = 0; platform->pci_function(platform->ctx, i, &other); i++) {
        const bool bridge =
            (read_of(platform, &other, AGPU_PCI_HEADER_TYPE, 1) & HEADER_TYPE_MASK) == HEADER_TYPE_BRIDGE;

        if (other.location.segment != mine->segment) {
            continue;
        }
        if (bridge && mine->bus != 0 && read_of(platform, &other, BRIDGE_SECONDARY, 1) == mine->bus &&
            read_of(platform, &other, BRIDGE_SUBORDINATE, 1) == mine->bus) {
            *out = other;
            found = true;
        } else if (other.location.bus == mine->bus &&
                   (other.location.device != mine->device || other.location.function != mine->function)) {
            return false; /* another function would be reset too */
        }
    }
    return found;
}

enum agpu_status agpu_reset_bus(const struct agpu_function *function, const struct agpu_pci_ref *bridge)
{
    const struct agpu_platform *platform = function->platform;
    const uint32_t control = read_of(platform, bridge, BRIDGE_CONTROL, 2);

    agpu_command_write(function, 0);
    platform->config_write(platform->ctx, bridge, BRIDGE_CONTROL, 2, control | BRIDGE_CONTROL_RESET);
    agpu_wait_stall(platform, BUS_RESET_NS);
    platform->config_write(platform->ctx, bridge, BRIDGE_CONTROL, 2, control & ~BRIDGE_CONTROL_RESET);
    return wait_for_function(function);
}
