/* board.h: uses PCI capabilities of a machine's device as a driver would: power states, function level reset,
 * messages (device.md 1.1, 2.2, 4.4). */
#ifndef AGPU_HOST_COMPARE_BOARD_H
#define AGPU_HOST_COMPARE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/machine.h"

/* Each does nothing, and returns 0, when the device lacks the capability. The results are what the device showed. */

/* Requests power state D1 to D3hot. */
uint32_t agpu_cmp_board_power(struct agpu_cmp_machine *machine, uint32_t state);
/* Clears the command register, then sets the reset bit. */
void agpu_cmp_board_reset(struct agpu_cmp_machine *machine);
/* Disables all ways, then enables this one. Returns address and data of the message as read back (48 bits), and
 * above them one bit for each capability whose identity has changed. */
uint64_t agpu_cmp_board_messages(struct agpu_cmp_machine *machine, enum agpu_gen_way way);
/* Returns the pending bit of the first MSI-X vector. */
bool agpu_cmp_board_is_pending(struct agpu_cmp_machine *machine);

#endif
