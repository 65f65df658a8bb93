/* tap.c: every call goes through to the machine, and is written down. */
#include "tests/capture/tap.h"

#include "pci/machine/wait.h"
#include "tests/capture/follower_progress.h"

static const struct agpu_platform *inner_of(void *ctx)
{
    return ((struct agpu_tap *)ctx)->inner;
}

/* The function whose accesses are written down. Outside of cases any may become it. */
static bool is_target(struct agpu_tap *tap, const struct agpu_pci_ref *function)
{
    if (!tap->running && function->handle != tap->target.handle) {
        tap->target = *function;
        tap->has_target = true;
    }
    return tap->running && function->handle == tap->target.handle;
}

static void enter(const struct agpu_tap *tap)
{
    if (tap->config.enter != NULL) {
        tap->config.enter(tap->config.ctx);
    }
}

static void leave(const struct agpu_tap *tap)
{
    if (tap->config.leave != NULL) {
        tap->config.leave(tap->config.ctx);
    }
}

/* Where memory is short the case goes on without. */
static void mute_when_full(struct agpu_tap *tap)
{
    if (!tap->follower.muted && !agpu_capture_hold_has_room(&tap->hold)) {
        tap->follower.muted = true;
        tap->lost_cases++;
    }
}

/* ---- what a handler does ---- */

static void keep_handlers_access(struct agpu_tap *tap, bool write, unsigned bar, uint64_t offset,
                                 uint32_t size, uint64_t value)
{
    struct agpu_tap_interrupt *irq = &tap->interrupt;
    const uint32_t at = irq->put % AGPU_TAP_HANDLER_ACCESSES;

    if (bar != 0) {
        return; /* a handler looks at registers only */
    }
    if (irq->put - irq->taken == AGPU_TAP_HANDLER_ACCESSES) {
        irq->overrun = true;
        return;
    }
    irq->accesses[at].message = false;
    irq->accesses[at].write = write;
    irq->accesses[at].offset = (uint32_t)offset;
    irq->accesses[at].size = (uint8_t)size;
    irq->accesses[at].value = value;
    irq->put++;
}

static void keep_message(struct agpu_tap *tap)
{
    struct agpu_tap_interrupt *irq = &tap->interrupt;

    if (irq->put - irq->taken == AGPU_TAP_HANDLER_ACCESSES) {
        irq->overrun = true;
        return;
    }
    irq->accesses[irq->put % AGPU_TAP_HANDLER_ACCESSES].message = true;
    irq->put++;
}

/* Writes down what handlers have done since the last call. */
static void take_handlers_accesses(struct agpu_tap *tap)
{
    struct agpu_tap_interrupt *irq = &tap->interrupt;

    while (irq->taken != irq->put) {
        const uint32_t at = irq->taken % AGPU_TAP_HANDLER_ACCESSES;

        if (tap->running && irq->accesses[at].message) {
            agpu_follower_line(&tap->follower, 1, true);
        } else if (tap->running) {
            agpu_follower_was_accessed(&tap->follower, irq->accesses[at].write, irq->accesses[at].offset,
                                       irq->accesses[at].size, irq->accesses[at].value);
        }
        irq->taken++;
    }
    if (irq->overrun && tap->running && !tap->follower.muted) {
        tap->follower.muted = true;
        tap->lost_cases++;
    }
    irq->overrun = false;
}

static bool tap_handler(void *ctx)
{
    struct agpu_tap *tap = ctx;
    bool mine;

    tap->interrupt.inside = true;
    if (tap->interrupt.way != AGPU_IRQ_LINE) {
        keep_message(tap);
    }
    mine = tap->interrupt.handler(tap->interrupt.handler_ctx);
    tap->interrupt.inside = false;
    return mine;
}

static void tell_way(struct agpu_tap *tap)
{
    enter(tap);
    take_handlers_accesses(tap);
    agpu_follower_way(&tap->follower, tap->interrupt.handler == NULL        ? AGPU_CAPTURE_WAY_LINE
                                      : tap->interrupt.way == AGPU_IRQ_MSI  ? AGPU_CAPTURE_WAY_MSI
                                      : tap->interrupt.way == AGPU_IRQ_MSIX ? AGPU_CAPTURE_WAY_MSIX
                                                                            : AGPU_CAPTURE_WAY_LINE);
    leave(tap);
}

