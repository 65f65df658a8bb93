/* tracker.c: the platform wrapper; every call is passed to the machine's platform. */
#include "tests/cases/harness/tracker.h"

#include "pci/machine/wait.h"

static const struct agpu_platform *inner_platform(void *ctx)
{
    return ((struct agpu_account *)ctx)->inner;
}

/* Called from interrupt handlers too. */
static void count_access(void *ctx)
{
    __atomic_fetch_add(&((struct agpu_account *)ctx)->accesses, 1, __ATOMIC_RELAXED);
}

static bool account_pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    return inner_platform(ctx)->pci_function(inner_platform(ctx)->ctx, index, out);
}

static uint32_t account_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                    uint32_t size)
{
    count_access(ctx);
    return inner_platform(ctx)->config_read(inner_platform(ctx)->ctx, function, offset, size);
}

static void account_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                 uint32_t size, uint32_t value)
{
    count_access(ctx);
    inner_platform(ctx)->config_write(inner_platform(ctx)->ctx, function, offset, size, value);
}

static uint64_t account_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                                 uint64_t offset, uint32_t size)
{
    count_access(ctx);
    return inner_platform(ctx)->bar_read(inner_platform(ctx)->ctx, function, bar, offset, size);
}

static void account_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                              uint32_t size, uint64_t value)
{
    count_access(ctx);
    inner_platform(ctx)->bar_write(inner_platform(ctx)->ctx, function, bar, offset, size, value);
}

static int account_intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    return inner_platform(ctx)->intx_level(inner_platform(ctx)->ctx, function);
}

/* Rounded up to the heap's alignment, so that the memory after the block is aligned too. */
#define BLOCK_BYTES ((sizeof(struct agpu_account_block) + 15) / 16 * 16)

static void add_block(struct agpu_account *account, struct agpu_account_block *block)
{
    block->number = ++account->numbered;
    block->next = account->blocks;
    block->previous = NULL;
    if (block->next != NULL) {
        block->next->previous = block;
    }
    account->blocks = block;
}

static void remove_block(struct agpu_account *account, const struct agpu_account_block *block)
{
    if (block->next != NULL) {
        block->next->previous = block->previous;
    }
    if (block->previous != NULL) {
        block->previous->next = block->next;
    } else {
        account->blocks = block->next;
    }
}

/* The block replaces the machine's own allocation record, and contains it. */
static enum agpu_status dma_alloc_kept(struct agpu_account *account, const struct agpu_pci_ref *function,
                                       size_t size, struct agpu_dma *out)
{
    const struct agpu_platform *inner = account->inner;
    struct agpu_account_block *block = inner->heap_alloc(inner->ctx, sizeof *block);
    enum agpu_status status =
        block != NULL ? inner->dma_alloc(inner->ctx, function, size, out) : AGPU_ERR_NO_MEMORY;

    if (status != AGPU_OK) {
        inner->heap_free(inner->ctx, block);
        return status;
    }
    block->dma = *out;
    agpu_margin_draw(out);
    out->binding = block;
    add_block(account, block);
    return AGPU_OK;
}

static enum agpu_status dma_alloc_plain(struct agpu_account *account, const struct agpu_pci_ref *function,
                                        size_t size, struct agpu_dma *out)
{
    enum agpu_status status = account->inner->dma_alloc(account->inner->ctx, function, size, out);

    if (status == AGPU_OK) {
        agpu_margin_draw(out);
    }
    return status;
}

static void dma_free_kept(struct agpu_account *account, struct agpu_dma *dma)
{
    const struct agpu_platform *inner = account->inner;
    struct agpu_account_block *block = dma->binding;

    remove_block(account, block);
    agpu_margin_check(&block->dma, &account->damage);
    inner->dma_free(inner->ctx, &block->dma);
    inner->heap_free(inner->ctx, block);
    *dma = (struct agpu_dma){0};
}

static enum agpu_status account_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                          struct agpu_dma *out)
{
    struct agpu_account *account = ctx;
    enum agpu_status status = AGPU_ERR_NO_MEMORY;

    if (size <= SIZE_MAX - 2u * AGPU_MARGIN_BYTES) {
        size += 2u * AGPU_MARGIN_BYTES;
        status = account->keeps ? dma_alloc_kept(account, function, size, out)
                                : dma_alloc_plain(account, function, size, out);
    }
    if (status == AGPU_OK) {
        account->dma_live++;
        account->dma_bytes += out->size;
    }
    return status;
}

static void account_dma_free(void *ctx, struct agpu_dma *dma)
{
    struct agpu_account *account = ctx;

    account->dma_live--;
    account->dma_bytes -= dma->size;
    if (account->keeps) {
        dma_free_kept(account, dma);
    } else {
        agpu_margin_remove(dma);
        agpu_margin_check(dma, &account->damage);
        account->inner->dma_free(account->inner->ctx, dma);
    }
}

static bool account_dma_place(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place)
{
    return inner_platform(ctx)->dma_place != NULL &&
           inner_platform(ctx)->dma_place(inner_platform(ctx)->ctx, function, place);
}

static void *heap_alloc_kept(struct agpu_account *account, size_t size)
{
    const struct agpu_platform *inner = account->inner;
    struct agpu_account_block *block =
        size < SIZE_MAX - BLOCK_BYTES ? inner->heap_alloc(inner->ctx, BLOCK_BYTES + size) : NULL;

    if (block == NULL) {
        return NULL;
    }
    add_block(account, block);
    return (uint8_t *)block + BLOCK_BYTES;
}

