/* pump.h: services network, serial port and screen during every wait. */
#ifndef AGPU_EFI_PUMP_H
#define AGPU_EFI_PUMP_H

#include "pci/machine/platform.h"

/* Services each of them once. */
void agpu_pump(void);

/* relax of struct agpu_platform: idles as the reason demands, and pumps when a round is due. */
void agpu_pump_relax(enum agpu_relax_reason reason);

/* Pumps until all records have been sent, at most bound_ns. */
void agpu_pump_out(uint64_t bound_ns);

#endif