static enum agpu_status tap_irq_open(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                                     bool (*handler)(void *handler_ctx), void *handler_ctx,
                                     struct agpu_text *why)
{
    struct agpu_tap *tap = ctx;
    const struct agpu_tap_interrupt before = {.handler = tap->interrupt.handler,
                                              .handler_ctx = tap->interrupt.handler_ctx,
                                              .way = tap->interrupt.way};
    enum agpu_status status;

    tap->interrupt.handler = handler;
    tap->interrupt.handler_ctx = handler_ctx;
    tap->interrupt.way = way;
    status = tap->inner->irq_open(tap->inner->ctx, function, way, tap_handler, tap, why);
    if (status != AGPU_OK) { /* another may be open already */
        tap->interrupt.handler = before.handler;
        tap->interrupt.handler_ctx = before.handler_ctx;
        tap->interrupt.way = before.way;
    } else {
        tell_way(tap);
    }
    return status;
}

static void tap_irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out)
{
    struct agpu_tap *tap = ctx;

    tap->inner->irq_close(tap->inner->ctx, function, out);
    tap->interrupt.inside = false; /* a case that was ended inside its handler */
    tap->interrupt.handler = NULL;
    tell_way(tap);
}

/* What the device did until now, unless a handler asks, who may have come in the middle of this. What a handler did belongs before it: the interrupt has changed what is seen. */
static void look_now(struct agpu_tap *tap)
{
    if (tap->interrupt.inside ||
        (tap->interrupt.put == tap->interrupt.taken && agpu_follower_is_quiet(&tap->follower))) {
        return;
    }
    enter(tap);
    take_handlers_accesses(tap);
    agpu_follower_look(&tap->follower);
    mute_when_full(tap);
    leave(tap);
}

/* ---- the machine ---- */

static bool tap_pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    return inner_of(ctx)->pci_function(inner_of(ctx)->ctx, index, out);
}

static uint32_t tap_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                uint32_t size)
{
    struct agpu_tap *tap = ctx;
    const uint32_t value = tap->inner->config_read(tap->inner->ctx, function, offset, size);

    if (tap->running && function->handle == tap->target.handle) {
        enter(tap);
        agpu_follower_read(&tap->follower, AGPU_CAPTURE_CONFIG_SPACE, offset, size, value);
        leave(tap);
    }
    return value;
}

static void tap_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                             uint32_t value)
{
    struct agpu_tap *tap = ctx;
    const bool ours = tap->running && function->handle == tap->target.handle;

    if (ours) {
        enter(tap);
        agpu_follower_write(&tap->follower, AGPU_CAPTURE_CONFIG_SPACE, offset, size, value);
        leave(tap);
    }
    tap->inner->config_write(tap->inner->ctx, function, offset, size, value);
    if (ours) {
        look_now(tap);
    }
}

static uint64_t tap_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                             uint32_t size)
{
    struct agpu_tap *tap = ctx;
    const uint64_t value = tap->inner->bar_read(tap->inner->ctx, function, bar, offset, size);

    if (tap->interrupt.inside) {
        keep_handlers_access(tap, false, bar, offset, size, value);
        return value;
    }
    enter(tap);
    take_handlers_accesses(tap);
    if (is_target(tap, function)) {
        agpu_follower_read(&tap->follower, bar, offset, size, value);
        mute_when_full(tap);
    }
    leave(tap);
    return value;
}

static void tap_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                          uint32_t size, uint64_t value)
{
    struct agpu_tap *tap = ctx;
    bool ours;

    if (tap->interrupt.inside) {
        tap->inner->bar_write(tap->inner->ctx, function, bar, offset, size, value);
        keep_handlers_access(tap, true, bar, offset, size, value);
        return;
    }
    enter(tap);
    take_handlers_accesses(tap);
    ours = is_target(tap, function);
    if (ours || function->handle == tap->target.handle) {
        agpu_follower_write(&tap->follower, bar, offset, size, value);
    }
    leave(tap);
    tap->inner->bar_write(tap->inner->ctx, function, bar, offset, size, value);
    if (ours) {
        look_now(tap);
    }
}