static void *account_heap_alloc(void *ctx, size_t size)
{
    struct agpu_account *account = ctx;
    void *memory = account->keeps ? heap_alloc_kept(account, size)
                                  : account->inner->heap_alloc(account->inner->ctx, size);

    if (memory != NULL) {
        account->heap_live++;
    }
    return memory;
}

static void account_heap_free(void *ctx, void *memory)
{
    struct agpu_account *account = ctx;

    if (memory == NULL) {
        return;
    }
    account->heap_live--;
    if (account->keeps) {
        memory = (uint8_t *)memory - BLOCK_BYTES;
        remove_block(account, memory);
    }
    account->inner->heap_free(account->inner->ctx, memory);
}

/* Frees DMA memory in place of its owner. */
static void take_dma_back(struct agpu_account *account, struct agpu_account_block *block)
{
    struct agpu_dma dma = block->dma;

    dma.binding = block;
    dma.size -= 2u * AGPU_MARGIN_BYTES;
    account_dma_free(account, &dma);
}

unsigned agpu_account_take_back(struct agpu_account *account, uint64_t numbered)
{
    unsigned count = 0;

    while (account->blocks != NULL && account->blocks->number > numbered) {
        struct agpu_account_block *block = account->blocks;

        if (block->dma.cpu != NULL) {
            take_dma_back(account, block);
        } else {
            account_heap_free(account, (uint8_t *)block + BLOCK_BYTES);
        }
        count++;
    }
    return count;
}

static uint64_t account_now_ns(void *ctx)
{
    struct agpu_account *account = ctx;
    const uint64_t now = account->inner->now_ns(account->inner->ctx);

    if (account->last_ns != 0 && now > account->last_ns && now - account->last_ns > account->still_ns) {
        account->still_ns = now - account->last_ns;
    }
    account->last_ns = now;
    return now;
}

void agpu_account_forget(struct agpu_account *account)
{
    account->last_ns = account->inner->now_ns(account->inner->ctx);
    account->still_ns = 0;
}

static void account_relax(void *ctx, enum agpu_relax_reason reason)
{
    struct agpu_account *account = ctx;

    account->inner->relax(account->inner->ctx, reason);
    account->tick(account->tick_ctx);
}

static void account_stall(void *ctx, uint64_t ns)
{
    struct agpu_account *account = ctx;

    account_now_ns(account);
    agpu_wait_stall(account->inner, ns);
    account->last_ns += ns;
    account_now_ns(account);
}

static void account_log_text(void *ctx, enum agpu_log_level level, const char *text)
{
    inner_platform(ctx)->log(inner_platform(ctx)->ctx, level, text);
}

static bool account_bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                            struct agpu_bar_mapping *out)
{
    return inner_platform(ctx)->bar_map != NULL &&
           inner_platform(ctx)->bar_map(inner_platform(ctx)->ctx, function, bar, out);
}

static void account_bar_order(void *ctx)
{
    inner_platform(ctx)->bar_order(inner_platform(ctx)->ctx);
}

static enum agpu_status account_irq_open(void *ctx, const struct agpu_pci_ref *function,
                                         enum agpu_irq_way way, bool (*handler)(void *handler_ctx),
                                         void *handler_ctx, struct agpu_text *why)
{
    return inner_platform(ctx)->irq_open(inner_platform(ctx)->ctx, function, way, handler, handler_ctx, why);
}

static void account_irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out)
{
    inner_platform(ctx)->irq_close(inner_platform(ctx)->ctx, function, out);
}

static void account_observe(void *ctx, void (*look)(void *look_ctx, bool registers), void *look_ctx)
{
    inner_platform(ctx)->test->observe(inner_platform(ctx)->ctx, look, look_ctx);
}

static void account_looked(void *ctx)
{
    inner_platform(ctx)->test->looked(inner_platform(ctx)->ctx);
}

void agpu_account_init(struct agpu_account *account, const struct agpu_platform *machine,
                       void (*tick)(void *ctx), void *tick_ctx)
{
    static const struct agpu_test_system none;
    const struct agpu_test_system *test = machine->test != NULL ? machine->test : &none;

    *account = (struct agpu_account){
        .inner = machine,
        .platform =
            {
                .ctx = account,
                .pci_function = account_pci_function,
                .config_read = account_config_read,
                .config_write = account_config_write,
                .bar_read = account_bar_read,
                .bar_write = account_bar_write,
                .bar_map = account_bar_map,
                .bar_order = machine->bar_order != NULL ? account_bar_order : NULL,
                .intx_level = account_intx_level,
                .irq_open = machine->irq_open != NULL ? account_irq_open : NULL,
                .irq_close = machine->irq_close != NULL ? account_irq_close : NULL,
                .dma_alloc = account_dma_alloc,
                .dma_free = account_dma_free,
                .dma_place = account_dma_place,
                .heap_alloc = account_heap_alloc,
                .heap_free = account_heap_free,
                .now_ns = account_now_ns,
                .relax = account_relax,
                .log = account_log_text,
                .test = &account->test,
            },
        .test =
            {
                .observe = test->observe != NULL ? account_observe : NULL,
                .looked = test->looked != NULL ? account_looked : NULL,
                .stall = account_stall,
                .simulated_time = test->simulated_time,
                .boot_ns = test->boot_ns,
                .limits = &account->limits,
            },
        .limits = {UINT64_MAX, UINT64_MAX},
        .tick = tick,
        .tick_ctx = tick_ctx,
    };
}
