/* quiesce.h: makes a device quiet, whatever drove it before (device.md 6). */
#ifndef AGPU_RING_QUIESCE_H
#define AGPU_RING_QUIESCE_H

#include "pci/function.h"
#include "pci/machine/status.h"

/* Makes an opened device quiet, whatever drove it before: ring, interrupts, scanout and cursor off, addresses 0, reset.
 * features are those of agpu_identify(). AGPU_ERR_TIMEOUT, AGPU_ERR_LOST. */
enum agpu_status agpu_ring_quiesce(const struct agpu_function *function, uint64_t features);

/* Turns scanout and cursor off and sets their addresses to 0. features are those of agpu_identify(). */
void agpu_screen_off(const struct agpu_function *function, uint64_t features);

#endif
