/* account.c: the counting platform: every call goes through to the machine. */
#include "tests/cases/harness/account.h"

static const struct agpu_platform *inner(void *ctx)
{
    return ((struct agpu_account *)ctx)->inner;
}

static bool pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    return inner(ctx)->pci_function(inner(ctx)->ctx, index, out);
}

static uint32_t config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size)
{
    return inner(ctx)->config_read(inner(ctx)->ctx, function, offset, size);
}

static void config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                         uint32_t value)
{
    inner(ctx)->config_write(inner(ctx)->ctx, function, offset, size, value);
}

static uint64_t bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                         uint32_t size)
{
    return inner(ctx)->bar_read(inner(ctx)->ctx, function, bar, offset, size);
}

static void bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                      uint32_t size, uint64_t value)
{
    inner(ctx)->bar_write(inner(ctx)->ctx, function, bar, offset, size, value);
}

static int intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    return inner(ctx)->intx_level(inner(ctx)->ctx, function);
}

static enum agpu_status dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                  struct agpu_dma *out)
{
    struct agpu_account *account = ctx;
    enum agpu_status status = account->inner->dma_alloc(account->inner->ctx, function, size, out);

    if (status == AGPU_OK) {
        account->dma_live++;
        account->dma_bytes += out->size;
    }
    return status;
}

static void dma_free(void *ctx, struct agpu_dma *dma)
{
    struct agpu_account *account = ctx;

    account->dma_live--;
    account->dma_bytes -= dma->size;
    account->inner->dma_free(account->inner->ctx, dma);
}

static void *heap_alloc(void *ctx, size_t size)
{
    struct agpu_account *account = ctx;
    void *memory = account->inner->heap_alloc(account->inner->ctx, size);

    if (memory != NULL) {
        account->heap_live++;
    }
    return memory;
}

static void heap_free(void *ctx, void *memory)
{
    struct agpu_account *account = ctx;

    if (memory != NULL) {
        account->heap_live--;
    }
    account->inner->heap_free(account->inner->ctx, memory);
}

static uint64_t now_ns(void *ctx)
{
    return inner(ctx)->now_ns(inner(ctx)->ctx);
}

static void relax(void *ctx, enum agpu_relax_reason reason)
{
    struct agpu_account *account = ctx;

    account->inner->relax(account->inner->ctx, reason);
    account->tick(account->tick_ctx);
}

static void log_text(void *ctx, enum agpu_log_level level, const char *text)
{
    inner(ctx)->log(inner(ctx)->ctx, level, text);
}

static bool bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                    struct agpu_bar_mapping *out)
{
    return inner(ctx)->bar_map != NULL && inner(ctx)->bar_map(inner(ctx)->ctx, function, bar, out);
}

void agpu_account_init(struct agpu_account *account, const struct agpu_platform *machine,
                       void (*tick)(void *ctx), void *tick_ctx)
{
    *account = (struct agpu_account){
        .inner = machine,
        .platform =
            {
                .ctx = account,
                .pci_function = pci_function,
                .config_read = config_read,
                .config_write = config_write,
                .bar_read = bar_read,
                .bar_write = bar_write,
                .bar_map = bar_map,
                .intx_level = intx_level,
                .dma_alloc = dma_alloc,
                .dma_free = dma_free,
                .heap_alloc = heap_alloc,
                .heap_free = heap_free,
                .now_ns = now_ns,
                .relax = relax,
                .log = log_text,
            },
        .tick = tick,
        .tick_ctx = tick_ctx,
    };
}
