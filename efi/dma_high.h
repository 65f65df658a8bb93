/* dma_high.h: a region of memory at or above 4 GiB, mapped once for each function, and its pages. */
#ifndef AGPU_EFI_DMA_HIGH_H
#define AGPU_EFI_DMA_HIGH_H

#include "efi/config.h"
#include "efi/machine.h"

/* Sets dma_high of agpu.cfg; must precede the calls below. */
void agpu_dma_high_configure(enum agpu_dma_high use);

/* True when there is such memory for the function of io. The first call allocates it; the first call for each
 * function maps it. */
bool agpu_dma_high_open(EFI_PCI_IO *io);

/* Allocates pages for the function of io; *device_address is the address that this function uses. False when
 * there is no space. Not zeroed. */
bool agpu_dma_high_alloc(EFI_PCI_IO *io, UINTN pages, void **cpu, uint64_t *device_address);
/* False when memory is not from this region. */
bool agpu_dma_high_free(const void *memory, UINTN pages);

/* Unmaps the region for all functions. */
void agpu_dma_high_close(void);

/* Returns the region to the firmware, after agpu_dma_high_close(). */
void agpu_dma_high_give_back(void);

#endif