static bool tap_bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                        struct agpu_bar_mapping *out)
{
    struct agpu_tap *tap = ctx;
    struct agpu_shadow_region region;

    if (!tap->inner->bar_map(tap->inner->ctx, function, bar, out)) {
        return false;
    }
    region = (struct agpu_shadow_region){.address = out->device_address,
                                         .size = out->size,
                                         .cpu = out->cpu,
                                         .kind = AGPU_CAPTURE_BAR,
                                         .bar = (uint8_t)bar};
    if (function->handle == tap->target.handle &&
        agpu_shadow_find(&tap->follower.shadow, region.address) == NULL) {
        enter(tap);
        agpu_follower_map(&tap->follower, &region);
        leave(tap);
    }
    return true;
}

static void tap_bar_order(void *ctx)
{
    const struct agpu_tap *tap = ctx;

    tap->inner->bar_order(tap->inner->ctx);
}

static int tap_intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    struct agpu_tap *tap = ctx;
    const int level = tap->inner->intx_level(tap->inner->ctx, function);

    if (level >= 0 && tap->running && function->handle == tap->target.handle) {
        enter(tap);
        agpu_follower_line(&tap->follower, 0, level > 0);
        leave(tap);
    }
    return level;
}

static void tap_observe(void *ctx, void (*look)(void *look_ctx, bool registers), void *look_ctx)
{
    inner_of(ctx)->observe(inner_of(ctx)->ctx, look, look_ctx);
}

static void tap_looked(void *ctx)
{
    struct agpu_tap *tap = ctx;

    look_now(tap);
    if (tap->inner->looked != NULL) {
        tap->inner->looked(tap->inner->ctx);
    }
}

static enum agpu_status tap_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                      struct agpu_dma *out)
{
    struct agpu_tap *tap = ctx;
    const enum agpu_status status = tap->inner->dma_alloc(tap->inner->ctx, function, size, out);

    if (status == AGPU_OK) {
        const struct agpu_shadow_region region = {.address = out->device_address,
                                                  .size = out->size,
                                                  .cpu = out->cpu,
                                                  .zeroed = true,
                                                  .kind = AGPU_CAPTURE_ZEROED};

        enter(tap);
        agpu_follower_map(&tap->follower, &region);
        leave(tap);
    }
    return status;
}

static void tap_dma_free(void *ctx, struct agpu_dma *dma)
{
    struct agpu_tap *tap = ctx;

    enter(tap);
    agpu_follower_unmap(&tap->follower, dma->device_address);
    leave(tap);
    tap->inner->dma_free(tap->inner->ctx, dma);
}

static bool tap_dma_place(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place)
{
    return inner_of(ctx)->dma_place(inner_of(ctx)->ctx, function, place);
}

static void *tap_heap_alloc(void *ctx, size_t size)
{
    return inner_of(ctx)->heap_alloc(inner_of(ctx)->ctx, size);
}

static void tap_heap_free(void *ctx, void *memory)
{
    inner_of(ctx)->heap_free(inner_of(ctx)->ctx, memory);
}

static uint64_t tap_now_ns(void *ctx)
{
    return inner_of(ctx)->now_ns(inner_of(ctx)->ctx);
}

static void tap_relax(void *ctx, enum agpu_relax_reason reason)
{
    struct agpu_tap *tap = ctx;

    tap->inner->relax(tap->inner->ctx, reason);
    look_now(tap);
}

static void tap_stall(void *ctx, uint64_t ns)
{
    agpu_wait_stall(inner_of(ctx), ns);
}

static void tap_log(void *ctx, enum agpu_log_level level, const char *text)
{
    inner_of(ctx)->log(inner_of(ctx)->ctx, level, text);
}

/* ---- what the follower asks ---- */

static uint64_t follower_now_ns(void *ctx)
{
    const struct agpu_tap *tap = ctx;

    return tap->inner->now_ns(tap->inner->ctx) - tap->start_ns;
}

static uint32_t follower_register(void *ctx, uint32_t offset)
{
    const struct agpu_tap *tap = ctx;

    return (uint32_t)tap->inner->bar_read(tap->inner->ctx, &tap->target, 0, offset, 4);
}

