/* write_combining.h: a prefetchable BAR mapped so that the processor gathers writes to it, where the firmware offers
 * that. */
#ifndef AGPU_EFI_WRITE_COMBINING_H
#define AGPU_EFI_WRITE_COMBINING_H

#include "efi/machine.h"

/* Asks the PCI bus driver, then the processor's driver. False: neither offers it, and nothing has changed. What was
 * asked for once is remembered. */
bool agpu_write_combining_set(EFI_PCI_IO *io, unsigned bar, uint64_t address, uint64_t bytes);
/* Uncached again, as before. */
void agpu_write_combining_clear(void);

/* All writes before it have left the processor, and no read behind it was made early. */
void agpu_write_combining_order(void *ctx);

#endif
