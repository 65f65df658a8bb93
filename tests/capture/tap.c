/* tap.c: passes every call to the machine, and records it. */
#include "tests/capture/tap.h"

#include "pci/machine/wait.h"
#include "tests/capture/follower_progress.h"
#include "tests/capture/tap_irq.h"

static const struct agpu_platform *inner_of(void *ctx)
{
    return ((struct agpu_tap *)ctx)->inner;
}

static uint64_t hold_off(const struct agpu_tap *tap)
{
    return tap->config.hold_off != NULL ? tap->config.hold_off(tap->config.ctx) : 0;
}

static void let_in(const struct agpu_tap *tap, uint64_t before)
{
    if (tap->config.let_in != NULL) {
        tap->config.let_in(tap->config.ctx, before);
    }
}

/* Records what the devices have done so far, unless called from a handler, which may have interrupted this. Accesses
 * of a handler are recorded first, because the interrupt has changed what is seen. */
static void poll_now(struct agpu_tap *tap)
{
    for (uint32_t i = 0; i < tap->count; i++) {
        struct agpu_tap_function *function = tap->functions[i];

        if ((function->interrupt.put != function->interrupt.taken ||
             !agpu_follower_is_quiet(&function->follower)) &&
            !agpu_tap_is_inside(tap)) {
            agpu_tap_enter(tap);
            agpu_tap_take_all_handlers(tap, function);
            agpu_follower_poll(&function->follower);
            agpu_tap_mute_when_full(tap);
            agpu_tap_leave(tap);
        }
    }
}

/* ---- the machine ---- */

static bool tap_pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    return inner_of(ctx)->pci_function(inner_of(ctx)->ctx, index, out);
}

static uint32_t tap_config_read(void *ctx, const struct agpu_pci_ref *ref, uint32_t offset, uint32_t size)
{
    struct agpu_tap *tap = ctx;
    const uint32_t value = tap->inner->config_read(tap->inner->ctx, ref, offset, size);
    struct agpu_tap_function *function = agpu_tap_begun(tap, ref);

    if (function != NULL) {
        agpu_tap_enter(tap);
        agpu_tap_take_all_handlers(tap, function);
        agpu_follower_read(&function->follower, AGPU_CAPTURE_CONFIG_SPACE, offset, size, value);
        agpu_tap_leave(tap);
    }
    return value;
}

static void tap_config_write(void *ctx, const struct agpu_pci_ref *ref, uint32_t offset, uint32_t size,
                             uint32_t value)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function = agpu_tap_begun(tap, ref);

    if (function != NULL) {
        agpu_tap_enter(tap);
        agpu_tap_take_all_handlers(tap, function);
        agpu_follower_write(&function->follower, AGPU_CAPTURE_CONFIG_SPACE, offset, size, value);
        agpu_tap_leave(tap);
    }
    tap->inner->config_write(tap->inner->ctx, ref, offset, size, value);
    agpu_tap_config_written(tap);
    if (function != NULL) {
        poll_now(tap);
    }
}

static uint64_t tap_bar_read(void *ctx, const struct agpu_pci_ref *ref, unsigned bar, uint64_t offset,
                             uint32_t size)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function;
    uint64_t value, before;
    uint32_t put;

    if (agpu_tap_is_inside(tap)) {
        value = tap->inner->bar_read(tap->inner->ctx, ref, bar, offset, size);
        agpu_tap_handler_access(tap, ref, false, bar, offset, size, value);
        return value;
    }
    agpu_tap_enter(tap);
    function = agpu_tap_accessed(tap, ref);
    agpu_tap_leave(tap);
    before = hold_off(tap);
    value = tap->inner->bar_read(tap->inner->ctx, ref, bar, offset, size);
    put = function != NULL ? function->interrupt.put : 0; /* later accesses of a handler follow the read */
    let_in(tap, before);
    if (function != NULL) {
        agpu_tap_enter(tap);
        agpu_tap_take_handlers(tap, function, put);
        agpu_follower_read(&function->follower, bar, offset, size, value);
        agpu_tap_mute_when_full(tap);
        agpu_tap_leave(tap);
    }
    return value;
}

static void tap_bar_write(void *ctx, const struct agpu_pci_ref *ref, unsigned bar, uint64_t offset,
                          uint32_t size, uint64_t value)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function;
    uint64_t before;

    if (agpu_tap_is_inside(tap)) {
        tap->inner->bar_write(tap->inner->ctx, ref, bar, offset, size, value);
        agpu_tap_handler_access(tap, ref, true, bar, offset, size, value);
        return;
    }
    agpu_tap_enter(tap);
    function = agpu_tap_accessed(tap, ref);
    if (function != NULL) {
        agpu_tap_take_all_handlers(tap, function);
        agpu_follower_show(&function->follower, bar, offset, size, value);
        agpu_capture_hold_reserve(&tap->hold);
    }
    agpu_tap_leave(tap);
    before = hold_off(tap);
    if (function != NULL) {
        agpu_tap_take_all_handlers(tap, function);
        agpu_follower_wrote(&function->follower, bar, offset, size, value);
    }
    tap->inner->bar_write(tap->inner->ctx, ref, bar, offset, size, value);
    let_in(tap, before);
    if (tap->running) {
        poll_now(tap);
    }
}