static uint32_t follower_config(void *ctx, uint32_t offset)
{
    const struct agpu_tap *tap = ctx;

    return tap->inner->config_read(tap->inner->ctx, &tap->target, offset, 4);
}

/* ---- life ---- */

static void init_platform(struct agpu_tap *tap)
{
    const struct agpu_platform *inner = tap->inner;

    tap->platform = (struct agpu_platform){
        .ctx = tap,
        .pci_function = tap_pci_function,
        .config_read = tap_config_read,
        .config_write = tap_config_write,
        .bar_read = tap_bar_read,
        .bar_write = tap_bar_write,
        .bar_map = inner->bar_map != NULL ? tap_bar_map : NULL,
        .bar_order = inner->bar_order != NULL ? tap_bar_order : NULL,
        .intx_level = tap_intx_level,
        .irq_open = inner->irq_open != NULL ? tap_irq_open : NULL,
        .irq_close = inner->irq_close != NULL ? tap_irq_close : NULL,
        .observe = inner->observe != NULL ? tap_observe : NULL,
        .looked = tap_looked,
        .dma_alloc = tap_dma_alloc,
        .dma_free = tap_dma_free,
        .dma_place = inner->dma_place != NULL ? tap_dma_place : NULL,
        .heap_alloc = tap_heap_alloc,
        .heap_free = tap_heap_free,
        .now_ns = tap_now_ns,
        .relax = tap_relax,
        .stall = tap_stall,
        .simulated_time = inner->simulated_time,
        .boot_ns = inner->boot_ns,
        .log = tap_log,
    };
}

bool agpu_tap_init(struct agpu_tap *tap, const struct agpu_platform *inner,
                   const struct agpu_tap_config *config)
{
    const size_t hold_bytes = (agpu_capture_hold_bytes(config->case_bytes) + 15) & ~(size_t)15;
    const struct agpu_capture_heap heap = {inner->heap_alloc, inner->heap_free, inner->ctx};
    struct agpu_follower_config follower = {
        .now_ns = follower_now_ns,
        .register_read = config->registers ? follower_register : NULL,
        .config_read = follower_config,
        .ctx = tap,
        .encoder = &tap->hold.encoder,
        .view = AGPU_CAPTURE_GUEST,
        .producer = config->producer,
        .pages = config->pages,
        .heap = heap,
    };
    uint8_t *storage;

    *tap = (struct agpu_tap){.config = *config, .inner = inner, .start_ns = inner->now_ns(inner->ctx)};
    storage = inner->heap_alloc(inner->ctx, hold_bytes + agpu_follower_bytes(config->pages));
    if (storage == NULL) {
        return false;
    }
    if (!agpu_capture_hold_init(&tap->hold, storage, config->case_bytes, &heap, config->write, config->ctx)) {
        inner->heap_free(inner->ctx, storage);
        return false;
    }
    tap->storage = storage;
    follower.storage = storage + hold_bytes;
    agpu_follower_init(&tap->follower, &follower);
    init_platform(tap);
    return true;
}

void agpu_tap_case_begin(struct agpu_tap *tap, const char *id, uint32_t index)
{
    if (!tap->has_target || tap->running) {
        return;
    }
    take_handlers_accesses(tap); /* not this case's */
    agpu_capture_hold_begin(&tap->hold);
    agpu_follower_case_begin(&tap->follower, id, index);
    tap->running = true;
}

void agpu_tap_case_end(struct agpu_tap *tap, uint32_t result, const char *name, bool bad)
{
    const bool wanted = bad || tap->config.mode == AGPU_CAPTURE_ALL;

    if (!tap->running) {
        return;
    }
    take_handlers_accesses(tap);
    tap->running = false;
    agpu_follower_case_end(&tap->follower, result, name, bad);
    tap->lost_cases += wanted && tap->hold.overrun;
    tap->kept_cases += wanted && !tap->hold.overrun;
    agpu_capture_hold_end(&tap->hold, wanted);
}

bool agpu_tap_close(struct agpu_tap *tap)
{
    const bool complete = agpu_capture_finish(&tap->hold.encoder);

    agpu_follower_close(&tap->follower);
    agpu_capture_hold_close(&tap->hold);
    tap->inner->heap_free(tap->inner->ctx, tap->storage);
    tap->storage = NULL;
    return complete;
}
