/* power.h: power states and resets of a function, where it has them (device.md 2.2). */
#ifndef AGPU_PCI_POWER_H
#define AGPU_PCI_POWER_H

#include "pci/capability.h"

#define AGPU_POWER_D0    0u
#define AGPU_POWER_D3HOT 3u

/* Power state that the function shows; D0 when it has no power management. */
uint32_t agpu_power_state(const struct agpu_function *function);

/* True when coming back from D3hot keeps everything (No_Soft_Reset). */
bool agpu_power_keeps_state(const struct agpu_function *function);

/* Asks for a power state and gives the function the time that PCI allows it for the change. AGPU_ERR_INVALID: it has no
 * power management. Whether the state was taken agpu_power_state() says. */
enum agpu_status agpu_power_set(const struct agpu_function *function, uint32_t state);

/* Registers of configuration space that a reset takes away and that software or firmware had set, but for command register
 * and BARs (agpu_function_restore()). */
struct agpu_config_saved {
    uint32_t header[2];  /* cache line and latency; interrupt line */
    uint32_t express_at; /* 0: no PCI Express capability */
    uint16_t express[3]; /* device control, link control, device control 2 */
    uint32_t msi_at;     /* 0: no MSI */
    uint32_t msi[4];
};
void agpu_config_save(const struct agpu_function *function, struct agpu_config_saved *out);

/* Puts all of it back, and then command register and BARs. */
void agpu_config_restore(const struct agpu_function *function, const struct agpu_config_saved *saved);

/* Can the function be reset by itself? */
bool agpu_reset_has_function_level(const struct agpu_function *function);

/* Function level reset, until the function answers again. Configuration is as the reset left it. AGPU_ERR_TIMEOUT: it does
 * not within the second that PCI gives it. */
enum agpu_status agpu_reset_function(const struct agpu_function *function);

/* The bridge in front of the function, if nothing else is behind it: a reset of its secondary bus is then one of this
 * function alone. False when there is no such bridge. */
bool agpu_reset_find_bridge(const struct agpu_function *function, struct agpu_pci_ref *out);

/* Resets the bus behind the bridge; as agpu_reset_function(). */
enum agpu_status agpu_reset_bus(const struct agpu_function *function, const struct agpu_pci_ref *bridge);

#endif
