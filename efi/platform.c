/* platform.c: puts the binding's parts together. */
#include "efi/platform.h"

#include "efi/clock.h"
#include "efi/dma.h"
#include "efi/heap.h"
#include "efi/intx.h"
#include "efi/pci_io.h"
#include "efi/write_combining.h"

static struct agpu_efi_hooks owner;

static void platform_relax(void *ctx, enum agpu_relax_reason reason)
{
    (void)ctx;
    owner.relax(reason);
}

static void platform_log(void *ctx, enum agpu_log_level level, const char *text)
{
    (void)ctx;
    owner.log(level, text);
}

void agpu_efi_platform_init(struct agpu_platform *platform, const struct agpu_efi_hooks *hooks)
{
    owner = *hooks;
    agpu_dma_high_configure(hooks->dma_high);
    *platform = (struct agpu_platform){
        .pci_function = agpu_pci_io_function,
        .config_read = agpu_pci_io_config_read,
        .config_write = agpu_pci_io_config_write,
        .bar_read = agpu_pci_io_bar_read,
        .bar_write = agpu_pci_io_bar_write,
        .bar_map = agpu_pci_io_bar_map,
        .bar_order = agpu_write_combining_order,
        .intx_level = agpu_intx_level,
        .dma_alloc = agpu_dma_alloc,
        .dma_free = agpu_dma_free,
        .dma_place = agpu_dma_set_place,
        .heap_alloc = agpu_heap_alloc,
        .heap_free = agpu_heap_free,
        .now_ns = agpu_clock_ns,
        .relax = platform_relax,
        .log = platform_log,
    };
}

void agpu_efi_platform_close(void)
{
    agpu_intx_close();
    agpu_dma_high_close();
    agpu_pci_io_close();
}
