/* write_combining.h: maps a prefetchable BAR so that the processor combines writes to it, where the firmware
 * offers this. */
#ifndef AGPU_EFI_WRITE_COMBINING_H
#define AGPU_EFI_WRITE_COMBINING_H

#include "efi/machine.h"

/* Asks the PCI bus driver, then the processor's driver. False: neither offers it, and nothing has changed.
 * Results are cached. */
bool agpu_write_combining_set(EFI_PCI_IO *io, unsigned bar, uint64_t address, uint64_t bytes);
/* Makes the mapping uncached again. */
void agpu_write_combining_clear(void);

/* All earlier writes have left the processor, and no later read was executed early. */
void agpu_write_combining_order(void *ctx);

#endif
