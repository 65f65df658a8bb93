/* tracker.c: the platform wrapper; every call is passed to the machine's platform. */
#include "tests/cases/harness/tracker.h"

#include "pci/machine/wait.h"

static const struct agpu_platform *inner_platform(void *ctx)
{
    return ((struct agpu_tracker *)ctx)->inner;
}

/* Called from interrupt handlers too. */
static void count_access(void *ctx)
{
    __atomic_fetch_add(&((struct agpu_tracker *)ctx)->accesses, 1, __ATOMIC_RELAXED);
}

static bool tracker_pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    return inner_platform(ctx)->pci_function(inner_platform(ctx)->ctx, index, out);
}

static uint32_t tracker_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                    uint32_t size)
{
    count_access(ctx);
    return inner_platform(ctx)->config_read(inner_platform(ctx)->ctx, function, offset, size);
}

static void tracker_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                 uint32_t size, uint32_t value)
{
    count_access(ctx);
    inner_platform(ctx)->config_write(inner_platform(ctx)->ctx, function, offset, size, value);
}

static uint64_t tracker_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                                 uint64_t offset, uint32_t size)
{
    count_access(ctx);
    return inner_platform(ctx)->bar_read(inner_platform(ctx)->ctx, function, bar, offset, size);
}

static void tracker_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                              uint32_t size, uint64_t value)
{
    count_access(ctx);
    inner_platform(ctx)->bar_write(inner_platform(ctx)->ctx, function, bar, offset, size, value);
}

static int tracker_intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    return inner_platform(ctx)->intx_level(inner_platform(ctx)->ctx, function);
}

/* Rounded up to the heap's alignment, so that the memory after the block is aligned too. */
#define BLOCK_BYTES ((sizeof(struct agpu_tracker_block) + 15) / 16 * 16)

static void add_block(struct agpu_tracker *tracker, struct agpu_tracker_block *block)
{
    block->number = ++tracker->numbered;
    block->next = tracker->blocks;
    block->previous = NULL;
    if (block->next != NULL) {
        block->next->previous = block;
    }
    tracker->blocks = block;
}

static void remove_block(struct agpu_tracker *tracker, const struct agpu_tracker_block *block)
{
    if (block->next != NULL) {
        block->next->previous = block->previous;
    }
    if (block->previous != NULL) {
        block->previous->next = block->next;
    } else {
        tracker->blocks = block->next;
    }
}

/* The block replaces the machine's own allocation record, and contains it. */
static enum agpu_status dma_alloc_kept(struct agpu_tracker *tracker, const struct agpu_pci_ref *function,
                                       size_t size, struct agpu_dma *out)
{
    const struct agpu_platform *inner = tracker->inner;
    struct agpu_tracker_block *block = inner->heap_alloc(inner->ctx, sizeof *block);
    enum agpu_status status =
        block != NULL ? inner->dma_alloc(inner->ctx, function, size, out) : AGPU_ERR_NO_MEMORY;

    if (status != AGPU_OK) {
        inner->heap_free(inner->ctx, block);
        return status;
    }
    block->dma = *out;
    agpu_redzone_draw(out);
    out->binding = block;
    add_block(tracker, block);
    return AGPU_OK;
}

static enum agpu_status dma_alloc_plain(struct agpu_tracker *tracker, const struct agpu_pci_ref *function,
                                        size_t size, struct agpu_dma *out)
{
    enum agpu_status status = tracker->inner->dma_alloc(tracker->inner->ctx, function, size, out);

    if (status == AGPU_OK) {
        agpu_redzone_draw(out);
    }
    return status;
}

static void dma_free_kept(struct agpu_tracker *tracker, struct agpu_dma *dma)
{
    const struct agpu_platform *inner = tracker->inner;
    struct agpu_tracker_block *block = dma->binding;

    remove_block(tracker, block);
    agpu_redzone_check(&block->dma, &tracker->damage);
    inner->dma_free(inner->ctx, &block->dma);
    inner->heap_free(inner->ctx, block);
    *dma = (struct agpu_dma){0};
}

static enum agpu_status tracker_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                          struct agpu_dma *out)
{
    struct agpu_tracker *tracker = ctx;
    enum agpu_status status = AGPU_ERR_NO_MEMORY;

