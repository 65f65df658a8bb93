/* dma.h: DMA memory of struct agpu_platform: EFI_PCI_IO common buffers, at the device address that the
 * firmware maps. */
#ifndef AGPU_EFI_DMA_H
#define AGPU_EFI_DMA_H

#include "pci/machine/platform.h"

/* The callbacks of struct agpu_platform with these names; ctx is unused. */
enum agpu_status agpu_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                struct agpu_dma *out);
void agpu_dma_free(void *ctx, struct agpu_dma *dma);
bool agpu_dma_set_place(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place);

/* Returns cached free memory (at most 16 MiB) to the firmware. */
void agpu_dma_trim(void);

#endif
