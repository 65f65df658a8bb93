/* message.h: message interrupts of a function, MSI and the first vector of MSI-X: programs them and restores what was
 * found (device.md 1.1, 4.4; PCI Local Bus Specification 3.0, 6.8). */
#ifndef AGPU_PCI_MESSAGE_H
#define AGPU_PCI_MESSAGE_H

#include "pci/function.h"

struct agpu_message {
    bool extended;                /* MSI-X */
    uint32_t capability, control; /* offset, and the control word as found */
    uint32_t found[4];            /* MSI: address, upper address, data, mask; MSI-X: entry 0 of the table */
};

/* Finds the capability. Returns false when the function has none. */
bool agpu_message_find(const struct agpu_function *function, bool extended, struct agpu_message *message);

/* Makes the function send data, at most 16 bits, to address instead of raising its line. */
void agpu_message_open(const struct agpu_function *function, struct agpu_message *message, uint64_t address,
                       uint32_t data);

/* Masks or unmasks the MSI-X vector. An interrupt that is raised while it is masked stays pending and is sent after the
 * unmask. */
void agpu_message_mask(const struct agpu_function *function, const struct agpu_message *message, bool masked);

/* Returns the pending bit of that vector. */
bool agpu_message_is_pending(const struct agpu_function *function, const struct agpu_message *message);

/* Restores what agpu_message_find() found. */
void agpu_message_close(const struct agpu_function *function, const struct agpu_message *message);

#endif