    if (size <= SIZE_MAX - 2u * AGPU_REDZONE_BYTES) {
        size += 2u * AGPU_REDZONE_BYTES;
        status = tracker->keeps ? dma_alloc_kept(tracker, function, size, out)
                                : dma_alloc_plain(tracker, function, size, out);
    }
    if (status == AGPU_OK) {
        tracker->dma_live++;
        tracker->dma_bytes += out->size;
    }
    return status;
}

static void tracker_dma_free(void *ctx, struct agpu_dma *dma)
{
    struct agpu_tracker *tracker = ctx;

    tracker->dma_live--;
    tracker->dma_bytes -= dma->size;
    if (tracker->keeps) {
        dma_free_kept(tracker, dma);
    } else {
        agpu_redzone_remove(dma);
        agpu_redzone_check(dma, &tracker->damage);
        tracker->inner->dma_free(tracker->inner->ctx, dma);
    }
}

static bool tracker_dma_place(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place)
{
    return inner_platform(ctx)->dma_place != NULL &&
           inner_platform(ctx)->dma_place(inner_platform(ctx)->ctx, function, place);
}

static enum agpu_status tracker_run_beside(void *ctx, void (*task)(void *arg), void (*here)(void *arg),
                                           void *arg, struct agpu_text *why)
{
    return inner_platform(ctx)->run_beside(inner_platform(ctx)->ctx, task, here, arg, why);
}

static void *heap_alloc_kept(struct agpu_tracker *tracker, size_t size)
{
    const struct agpu_platform *inner = tracker->inner;
    struct agpu_tracker_block *block =
        size < SIZE_MAX - BLOCK_BYTES ? inner->heap_alloc(inner->ctx, BLOCK_BYTES + size) : NULL;

    if (block == NULL) {
        return NULL;
    }
    add_block(tracker, block);
    return (uint8_t *)block + BLOCK_BYTES;
}

static void *tracker_heap_alloc(void *ctx, size_t size)
{
    struct agpu_tracker *tracker = ctx;
    void *memory = tracker->keeps ? heap_alloc_kept(tracker, size)
                                  : tracker->inner->heap_alloc(tracker->inner->ctx, size);

    if (memory != NULL) {
        tracker->heap_live++;
    }
    return memory;
}

static void tracker_heap_free(void *ctx, void *memory)
{
    struct agpu_tracker *tracker = ctx;

    if (memory == NULL) {
        return;
    }
    tracker->heap_live--;
    if (tracker->keeps) {
        memory = (uint8_t *)memory - BLOCK_BYTES;
        remove_block(tracker, memory);
    }
    tracker->inner->heap_free(tracker->inner->ctx, memory);
}

/* Frees DMA memory in place of its owner. */
static void take_dma_back(struct agpu_tracker *tracker, struct agpu_tracker_block *block)
{
    struct agpu_dma dma = block->dma;

    dma.binding = block;
    dma.size -= 2u * AGPU_REDZONE_BYTES;
    tracker_dma_free(tracker, &dma);
}

unsigned agpu_tracker_take_back(struct agpu_tracker *tracker, uint64_t numbered)
{
    unsigned count = 0;

    while (tracker->blocks != NULL && tracker->blocks->number > numbered) {
        struct agpu_tracker_block *block = tracker->blocks;

        if (block->dma.cpu != NULL) {
            take_dma_back(tracker, block);
        } else {
            tracker_heap_free(tracker, (uint8_t *)block + BLOCK_BYTES);
        }
        count++;
    }
    return count;
}

static uint64_t tracker_now_ns(void *ctx)
{
    struct agpu_tracker *tracker = ctx;
    const uint64_t now = tracker->inner->now_ns(tracker->inner->ctx);

    if (tracker->last_ns != 0 && now > tracker->last_ns && now - tracker->last_ns > tracker->still_ns) {
        tracker->still_ns = now - tracker->last_ns;
    }
    tracker->last_ns = now;
    return now;
}

void agpu_tracker_forget(struct agpu_tracker *tracker)
{
    tracker->last_ns = tracker->inner->now_ns(tracker->inner->ctx);
    tracker->still_ns = 0;
}

