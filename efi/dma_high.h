/* dma_high.h: a stretch of memory from 4 GiB on, mapped once for each function, and its pages. */
#ifndef AGPU_EFI_DMA_HIGH_H
#define AGPU_EFI_DMA_HIGH_H

#include "efi/config.h"
#include "efi/machine.h"

/* What agpu.cfg says (dma_high); before the first of the calls below. */
void agpu_dma_high_configure(enum agpu_dma_high use);

/* True when there is such memory for the function behind io. The first call looks for it, the first of each function
 * maps it. */
bool agpu_dma_high_open(EFI_PCI_IO *io);

/* Pages of it for the function behind io, and their address as that function names it; false when there is no room. Not
 * zeroed. */
bool agpu_dma_high_alloc(EFI_PCI_IO *io, UINTN pages, void **cpu, uint64_t *device_address);
/* False when memory is not from there. */
bool agpu_dma_high_free(const void *memory, UINTN pages);

/* No function sees the stretch any more. */
void agpu_dma_high_close(void);

/* Gives it back to the firmware, behind agpu_dma_high_close(). */
void agpu_dma_high_give_back(void);

#endif
