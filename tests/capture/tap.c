/* tap.c: passes every call to the machine, and records it. */
#include "tests/capture/tap.h"

#include "pci/machine/location.h"
#include "pci/machine/wait.h"
#include "tests/capture/follower_progress.h"

static const struct agpu_platform *inner_of(void *ctx)
{
    return ((struct agpu_tap *)ctx)->inner;
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

/* ---- the functions ---- */

static struct agpu_tap_function *find(const struct agpu_tap *tap, const struct agpu_pci_ref *function)
{
    for (uint32_t i = 0; i < tap->count; i++) {
        if (tap->functions[i]->ref.handle == function->handle) {
            return tap->functions[i];
        }
    }
    return NULL;
}

static bool add_function(struct agpu_tap *tap, const struct agpu_pci_ref *ref);

/* Returns the function, and starts to follow a new one. NULL if that is not possible. */
static struct agpu_tap_function *find_or_add(struct agpu_tap *tap, const struct agpu_pci_ref *function)
{
    struct agpu_tap_function *found = find(tap, function);

    if (found != NULL || (tap->count != 0 && tap->functions[0]->ref.handle == NULL)) {
        if (found == NULL) { /* the first was created before its function was known */
            found = tap->functions[0];
            found->ref = *function;
        }
        return found;
    }
    return add_function(tap, function) ? tap->functions[tap->count - 1] : NULL;
}

/* Sets the text of its DEVICE records: the producer, and the location of the function. */
static void name_function(struct agpu_tap_function *function)
{
    struct agpu_text text;

    agpu_text_begin(&text, function->producer, sizeof function->producer);
    agpu_format(&text, "%s, function ", function->tap->config.producer);
    agpu_pci_describe_location(&text, &function->ref.location);
    function->follower.config.producer = function->producer;
}

/* Starts the function in the current case. */
static void begin_function(struct agpu_tap *tap, struct agpu_tap_function *function)
{
    if (!function->numbered) {
        function->follower.function = (uint8_t)tap->numbers++;
        function->numbered = true;
        name_function(function);
    }
    agpu_follower_case_begin(&function->follower, tap->case_id, tap->case_index);
    function->begun = true;
}

/* Returns the function of an access to a BAR; outside of cases the next case will be about it. NULL: it is not
 * followed. */
static struct agpu_tap_function *accessed(struct agpu_tap *tap, const struct agpu_pci_ref *ref)
{
    struct agpu_tap_function *function = find_or_add(tap, ref);

    if (function != NULL && !tap->running) {
        tap->target = function;
    } else if (function != NULL && !function->begun) {
        begin_function(tap, function);
    }
    return function;
}

/* Returns the function if its accesses are recorded: during a case that has started with it. */
static struct agpu_tap_function *begun(const struct agpu_tap *tap, const struct agpu_pci_ref *ref)
{
    struct agpu_tap_function *function = find(tap, ref);

    return function != NULL && tap->running && function->begun ? function : NULL;
}

static void mute(struct agpu_tap *tap, struct agpu_tap_function *function)
{
    if (!function->follower.muted) {
        function->follower.muted = true;
        tap->lost_cases++;
    }
}

/* Stops recording the case if memory is short. */
static void mute_when_full(struct agpu_tap *tap)
{
    for (uint32_t i = 0; i < tap->count && !agpu_capture_hold_has_room(&tap->hold); i++) {
        if (tap->functions[i]->begun) {
            mute(tap, tap->functions[i]);
        }
    }
}

/* ---- interrupt handlers ---- */

static bool is_inside(const struct agpu_tap *tap)
{
    for (uint32_t i = 0; i < tap->count; i++) {
        if (tap->functions[i]->interrupt.inside) {
            return true;
        }
    }
    return false;
}

static void keep_handlers_access(struct agpu_tap_function *function, bool write, unsigned bar,
                                 uint64_t offset, uint32_t size, uint64_t value)
{
    struct agpu_tap_interrupt *irq = &function->interrupt;
    const uint32_t at = irq->put % AGPU_TAP_HANDLER_ACCESSES;

    if (bar != 0) {
        return; /* a handler accesses registers only */
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

static void keep_message(struct agpu_tap_function *function)
{
    struct agpu_tap_interrupt *irq = &function->interrupt;

    if (irq->put - irq->taken == AGPU_TAP_HANDLER_ACCESSES) {
        irq->overrun = true;
        return;
    }
    irq->accesses[irq->put % AGPU_TAP_HANDLER_ACCESSES].message = true;
    irq->put++;
}

/* Records what a function's handlers have done since the last call, up to the access with the index put. */
static void take_handlers_until(struct agpu_tap *tap, struct agpu_tap_function *function, uint32_t put)
{
    struct agpu_tap_interrupt *irq = &function->interrupt;
    struct agpu_follower *follower = &function->follower;

    while (irq->taken != put) {
        const uint32_t at = irq->taken % AGPU_TAP_HANDLER_ACCESSES;

        if (function->begun && irq->accesses[at].message) {
            agpu_follower_line(follower, 1, true);
        } else if (function->begun) {
            agpu_follower_was_accessed(follower, irq->accesses[at].write, irq->accesses[at].offset,
                                       irq->accesses[at].size, irq->accesses[at].value);
        }
        irq->taken++;
    }
    if (irq->overrun && function->begun) {
        mute(tap, function);
    }
    irq->overrun = false;
}

static void take_handlers_accesses(struct agpu_tap *tap, struct agpu_tap_function *function)
{
    take_handlers_until(tap, function, function->interrupt.put);
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

static bool tap_handler(void *ctx)
{
    struct agpu_tap_function *function = ctx;
    bool mine;

    function->interrupt.inside = true;
    if (function->interrupt.way != AGPU_IRQ_LINE) {
        keep_message(function);
    }
    mine = function->interrupt.handler(function->interrupt.handler_ctx);
    function->interrupt.inside = false;
    return mine;
}

/* Records a write to configuration space of a function or of a bridge above others, by the driver, or, for messages,
 * by the machine. */
static void note_config_written(struct agpu_tap *tap)
{
    for (uint32_t i = 0; i < tap->count; i++) {
        agpu_follower_config_written(&tap->functions[i]->follower);
    }
}

static void record_way(struct agpu_tap *tap, struct agpu_tap_function *function)
{
    const struct agpu_tap_interrupt *irq = &function->interrupt;

    enter(tap);
    note_config_written(tap);
    take_handlers_accesses(tap, function);
    agpu_follower_way(&function->follower, irq->handler == NULL        ? AGPU_CAPTURE_WAY_LINE
                                           : irq->way == AGPU_IRQ_MSI  ? AGPU_CAPTURE_WAY_MSI
                                           : irq->way == AGPU_IRQ_MSIX ? AGPU_CAPTURE_WAY_MSIX
                                                                       : AGPU_CAPTURE_WAY_LINE);
    leave(tap);
}

static enum agpu_status tap_irq_open(void *ctx, const struct agpu_pci_ref *ref, enum agpu_irq_way way,
                                     bool (*handler)(void *handler_ctx), void *handler_ctx,
                                     struct agpu_text *why)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function = find_or_add(tap, ref);
    struct agpu_tap_interrupt *irq;
    enum agpu_status status;

    if (function == NULL) {
        return tap->inner->irq_open(tap->inner->ctx, ref, way, handler, handler_ctx, why);
    }
    irq = &function->interrupt;

    const struct agpu_tap_interrupt before = {
        .handler = irq->handler, .handler_ctx = irq->handler_ctx, .way = irq->way};

    irq->handler = handler;
    irq->handler_ctx = handler_ctx;
    irq->way = way;
    status = tap->inner->irq_open(tap->inner->ctx, ref, way, tap_handler, function, why);
    if (status != AGPU_OK) { /* another may be open already */
        irq->handler = before.handler;
        irq->handler_ctx = before.handler_ctx;
        irq->way = before.way;
    } else {
        record_way(tap, function);
    }
    return status;
}

static void tap_irq_close(void *ctx, const struct agpu_pci_ref *ref, struct agpu_irq_counts *out)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function = find(tap, ref);

    tap->inner->irq_close(tap->inner->ctx, ref, out);
    if (function != NULL) {
        function->interrupt.inside = false; /* a case that was terminated inside its handler */
        function->interrupt.handler = NULL;
        record_way(tap, function);
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
            !is_inside(tap)) {
            enter(tap);
            take_handlers_accesses(tap, function);
            agpu_follower_poll(&function->follower);
            mute_when_full(tap);
            leave(tap);
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
    struct agpu_tap_function *function = begun(tap, ref);

    if (function != NULL) {
        enter(tap);
        take_handlers_accesses(tap, function);
        agpu_follower_read(&function->follower, AGPU_CAPTURE_CONFIG_SPACE, offset, size, value);
        leave(tap);
    }
    return value;
}

static void tap_config_write(void *ctx, const struct agpu_pci_ref *ref, uint32_t offset, uint32_t size,
                             uint32_t value)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function = begun(tap, ref);

    if (function != NULL) {
        enter(tap);
        take_handlers_accesses(tap, function);
        agpu_follower_write(&function->follower, AGPU_CAPTURE_CONFIG_SPACE, offset, size, value);
        leave(tap);
    }
    tap->inner->config_write(tap->inner->ctx, ref, offset, size, value);
    note_config_written(tap);
    if (function != NULL) {
        poll_now(tap);
    }
}

/* The access of a handler, which may have interrupted the writing of a record. */
static void note_handlers_access(struct agpu_tap *tap, const struct agpu_pci_ref *ref, bool write,
                                 unsigned bar, uint64_t offset, uint32_t size, uint64_t value)
{
    struct agpu_tap_function *function = find(tap, ref);

    if (function != NULL) {
        keep_handlers_access(function, write, bar, offset, size, value);
    }
}

static uint64_t tap_bar_read(void *ctx, const struct agpu_pci_ref *ref, unsigned bar, uint64_t offset,
                             uint32_t size)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function;
    uint64_t value, before;
    uint32_t put;

    if (is_inside(tap)) {
        value = tap->inner->bar_read(tap->inner->ctx, ref, bar, offset, size);
        note_handlers_access(tap, ref, false, bar, offset, size, value);
        return value;
    }
    enter(tap);
    function = accessed(tap, ref);
    leave(tap);
    before = hold_off(tap);
    value = tap->inner->bar_read(tap->inner->ctx, ref, bar, offset, size);
    put = function != NULL ? function->interrupt.put : 0; /* later accesses of a handler follow the read */
    let_in(tap, before);
    if (function != NULL) {
        enter(tap);
        take_handlers_until(tap, function, put);
        agpu_follower_read(&function->follower, bar, offset, size, value);
        mute_when_full(tap);
        leave(tap);
    }
    return value;
}

static void tap_bar_write(void *ctx, const struct agpu_pci_ref *ref, unsigned bar, uint64_t offset,
                          uint32_t size, uint64_t value)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function;
    uint64_t before;

    if (is_inside(tap)) {
        tap->inner->bar_write(tap->inner->ctx, ref, bar, offset, size, value);
        note_handlers_access(tap, ref, true, bar, offset, size, value);
        return;
    }
    enter(tap);
    function = accessed(tap, ref);
    if (function != NULL) {
        take_handlers_accesses(tap, function);
        agpu_follower_show(&function->follower, bar, offset, size, value);
        agpu_capture_hold_reserve(&tap->hold);
    }
    leave(tap);
    before = hold_off(tap);
    if (function != NULL) {
        take_handlers_accesses(tap, function);
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
    struct agpu_tap_function *function = find(tap, ref);
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
        enter(tap);
        agpu_follower_map(&function->follower, &region);
        leave(tap);
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
    struct agpu_tap_function *function = level >= 0 ? begun(tap, ref) : NULL;

    if (function != NULL) {
        enter(tap);
        take_handlers_accesses(tap, function);
        agpu_follower_line(&function->follower, 0, level > 0);
        leave(tap);
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

        enter(tap);
        function = find_or_add(tap, ref);
        if (function != NULL) {
            agpu_follower_map(&function->follower, &region);
        }
        leave(tap);
    }
    return status;
}

static void tap_dma_free(void *ctx, struct agpu_dma *dma)
{
    struct agpu_tap *tap = ctx;

    enter(tap);
    for (uint32_t i = 0; i < tap->count; i++) {
        struct agpu_follower *follower = &tap->functions[i]->follower;
        const struct agpu_shadow_region *region = agpu_shadow_find(&follower->shadow, dma->device_address);

        if (region != NULL &&
            region->cpu == dma->cpu) { /* with an IOMMU another device may have the same address */
            agpu_follower_unmap(follower, dma->device_address);
        }
    }
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
    const struct agpu_tap *tap = ctx;

    return tap->now_ns(tap->now_ctx);
}

static void tap_relax(void *ctx, enum agpu_relax_reason reason)
{
    struct agpu_tap *tap = ctx;

    tap->inner->relax(tap->inner->ctx, reason);
    poll_now(tap);
}

static void tap_stall(void *ctx, uint64_t ns)
{
    agpu_wait_stall(inner_of(ctx), ns);
}

static void tap_log(void *ctx, enum agpu_log_level level, const char *text)
{
    inner_of(ctx)->log(inner_of(ctx)->ctx, level, text);
}

/* ---- callbacks of the follower ---- */

static uint64_t follower_now_ns(void *ctx)
{
    const struct agpu_tap *tap = ((const struct agpu_tap_function *)ctx)->tap;

    return tap->inner->now_ns(tap->inner->ctx) - tap->start_ns;
}

static uint32_t follower_register(void *ctx, uint32_t offset)
{
    const struct agpu_tap_function *function = ctx;
    const struct agpu_platform *inner = function->tap->inner;

    return (uint32_t)inner->bar_read(inner->ctx, &function->ref, 0, offset, 4);
}

static uint32_t follower_config(void *ctx, uint32_t offset)
{
    const struct agpu_tap_function *function = ctx;
    const struct agpu_platform *inner = function->tap->inner;

    return inner->config_read(inner->ctx, &function->ref, offset, 4);
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
        .dma_alloc = tap_dma_alloc,
        .dma_free = tap_dma_free,
        .dma_place = inner->dma_place != NULL ? tap_dma_place : NULL,
        .heap_alloc = tap_heap_alloc,
        .heap_free = tap_heap_free,
        .now_ns = tap_now_ns,
        .relax = tap_relax,
        .log = tap_log,
        .test = &tap->test,
    };
}