static void tracker_relax(void *ctx, enum agpu_relax_reason reason)
{
    struct agpu_tracker *tracker = ctx;

    tracker->inner->relax(tracker->inner->ctx, reason);
    tracker->tick(tracker->tick_ctx);
}

static void tracker_stall(void *ctx, uint64_t ns)
{
    struct agpu_tracker *tracker = ctx;

    tracker_now_ns(tracker);
    agpu_wait_stall(tracker->inner, ns);
    tracker->last_ns += ns;
    tracker_now_ns(tracker);
}

static void tracker_log_text(void *ctx, enum agpu_log_level level, const char *text)
{
    inner_platform(ctx)->log(inner_platform(ctx)->ctx, level, text);
}

static bool tracker_bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                            struct agpu_bar_mapping *out)
{
    return inner_platform(ctx)->bar_map != NULL &&
           inner_platform(ctx)->bar_map(inner_platform(ctx)->ctx, function, bar, out);
}

static void tracker_bar_order(void *ctx)
{
    inner_platform(ctx)->bar_order(inner_platform(ctx)->ctx);
}

static enum agpu_status tracker_irq_open(void *ctx, const struct agpu_pci_ref *function,
                                         enum agpu_irq_way way, bool (*handler)(void *handler_ctx),
                                         void *handler_ctx, struct agpu_text *why)
{
    return inner_platform(ctx)->irq_open(inner_platform(ctx)->ctx, function, way, handler, handler_ctx, why);
}

static void tracker_irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out)
{
    inner_platform(ctx)->irq_close(inner_platform(ctx)->ctx, function, out);
}

static void tracker_observe(void *ctx, void (*step)(void *step_ctx, bool registers), void *step_ctx)
{
    inner_platform(ctx)->test->observe(inner_platform(ctx)->ctx, step, step_ctx);
}

static void tracker_polled(void *ctx)
{
    inner_platform(ctx)->test->polled(inner_platform(ctx)->ctx);
}

static bool tracker_picture(void *ctx, const struct agpu_pci_ref *function, struct agpu_test_picture *picture)
{
    return inner_platform(ctx)->test->picture(inner_platform(ctx)->ctx, function, picture);
}

void agpu_tracker_init(struct agpu_tracker *tracker, const struct agpu_platform *machine,
                       void (*tick)(void *ctx), void *tick_ctx)
{
    static const struct agpu_test_system none;
    const struct agpu_test_system *test = machine->test != NULL ? machine->test : &none;

    *tracker = (struct agpu_tracker){
        .inner = machine,
        .platform =
            {
                .ctx = tracker,
                .pci_function = tracker_pci_function,
                .config_read = tracker_config_read,
                .config_write = tracker_config_write,
                .bar_read = tracker_bar_read,
                .bar_write = tracker_bar_write,
                .bar_map = tracker_bar_map,
                .bar_order = machine->bar_order != NULL ? tracker_bar_order : NULL,
                .intx_level = tracker_intx_level,
                .irq_open = machine->irq_open != NULL ? tracker_irq_open : NULL,
                .irq_close = machine->irq_close != NULL ? tracker_irq_close : NULL,
                .dma_alloc = tracker_dma_alloc,
                .dma_free = tracker_dma_free,
                .dma_place = tracker_dma_place,
                .heap_alloc = tracker_heap_alloc,
                .heap_free = tracker_heap_free,
                .now_ns = tracker_now_ns,
                .relax = tracker_relax,
                .log = tracker_log_text,
                .run_beside = machine->run_beside != NULL ? tracker_run_beside : NULL,
                .test = &tracker->test,
            },
        .test =
            {
                .observe = test->observe != NULL ? tracker_observe : NULL,
                .polled = test->polled != NULL ? tracker_polled : NULL,
                .stall = tracker_stall,
                .picture = test->picture != NULL ? tracker_picture : NULL,
                .simulated_time = test->simulated_time,
                .late_edges = test->late_edges,
                .boot_ns = test->boot_ns,
                .limits = &tracker->limits,
            },
        .limits = {UINT64_MAX, UINT64_MAX},
        .tick = tick,
        .tick_ctx = tick_ctx,
    };
}
