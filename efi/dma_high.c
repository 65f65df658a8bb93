/* dma_high.c: the firmware's own allocators prefer memory below 4 GiB, so the region is allocated by address
 * from the memory map. It is the lowest one available: if a device drops half of an address, the remaining
 * half then usually names memory, too, as under an operating system. */
#include "efi/dma_high.h"

#include <string.h>

#include "efi/memory_map.h"

#define FOUR_GIB      UINT64_C(0x100000000)
#define STRETCH_BYTES UINT64_C(0x4000000)
#define STRETCH_PAGES (STRETCH_BYTES / EFI_PAGE_SIZE)
#define VIEWS_MAX     16u

enum stretch_state { STRETCH_UNKNOWN, STRETCH_NONE, STRETCH_OPEN };

static struct {
    enum agpu_dma_high use;
    enum stretch_state state;
    EFI_PHYSICAL_ADDRESS memory;
    struct stretch_view {
        EFI_PCI_IO *io;
        bool open; /* false: this function cannot reach the region */
        uint64_t device_address;
        void *mapping;       /* NULL: the firmware was not asked, or refused */
        uint64_t attributes; /* original attributes of the function */
    } views[VIEWS_MAX];      /* one for each function that asked */
    unsigned view_count;
    UINTN next; /* page at which the next search starts: late reuse of addresses exposes stale ones */
    uint8_t used[STRETCH_PAGES];
} stretch;

void agpu_dma_high_configure(enum agpu_dma_high use)
{
    stretch.use = use;
}

static bool holds_stretch(const EFI_MEMORY_DESCRIPTOR *range)
{
    return range->Type == EfiConventionalMemory && range->PhysicalStart >= FOUR_GIB &&
           range->NumberOfPages >= STRETCH_PAGES;
}

static void keep_lowest(void *ctx, const EFI_MEMORY_DESCRIPTOR *range)
{
    EFI_PHYSICAL_ADDRESS *lowest = ctx;

    if (holds_stretch(range) && (*lowest == 0 || range->PhysicalStart < *lowest)) {
        *lowest = range->PhysicalStart;
    }
}

/* Returns the address of the lowest free region; 0: none. */
static EFI_PHYSICAL_ADDRESS find_stretch(void)
{
    EFI_PHYSICAL_ADDRESS lowest = 0;

    agpu_memory_map_each(keep_lowest, &lowest);
    return lowest;
}

/* Maps the region with the firmware, or, if configured, uses CPU addresses. */
static bool map_stretch(struct stretch_view *view)
{
    UINTN mapped = STRETCH_BYTES;
    EFI_PHYSICAL_ADDRESS address = 0;
    EFI_STATUS status = view->io->Map(view->io, EfiPciIoOperationBusMasterCommonBuffer,
                                      (void *)(uintptr_t)stretch.memory, &mapped, &address, &view->mapping);

    if (!EFI_ERROR(status) && mapped == STRETCH_BYTES && address >= FOUR_GIB) {
        view->device_address = address;
        return true;
    }
    if (!EFI_ERROR(status)) { /* an IOMMU maps high memory to low addresses */
        view->io->Unmap(view->io, view->mapping);
        return false;
    }
    view->mapping = NULL;
    view->device_address = stretch.memory;
    return stretch.use == AGPU_DMA_HIGH_ON;
}

static bool set_dual_address_cycle(struct stretch_view *view)
{
    EFI_PCI_IO *io = view->io;

    return !EFI_ERROR(io->Attributes(io, EfiPciIoAttributeOperationGet, 0, &view->attributes)) &&
           !EFI_ERROR(io->Attributes(io, EfiPciIoAttributeOperationEnable,
                                     EFI_PCI_IO_ATTRIBUTE_DUAL_ADDRESS_CYCLE, NULL));
}