static bool tap_bar_map(void *ctx, const struct agpu_pci_ref *ref, unsigned bar, struct agpu_bar_mapping *out)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function = agpu_tap_find(tap, ref);
    struct agpu_shadow_region region;

    if (!tap->inner->bar_map(tap->inner->ctx, ref, bar, out)) {
        return false;
    }
    region = (struct agpu_shadow_region){.address = out->device_address,
                                         .size = out->size,
                                         .cpu = out->cpu,
                                         .kind = AGPU_CAPTURE_BAR,
                                         .bar = (uint8_t)bar};
    if (function != NULL && agpu_shadow_find(&function->follower.shadow, region.address) == NULL) {
        agpu_tap_enter(tap);
        agpu_follower_map(&function->follower, &region);
        agpu_tap_leave(tap);
    }
    return true;
}

static void tap_bar_order(void *ctx)
{
    const struct agpu_tap *tap = ctx;

    tap->inner->bar_order(tap->inner->ctx);
}

static int tap_intx_level(void *ctx, const struct agpu_pci_ref *ref)
{
    struct agpu_tap *tap = ctx;
    const int level = tap->inner->intx_level(tap->inner->ctx, ref);
    struct agpu_tap_function *function = level >= 0 ? agpu_tap_begun(tap, ref) : NULL;

    if (function != NULL) {
        agpu_tap_enter(tap);
        agpu_tap_take_all_handlers(tap, function);
        agpu_follower_line(&function->follower, 0, level > 0);
        agpu_tap_leave(tap);
    }
    return level;
}

static void tap_observe(void *ctx, void (*step)(void *step_ctx, bool registers), void *step_ctx)
{
    inner_of(ctx)->test->observe(inner_of(ctx)->ctx, step, step_ctx);
}

static void tap_polled(void *ctx)
{
    struct agpu_tap *tap = ctx;

    poll_now(tap);
    if (tap->inner->test != NULL && tap->inner->test->polled != NULL) {
        tap->inner->test->polled(tap->inner->ctx);
    }
}

static enum agpu_status tap_dma_alloc(void *ctx, const struct agpu_pci_ref *ref, size_t size,
                                      struct agpu_dma *out)
{
    struct agpu_tap *tap = ctx;
    const enum agpu_status status = tap->inner->dma_alloc(tap->inner->ctx, ref, size, out);
    struct agpu_tap_function *function;

    if (status == AGPU_OK) {
        const struct agpu_shadow_region region = {.address = out->device_address,
                                                  .size = out->size,
                                                  .cpu = out->cpu,
                                                  .zeroed = true,
                                                  .kind = AGPU_CAPTURE_ZEROED};

        agpu_tap_enter(tap);
        function = agpu_tap_find_or_add(tap, ref);
        if (function != NULL) {
            agpu_follower_map(&function->follower, &region);
        }
        agpu_tap_leave(tap);
    }
    return status;
}

static void tap_dma_free(void *ctx, struct agpu_dma *dma)
{
    struct agpu_tap *tap = ctx;

    agpu_tap_enter(tap);
    for (uint32_t i = 0; i < tap->count; i++) {
        struct agpu_follower *follower = &tap->functions[i]->follower;
        const struct agpu_shadow_region *region = agpu_shadow_find(&follower->shadow, dma->device_address);

        if (region != NULL &&
            region->cpu == dma->cpu) { /* with an IOMMU another device may have the same address */
            agpu_follower_unmap(follower, dma->device_address);
        }
    }
    agpu_tap_leave(tap);
    tap->inner->dma_free(tap->inner->ctx, dma);
}

static enum agpu_status tap_run_beside(void *ctx, void (*task)(void *arg), void (*here)(void *arg), void *arg,
                                       struct agpu_text *why)
{
    return inner_of(ctx)->run_beside(inner_of(ctx)->ctx, task, here, arg, why);
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
    const struct agpu_tap *tap = ctx;

    return tap->now_ns(tap->now_ctx);
}

static void tap_relax(void *ctx, enum agpu_relax_reason reason)
{
    struct agpu_tap *tap = ctx;

    tap->inner->relax(tap->inner->ctx, reason);
    poll_now(tap);
}

