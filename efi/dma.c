/* dma.c: AllocateBuffer + Map(BusMasterCommonBuffer). With an IOMMU switched on by the firmware the device
 * address is the IOMMU's; without one it is the CPU's. Memory stays below 4 GiB: DUAL_ADDRESS_CYCLE is not
 * enabled, since some PCI hosts do not forward 64-bit cycles and nothing here needs them. */
#include "efi/dma.h"

#include <string.h>

#include "efi/heap.h"
#include "efi/pci_io.h"

#define DMA_PAGE 4096u

/* What agpu_dma_free() needs again. */
struct dma_binding {
    EFI_PCI_IO *io;
    UINTN pages;
    void *mapping;
};

static enum agpu_status map_buffer(struct dma_binding *binding, struct agpu_dma *out)
{
    EFI_PCI_IO *io = binding->io;
    EFI_PHYSICAL_ADDRESS address = 0;
    UINTN mapped = out->size;

    EFI_STATUS status =
        io->Map(io, EfiPciIoOperationBusMasterCommonBuffer, out->cpu, &mapped, &address, &binding->mapping);
    if (EFI_ERROR(status)) {
        return AGPU_ERR_PLATFORM;
    }
    if (mapped < out->size) { /* a common buffer in pieces is of no use */
        io->Unmap(io, binding->mapping);
        return AGPU_ERR_PLATFORM;
    }
    out->device_address = address;
    return AGPU_OK;
}

enum agpu_status agpu_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                struct agpu_dma *out)
{
    EFI_PCI_IO *io = agpu_pci_io(function);

    *out = (struct agpu_dma){0};
    if (!size || size > SIZE_MAX - DMA_PAGE) {
        return AGPU_ERR_INVALID;
    }
    struct dma_binding *binding = agpu_heap_alloc(ctx, sizeof *binding);
    if (binding == NULL) {
        return AGPU_ERR_NO_MEMORY;
    }
    binding->io = io;
    binding->pages = (size + DMA_PAGE - 1) / DMA_PAGE;
    out->size = binding->pages * DMA_PAGE;
    enum agpu_status result = AGPU_ERR_NO_MEMORY;
    if (!EFI_ERROR(
            io->AllocateBuffer(io, AllocateAnyPages, EfiBootServicesData, binding->pages, &out->cpu, 0))) {
        result = map_buffer(binding, out);
        if (result) {
            io->FreeBuffer(io, binding->pages, out->cpu);
        }
    }
    if (result) {
        agpu_heap_free(ctx, binding);
        *out = (struct agpu_dma){0};
        return result;
    }
    memset(out->cpu, 0, out->size);
    out->binding = binding;
    return AGPU_OK;
}

void agpu_dma_free(void *ctx, struct agpu_dma *dma)
{
    struct dma_binding *binding = dma->binding;

    if (binding == NULL) {
        return;
    }
    binding->io->Unmap(binding->io, binding->mapping);
    binding->io->FreeBuffer(binding->io, binding->pages, dma->cpu);
    agpu_heap_free(ctx, binding);
    *dma = (struct agpu_dma){0};
}