static bool add_function(struct agpu_tap *tap, const struct agpu_pci_ref *ref)
{
    const struct agpu_platform *inner = tap->inner;
    const struct agpu_follower_config config = {
        .now_ns = follower_now_ns,
        .register_read = tap->config.registers ? follower_register : NULL,
        .config_read = follower_config,
        .encoder = &tap->hold.encoder,
        .view = AGPU_CAPTURE_GUEST,
        .producer = tap->config.producer,
        .pages = tap->config.pages,
        .heap = tap->hold.heap,
    };
    struct agpu_follower_config own = config;
    const size_t head = (sizeof(struct agpu_tap_function) + 15) & ~(size_t)15;
    struct agpu_tap_function *function = NULL;

    if (tap->count < AGPU_TAP_FUNCTIONS) {
        function = inner->heap_alloc(inner->ctx, head + agpu_follower_bytes(config.pages));
    }
    if (function == NULL) {
        tap->unfollowed = true;
        return false;
    }
    *function = (struct agpu_tap_function){.tap = tap, .ref = *ref};
    own.ctx = function;
    own.storage = (uint8_t *)function + head;
    agpu_follower_init(&function->follower, &own);
    tap->functions[tap->count++] = function;
    return true;
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
    if (!add_function(tap, &nobody)) {
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
        take_handlers_accesses(tap, tap->functions[i]); /* they do not belong to this case */
    }
    tap->case_id = id;
    tap->case_index = index;
    agpu_capture_hold_begin(&tap->hold);
    begin_function(tap, tap->target);
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

        take_handlers_accesses(tap, function);
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