static bool tap_picture(void *ctx, const struct agpu_pci_ref *function, struct agpu_test_picture *picture)
{
    return inner_of(ctx)->test->picture(inner_of(ctx)->ctx, function, picture);
}

static void tap_stall(void *ctx, uint64_t ns)
{
    agpu_wait_stall(inner_of(ctx), ns);
}

static void tap_log(void *ctx, enum agpu_log_level level, const char *text)
{
    inner_of(ctx)->log(inner_of(ctx)->ctx, level, text);
}

/* ---- start and end ---- */

static void init_platform(struct agpu_tap *tap)
{
    const struct agpu_platform *inner = tap->inner;

    if (inner->test != NULL) {
        tap->test = *inner->test;
    }
    tap->test.observe = tap->test.observe != NULL ? tap_observe : NULL;
    tap->test.polled = tap_polled;
    tap->test.stall = tap_stall;
    tap->test.picture = tap->test.picture != NULL ? tap_picture : NULL;
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
        .irq_open = inner->irq_open != NULL ? agpu_tap_irq_open : NULL,
        .irq_close = inner->irq_close != NULL ? agpu_tap_irq_close : NULL,
        .dma_alloc = tap_dma_alloc,
        .dma_free = tap_dma_free,
        .dma_place = inner->dma_place != NULL ? tap_dma_place : NULL,
        .run_beside = inner->run_beside != NULL ? tap_run_beside : NULL,
        .heap_alloc = tap_heap_alloc,
        .heap_free = tap_heap_free,
        .now_ns = tap_now_ns,
        .relax = tap_relax,
        .log = tap_log,
        .test = &tap->test,
    };
}

bool agpu_tap_init(struct agpu_tap *tap, const struct agpu_platform *inner,
                   const struct agpu_tap_config *config)
{
    const struct agpu_capture_heap heap = {inner->heap_alloc, inner->heap_free, inner->ctx};
    const struct agpu_pci_ref nobody = {0};

    *tap = (struct agpu_tap){.config = *config,
                             .inner = inner,
                             .start_ns = inner->now_ns(inner->ctx),
                             .now_ns = inner->now_ns,
                             .now_ctx = inner->ctx};
    tap->storage = inner->heap_alloc(inner->ctx, agpu_capture_hold_bytes(config->case_bytes));
    if (tap->storage == NULL) {
        return false;
    }
    if (!agpu_capture_hold_init(&tap->hold, tap->storage, config->case_bytes, &heap, config->write,
                                config->ctx)) {
        goto free_storage;
    }
    if (!agpu_tap_add(tap, &nobody)) {
        goto close_hold;
    }
    init_platform(tap);
    return true;

close_hold:
    agpu_capture_hold_close(&tap->hold);
free_storage:
    inner->heap_free(inner->ctx, tap->storage);
    return false;
}

void agpu_tap_case_begin(struct agpu_tap *tap, const char *id, uint32_t index)
{
    if (tap->target == NULL || tap->running) {
        return;
    }
    for (uint32_t i = 0; i < tap->count; i++) {
        agpu_tap_take_all_handlers(tap, tap->functions[i]); /* they do not belong to this case */
    }
    tap->case_id = id;
    tap->case_index = index;
    agpu_capture_hold_begin(&tap->hold);
    agpu_tap_begin(tap, tap->target);
    tap->running = true;
}

void agpu_tap_case_end(struct agpu_tap *tap, uint32_t result, const char *name, bool bad)
{
    const bool wanted = bad || tap->config.mode == AGPU_CAPTURE_ALL;

    if (!tap->running) {
        return;
    }
    tap->running = false;
    for (uint32_t i = 0; i < tap->count; i++) {
        struct agpu_tap_function *function = tap->functions[i];

        agpu_tap_take_all_handlers(tap, function);
        if (function->begun) {
            function->begun = false;
            agpu_follower_case_end(&function->follower, result, name, bad);
        }
    }
    tap->lost_cases += wanted && (tap->hold.overrun || tap->unfollowed);
    tap->kept_cases += wanted && !tap->hold.overrun;
    tap->unfollowed = false;
    agpu_capture_hold_end(&tap->hold, wanted);
}

bool agpu_tap_close(struct agpu_tap *tap)
{
    const bool complete = agpu_capture_finish(&tap->hold.encoder);

    while (tap->count != 0) {
        struct agpu_tap_function *function = tap->functions[--tap->count];

        agpu_follower_close(&function->follower);
        tap->inner->heap_free(tap->inner->ctx, function);
    }
    agpu_capture_hold_close(&tap->hold);
    tap->inner->heap_free(tap->inner->ctx, tap->storage);
    tap->storage = NULL;
    return complete;
}
