/* message.h: interrupts of a function by message: MSI and the first vector of MSI-X, programmed and put back as they were
 * found (device.md 1.1, 4.4; PCI Local Bus Specification 3.0, 6.8). */
#ifndef AGPU_PCI_MESSAGE_H
#define AGPU_PCI_MESSAGE_H

#include "pci/function.h"

struct agpu_message {
    bool extended;                /* MSI-X */
    uint32_t capability, control; /* where it is, and as found */
    uint32_t found[4]; /* of MSI address, upper address, data, mask; of MSI-X entry 0 of the table */
};

/* Finds the capability; false: the function has none. */
bool agpu_message_find(const struct agpu_function *function, bool extended, struct agpu_message *message);

/* From here on the function sends data, at most 16 bits of it, to address instead of raising its line. */
void agpu_message_open(const struct agpu_function *function, struct agpu_message *message, uint64_t address,
                       uint32_t data);

/* Whether the vector of MSI-X may be sent; what comes up while it may not stays pending and is sent behind that. */
void agpu_message_mask(const struct agpu_function *function, const struct agpu_message *message, bool masked);

/* The pending bit of that vector. */
bool agpu_message_is_pending(const struct agpu_function *function, const struct agpu_message *message);

/* Everything is as agpu_message_find() found it. */
void agpu_message_close(const struct agpu_function *function, const struct agpu_message *message);

#endif
