/* platform.c: assembles struct agpu_platform. */
#include "efi/platform.h"

#include "efi/clock.h"
#include "efi/dma.h"
#include "efi/guard.h"
#include "efi/heap.h"
#include "efi/intx.h"
#include "efi/irq.h"
#include "efi/pci_io.h"
#include "efi/processors.h"
#include "efi/write_combining.h"
#include "pci/machine/test_system.h"

static struct agpu_efi_hooks owner;

/* The guard may end a case between two of these calls, never inside one (guard.h). */

static bool platform_pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    bool found;

    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    found = agpu_pci_io_function(ctx, index, out);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    return found;
}

static uint32_t platform_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                     uint32_t size)
{
    uint32_t value;

    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    value = agpu_pci_io_config_read(ctx, function, offset, size);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    return value;
}

static void platform_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                  uint32_t size, uint32_t value)
{
    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    agpu_pci_io_config_write(ctx, function, offset, size, value);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
}

static uint64_t platform_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                                  uint64_t offset, uint32_t size)
{
    uint64_t value;

    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    value = agpu_pci_io_bar_read(ctx, function, bar, offset, size);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    return value;
}

static void platform_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                               uint32_t size, uint64_t value)
{
    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    agpu_pci_io_bar_write(ctx, function, bar, offset, size, value);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
}

static bool platform_bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                             struct agpu_bar_mapping *out)
{
    bool mapped;

    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    mapped = agpu_pci_io_bar_map(ctx, function, bar, out);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    return mapped;
}

static int platform_intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    int level;

    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    level = agpu_intx_level(ctx, function);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    return level;
}

static enum agpu_status platform_irq_open(void *ctx, const struct agpu_pci_ref *function,
                                          enum agpu_irq_way way, bool (*handler)(void *handler_ctx),
                                          void *handler_ctx, struct agpu_text *why)
{
    enum agpu_status status;

    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    status = agpu_irq_open(ctx, function, way, handler, handler_ctx, why);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    return status;
}

static void platform_irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out)
{
    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    agpu_irq_close(ctx, function, out);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
}

static enum agpu_status platform_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                           struct agpu_dma *out)
{
    enum agpu_status status;

    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    status = agpu_dma_alloc(ctx, function, size, out);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    return status;
}

static void platform_dma_free(void *ctx, struct agpu_dma *dma)
{
    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    agpu_dma_free(ctx, dma);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
}

static bool platform_dma_place(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place)
{
    bool possible;

    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    possible = agpu_dma_set_place(ctx, function, place);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    return possible;
}

static void *platform_heap_alloc(void *ctx, size_t size)
{
    void *memory;

    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    memory = agpu_heap_alloc(ctx, size);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
    return memory;
}

static void platform_heap_free(void *ctx, void *memory)
{
    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    agpu_heap_free(ctx, memory);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
}

static void platform_relax(void *ctx, enum agpu_relax_reason reason)
{
    (void)ctx;
    agpu_guard_alive();
    agpu_guard_enter(AGPU_GUARD_SERVICE);
    owner.relax(reason);
    agpu_guard_leave(AGPU_GUARD_SERVICE);
}

static void platform_log(void *ctx, enum agpu_log_level level, const char *text)
{
    (void)ctx;
    agpu_guard_enter(AGPU_GUARD_FIRMWARE);
    owner.log(level, text);
    agpu_guard_leave(AGPU_GUARD_FIRMWARE);
}

static struct agpu_test_system test;

void agpu_efi_platform_init(struct agpu_platform *platform, const struct agpu_efi_hooks *hooks)
{
    owner = *hooks;
    agpu_dma_high_configure(hooks->dma_high);
    test.boot_ns = agpu_clock_boot_ns();
    *platform = (struct agpu_platform){
        .pci_function = platform_pci_function,
        .config_read = platform_config_read,
        .config_write = platform_config_write,
        .bar_read = platform_bar_read,
        .bar_write = platform_bar_write,
        .bar_map = platform_bar_map,
        .bar_order = agpu_write_combining_order,
        .intx_level = platform_intx_level,
        .irq_open = platform_irq_open,
        .irq_close = platform_irq_close,
        .dma_alloc = platform_dma_alloc,
        .dma_free = platform_dma_free,
        .dma_place = platform_dma_place,
        .heap_alloc = platform_heap_alloc,
        .heap_free = platform_heap_free,
        .now_ns = agpu_clock_ns,
        .relax = platform_relax,
        .log = platform_log,
        .run_beside = agpu_processors_run_beside,
        .test = &test,
    };
}

void agpu_efi_platform_close(void)
{
    agpu_intx_close();
    agpu_dma_high_close();
    agpu_pci_io_close();
}

void agpu_efi_platform_give_back(void)
{
    agpu_dma_trim();
    agpu_dma_high_give_back();
    agpu_heap_trim();
}
