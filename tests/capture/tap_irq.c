/* tap_irq.c: interrupt handlers under a tap. A handler may interrupt the writing of a record, so its accesses are
 * collected and recorded later. */
#include "tests/capture/tap_irq.h"

#include "tests/capture/follower_progress.h"

bool agpu_tap_is_inside(const struct agpu_tap *tap)
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

void agpu_tap_take_handlers(struct agpu_tap *tap, struct agpu_tap_function *function, uint32_t put)
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
        agpu_tap_mute(tap, function);
    }
    irq->overrun = false;
}

void agpu_tap_take_all_handlers(struct agpu_tap *tap, struct agpu_tap_function *function)
{
    agpu_tap_take_handlers(tap, function, function->interrupt.put);
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

void agpu_tap_config_written(struct agpu_tap *tap)
{
    for (uint32_t i = 0; i < tap->count; i++) {
        agpu_follower_config_written(&tap->functions[i]->follower);
    }
}

static void record_way(struct agpu_tap *tap, struct agpu_tap_function *function)
{
    const struct agpu_tap_interrupt *irq = &function->interrupt;

    agpu_tap_enter(tap);
    agpu_tap_config_written(tap);
    agpu_tap_take_all_handlers(tap, function);
    agpu_follower_way(&function->follower, irq->handler == NULL        ? AGPU_CAPTURE_WAY_LINE
                                           : irq->way == AGPU_IRQ_MSI  ? AGPU_CAPTURE_WAY_MSI
                                           : irq->way == AGPU_IRQ_MSIX ? AGPU_CAPTURE_WAY_MSIX
                                                                       : AGPU_CAPTURE_WAY_LINE);
    agpu_tap_leave(tap);
}

enum agpu_status agpu_tap_irq_open(void *ctx, const struct agpu_pci_ref *ref, enum agpu_irq_way way,
                                   bool (*handler)(void *handler_ctx), void *handler_ctx,
                                   struct agpu_text *why)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function = agpu_tap_find_or_add(tap, ref);
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

void agpu_tap_irq_close(void *ctx, const struct agpu_pci_ref *ref, struct agpu_irq_counts *out)
{
    struct agpu_tap *tap = ctx;
    struct agpu_tap_function *function = agpu_tap_find(tap, ref);

    tap->inner->irq_close(tap->inner->ctx, ref, out);
    if (function != NULL) {
        function->interrupt.inside = false; /* a case that was terminated inside its handler */
        function->interrupt.handler = NULL;
        record_way(tap, function);
    }
}

void agpu_tap_handler_access(struct agpu_tap *tap, const struct agpu_pci_ref *ref, bool write, unsigned bar,
                             uint64_t offset, uint32_t size, uint64_t value)
{
    struct agpu_tap_function *function = agpu_tap_find(tap, ref);

    if (function != NULL) {
        keep_handlers_access(function, write, bar, offset, size, value);
    }
}
