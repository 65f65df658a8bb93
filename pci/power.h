/* power.h: power states and resets of a function that has them (device.md 2.2). */
#ifndef AGPU_PCI_POWER_H
#define AGPU_PCI_POWER_H

#include "pci/capability.h"

#define AGPU_POWER_D0    0u
#define AGPU_POWER_D3HOT 3u

/* Returns the current power state; D0 when the function has no power management. */
uint32_t agpu_power_state(const struct agpu_function *function);

/* True when a return from D3hot keeps the function's state (No_Soft_Reset). */
bool agpu_power_keeps_state(const struct agpu_function *function);

/* Requests a power state and waits as long as PCI allows for the change. AGPU_ERR_INVALID when the function has no
 * power management. agpu_power_state() then shows whether the function entered the state. */
enum agpu_status agpu_power_set(const struct agpu_function *function, uint32_t state);

/* Configuration registers that software or firmware had set and a reset clears, without command register and BARs
 * (agpu_function_restore()). */
struct agpu_config_saved {
    uint32_t header[2];  /* cache line and latency; interrupt line */
    uint32_t express_at; /* 0: no PCI Express capability */
    uint16_t express[3]; /* device control, link control, device control 2 */
    uint32_t msi_at;     /* 0: no MSI */
    uint32_t msi[4];
};
void agpu_config_save(const struct agpu_function *function, struct agpu_config_saved *out);

/* Restores the saved registers, then command register and BARs. */
void agpu_config_restore(const struct agpu_function *function, const struct agpu_config_saved *saved);

/* True when the function supports a function level reset. */
bool agpu_reset_has_function_level(const struct agpu_function *function);

/* Resets the function (FLR) and waits until it answers again. Configuration space is as the reset left it.
 * AGPU_ERR_TIMEOUT when it does not answer within the second that PCI allows. */
enum agpu_status agpu_reset_function(const struct agpu_function *function);

/* Finds the bridge above the function, provided that no other function is below it: resetting its secondary bus then
 * resets this function only. False when there is no such bridge. */
bool agpu_reset_find_bridge(const struct agpu_function *function, struct agpu_pci_ref *out);

/* Resets the bridge's secondary bus; otherwise like agpu_reset_function(). */
enum agpu_status agpu_reset_bus(const struct agpu_function *function, const struct agpu_pci_ref *bridge);

#endif
