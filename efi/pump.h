/* pump.h: keeps network, serial port and screen going while anything waits. */
#ifndef AGPU_EFI_PUMP_H
#define AGPU_EFI_PUMP_H

#include "pci/machine/platform.h"

/* One round of everything. */
void agpu_pump(void);

/* struct agpu_platform's relax: idles as the reason asks, and pumps when a round is due. */
void agpu_pump_relax(enum agpu_relax_reason reason);

/* The same until what was recorded is on the wire, for so long at most. */
void agpu_pump_out(uint64_t bound_ns);

#endif
