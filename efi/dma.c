/* dma.c: AllocateBuffer + Map(BusMasterCommonBuffer) returns memory below 4 GiB, dma_high.h memory above;
 * allocations alternate between both. The device address is the IOMMU's if the firmware enables one, else the
 * CPU's. */
#include "efi/dma.h"

#include <string.h>

#include "efi/dma_high.h"
#include "efi/heap.h"
#include "efi/pci_io.h"

#define DMA_PAGE 4096u
#define FOUR_GIB UINT64_C(0x100000000)

/* Data for agpu_dma_free(). */
struct dma_binding {
    EFI_PCI_IO *io;
    UINTN pages;
    void *mapping;
    struct dma_binding *next; /* next spare */
    struct agpu_dma memory;   /* of a spare */
};

/* Spares: freed firmware memory that stays mapped. The firmware fills freed memory byte by byte, which would
 * take an eighth of a run under emulation. The oldest is reused first: late reuse of addresses exposes stale
 * ones. */
#define SPARE_PAGES_MAX 4096u

static struct {
    struct dma_binding *oldest, *newest;
    UINTN pages;
} spares;

static enum agpu_dma_place wanted_place;
static uint32_t turns = 1;

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
    if (mapped < out->size) { /* a split common buffer is unusable */
        io->Unmap(io, binding->mapping);
        return AGPU_ERR_PLATFORM;
    }
    out->device_address = address;
    return AGPU_OK;
}

/* Firmware whose root bridge does not report memory above 4 GiB allocates below. Its result is still checked
 * against the wanted place. */
static enum agpu_status alloc_by_firmware(struct dma_binding *binding, struct agpu_dma *out)
{
    EFI_PCI_IO *io = binding->io;
    enum agpu_status result;

    if (EFI_ERROR(
            io->AllocateBuffer(io, AllocateAnyPages, EfiBootServicesData, binding->pages, &out->cpu, 0))) {
        return AGPU_ERR_NO_MEMORY;
    }
    result = map_buffer(binding, out);
    if (result == AGPU_OK && wanted_place == AGPU_DMA_LOW && out->device_address + out->size > FOUR_GIB) {
        io->Unmap(io, binding->mapping);
        result = AGPU_ERR_NO_MEMORY;
    }
    if (result != AGPU_OK) {
        io->FreeBuffer(io, binding->pages, out->cpu);
    }
    return result;
}

static void return_to_firmware(struct dma_binding *binding, void *cpu)
{
    binding->io->Unmap(binding->io, binding->mapping);
    binding->io->FreeBuffer(binding->io, binding->pages, cpu);
    agpu_heap_free(NULL, binding);
}

static void unlink_spare(struct dma_binding *spare, struct dma_binding *before)
{
    *(before == NULL ? &spares.oldest : &before->next) = spare->next;
    if (spares.newest == spare) {
        spares.newest = before;
    }
    spares.pages -= spare->pages;
    spare->next = NULL;
}

static struct dma_binding *take_spare(EFI_PCI_IO *io, UINTN pages)
{
    struct dma_binding *before = NULL;

    for (struct dma_binding *spare = spares.oldest; spare != NULL; before = spare, spare = spare->next) {
        if (spare->io == io && spare->pages == pages &&
            (wanted_place != AGPU_DMA_LOW || spare->memory.device_address + spare->memory.size <= FOUR_GIB)) {
            unlink_spare(spare, before);
            return spare;
        }
    }
    return NULL;
}

static void trim_spares(UINTN most)
{
    while (spares.pages > most) {
        struct dma_binding *spare = spares.oldest;

        unlink_spare(spare, NULL);
        return_to_firmware(spare, spare->memory.cpu);
    }
}

void agpu_dma_trim(void)
{
    trim_spares(0);
}

/* With an IOMMU the memory is unmapped at once, so that the device loses access. */
static bool keep_spare(struct dma_binding *binding, const struct agpu_dma *dma)
{
    if (dma->device_address != (uintptr_t)dma->cpu || binding->pages > SPARE_PAGES_MAX / 4) {
        return false;
    }
    binding->memory = *dma;
    *(spares.newest == NULL ? &spares.oldest : &spares.newest->next) = binding;
    spares.newest = binding;
    spares.pages += binding->pages;
    trim_spares(SPARE_PAGES_MAX);
    return true;
}

/* Reuses a spare and its binding instead of the new one, if one fits. */
static enum agpu_status alloc_spare_or_new(struct dma_binding **binding, struct agpu_dma *out)
{
    struct dma_binding *spare = take_spare((*binding)->io, (*binding)->pages);
    enum agpu_status result;

    if (spare != NULL) {
        agpu_heap_free(NULL, *binding);
        *binding = spare;
        *out = spare->memory;
        return AGPU_OK;
    }
    result = alloc_by_firmware(*binding, out);
    if (result == AGPU_ERR_NO_MEMORY && spares.pages != 0) {
        agpu_dma_trim();
        result = alloc_by_firmware(*binding, out);
    }
    return result;
}

/* Alternates pseudo-randomly, so that no kind of memory is always on the same side: an LFSR with the same
 * sequence in each run. */
static bool turn_is_high(void)
{
    turns = turns >> 1 ^ (0xA3000000u & (0u - (turns & 1)));
    return turns & 1;
}

static bool alloc_high(const struct dma_binding *binding, struct agpu_dma *out)
{
    if (wanted_place == AGPU_DMA_LOW || !agpu_dma_high_open(binding->io) ||
        (wanted_place == AGPU_DMA_ANYWHERE && !turn_is_high())) {
        return false;
    }
    return agpu_dma_high_alloc(binding->io, binding->pages, &out->cpu, &out->device_address);
}

enum agpu_status agpu_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                struct agpu_dma *out)
{
    EFI_PCI_IO *io = agpu_pci_io(function);
    enum agpu_status result = AGPU_OK;

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
    if (!alloc_high(binding, out)) {
        result = wanted_place == AGPU_DMA_HIGH ? AGPU_ERR_NO_MEMORY : alloc_spare_or_new(&binding, out);
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
    if (agpu_dma_high_free(dma->cpu, binding->pages)) {
        agpu_heap_free(ctx, binding);
    } else if (!keep_spare(binding, dma)) {
        return_to_firmware(binding, dma->cpu);
    }
    *dma = (struct agpu_dma){0};
}

bool agpu_dma_set_place(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place)
{
    (void)ctx;
    /* The high region is at the lowest address available above 4 GiB, which crosses no multiple of 4 GiB. */
    if (place == AGPU_DMA_ACROSS || (place == AGPU_DMA_HIGH && !agpu_dma_high_open(agpu_pci_io(function)))) {
        return false;
    }
    wanted_place = place;
    return true;
}
