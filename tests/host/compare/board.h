/* board.h: what a driver does with PCI's capabilities, on the device of a machine: sleep, function level reset, messages
 * (device.md 1.1, 2.2, 4.4). */
#ifndef AGPU_HOST_COMPARE_BOARD_H
#define AGPU_HOST_COMPARE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/machine.h"

/* How interrupts come. */
enum agpu_cmp_way {
    AGPU_CMP_WAY_LINE,
    AGPU_CMP_WAY_MSI,
    AGPU_CMP_WAY_MSIX,
    AGPU_CMP_WAY_MSIX_MASKED,   /* its first vector */
    AGPU_CMP_WAY_MSIX_FUNCTION, /* all of it by one bit */
    AGPU_CMP_WAYS,
};

/* "MSI", ... */
const char *agpu_cmp_way_name(enum agpu_cmp_way way);

/* Each does nothing, and says 0, where the device lacks the capability. What they return is what the device showed. */

/* Asks for power state D1 to D3hot. */
uint32_t agpu_cmp_board_power(struct agpu_cmp_machine *machine, uint32_t state);
/* Command register off, then the bit that asks for the reset. */
void agpu_cmp_board_reset(struct agpu_cmp_machine *machine);
/* All ways off, then this one on; address and data of the message as they read back (48 bits), and above them a bit for each
 * capability that no longer has its identity. */
uint64_t agpu_cmp_board_messages(struct agpu_cmp_machine *machine, enum agpu_cmp_way way);
/* The pending bit of the first vector of MSI-X. */
bool agpu_cmp_board_is_pending(struct agpu_cmp_machine *machine);

#endif