static void restore_dual_address_cycle(const struct stretch_view *view)
{
    EFI_PCI_IO *io = view->io;

    if ((view->attributes & EFI_PCI_IO_ATTRIBUTE_DUAL_ADDRESS_CYCLE) == 0) {
        io->Attributes(io, EfiPciIoAttributeOperationDisable, EFI_PCI_IO_ATTRIBUTE_DUAL_ADDRESS_CYCLE, NULL);
    }
}

/* Allocates the region, once. */
static bool take_stretch(void)
{
    if (stretch.state == STRETCH_UNKNOWN) {
        stretch.memory = find_stretch();
        stretch.state =
            stretch.memory != 0 && !EFI_ERROR(agpu_boot->AllocatePages(AllocateAddress, EfiBootServicesData,
                                                                       STRETCH_PAGES, &stretch.memory))
                ? STRETCH_OPEN
                : STRETCH_NONE;
    }
    return stretch.state == STRETCH_OPEN;
}

static bool open_view(struct stretch_view *view)
{
    if (stretch.use == AGPU_DMA_HIGH_OFF || !set_dual_address_cycle(view)) {
        return false;
    }
    if (take_stretch() && map_stretch(view)) {
        return true;
    }
    restore_dual_address_cycle(view);
    return false;
}

/* Returns the function's mapping of the region; NULL when it has none. */
static const struct stretch_view *view_of(EFI_PCI_IO *io)
{
    struct stretch_view *view = stretch.views;

    while (view < stretch.views + stretch.view_count && view->io != io) {
        view++;
    }
    if (view == stretch.views + VIEWS_MAX) {
        return NULL;
    }
    if (view == stretch.views + stretch.view_count) {
        stretch.view_count++;
        *view = (struct stretch_view){.io = io};
        view->open = open_view(view);
    }
    return view->open ? view : NULL;
}

bool agpu_dma_high_open(EFI_PCI_IO *io)
{
    return view_of(io) != NULL;
}

static bool find_room(UINTN from, UINTN to, UINTN pages, UINTN *out)
{
    UINTN run = 0;

    for (UINTN page = from; page < to; page++) {
        run = stretch.used[page] ? 0 : run + 1;
        if (run == pages) {
            *out = page + 1 - pages;
            return true;
        }
    }
    return false;
}

bool agpu_dma_high_alloc(EFI_PCI_IO *io, UINTN pages, void **cpu, uint64_t *device_address)
{
    const struct stretch_view *view = view_of(io);
    UINTN page;

    if (view == NULL || pages == 0 ||
        (!find_room(stretch.next, STRETCH_PAGES, pages, &page) &&
         !find_room(0, STRETCH_PAGES, pages, &page))) {
        return false;
    }
    memset(stretch.used + page, 1, pages);
    stretch.next = page + pages;
    *cpu = (void *)(uintptr_t)(stretch.memory + page * EFI_PAGE_SIZE);
    *device_address = view->device_address + page * EFI_PAGE_SIZE;
    return true;
}

bool agpu_dma_high_free(const void *memory, UINTN pages)
{
    const uint64_t offset = (uintptr_t)memory - stretch.memory;

    if (stretch.state != STRETCH_OPEN || offset >= STRETCH_BYTES) {
        return false;
    }
    memset(stretch.used + offset / EFI_PAGE_SIZE, 0, pages);
    return true;
}

void agpu_dma_high_close(void)
{
    while (stretch.view_count != 0) {
        const struct stretch_view *view = &stretch.views[--stretch.view_count];

        if (!view->open) {
            continue;
        }
        if (view->mapping != NULL) {
            view->io->Unmap(view->io, view->mapping);
        }
        restore_dual_address_cycle(view);
    }
    if (stretch.state == STRETCH_NONE) {
        stretch.state = STRETCH_UNKNOWN; /* the next open searches again */
    }
}

void agpu_dma_high_give_back(void)
{
    if (stretch.state == STRETCH_OPEN) {
        agpu_boot->FreePages(stretch.memory, STRETCH_PAGES);
        stretch.state = STRETCH_UNKNOWN;
    }
}
