/* base_platform.c: default callbacks of the machine interface, which refuse or do nothing. */
#include "tests/host_platform/base_platform.h"

#include <stdlib.h>

static bool base_pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    (void)ctx;
    (void)index;
    (void)out;
    return false;
}

static uint32_t base_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                 uint32_t size)
{
    (void)ctx;
    (void)function;
    (void)offset;
    return UINT32_MAX >> (32 - 8 * size);
}

static void base_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                              uint32_t value)
{
    (void)ctx;
    (void)function;
    (void)offset;
    (void)size;
    (void)value;
}

static uint64_t base_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                              uint32_t size)
{
    (void)ctx;
    (void)function;
    (void)bar;
    (void)offset;
    return UINT64_MAX >> (64 - 8 * size);
}

static void base_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                           uint32_t size, uint64_t value)
{
    (void)ctx;
    (void)function;
    (void)bar;
    (void)offset;
    (void)size;
    (void)value;
}

static int base_intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    (void)ctx;
    (void)function;
    return -1;
}

static enum agpu_status base_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                       struct agpu_dma *out)
{
    (void)ctx;
    (void)function;
    (void)size;
    (void)out;
    return AGPU_ERR_NO_MEMORY;
}

static void base_dma_free(void *ctx, struct agpu_dma *dma)
{
    (void)ctx;
    (void)dma;
    abort(); /* dma_alloc() never succeeds */
}

static void *base_heap_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return calloc(1, size); /* 16-byte aligned on every 64-bit Linux */
}

static void base_heap_free(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

static uint64_t base_now_ns(void *ctx)
{
    (void)ctx;
    return 0;
}

static void base_relax(void *ctx, enum agpu_relax_reason reason)
{
    (void)ctx;
    (void)reason;
}

static void base_log(void *ctx, enum agpu_log_level level, const char *text)
{
    (void)ctx;
    (void)level;
    (void)text;
}

const struct agpu_platform agpu_base_platform = {
    .pci_function = base_pci_function,
    .config_read = base_config_read,
    .config_write = base_config_write,
    .bar_read = base_bar_read,
    .bar_write = base_bar_write,
    .intx_level = base_intx_level,
    .dma_alloc = base_dma_alloc,
    .dma_free = base_dma_free,
    .heap_alloc = base_heap_alloc,
    .heap_free = base_heap_free,
    .now_ns = base_now_ns,
    .relax = base_relax,
    .log = base_log,
};
