/* host_irq.c: a level, a handler, and the machine's patience with one that finds nothing. */
#include "tests/host_platform/host_irq.h"

#include "pci/machine/text.h"

#define MISSES_MOST 256u

enum agpu_status agpu_host_irq_open(struct agpu_host_irq *irq, enum agpu_irq_way way,
                                    bool (*handler)(void *ctx), void *handler_ctx, struct agpu_text *why)
{
    if (irq->open) {
        return AGPU_ERR_BUSY;
    }
    if (way != AGPU_IRQ_LINE) {
        agpu_text_string(why, way == AGPU_IRQ_MSI ? AGPU_IRQ_NO_MSI : AGPU_IRQ_NO_MSIX);
        return AGPU_ERR_PLATFORM;
    }
    *irq = (struct agpu_host_irq){.open = true, .handler = handler, .handler_ctx = handler_ctx};
    return AGPU_OK;
}

void agpu_host_irq_close(struct agpu_host_irq *irq, struct agpu_irq_counts *out)
{
    irq->open = false;
    if (out != NULL) {
        *out = irq->counts;
    }
}

void agpu_host_irq_deliver(struct agpu_host_irq *irq, const volatile int *level)
{
    if (!irq->open || irq->running) {
        return;
    }
    irq->running = true;
    while (*level != 0 && irq->open && !irq->counts.silenced) {
        const bool mine = irq->handler(irq->handler_ctx);

        irq->counts.taken += mine;
        irq->counts.spurious += !mine;
        irq->misses = mine ? 0 : irq->misses + 1;
        irq->counts.silenced = irq->misses >= MISSES_MOST;
    }
    irq->running = false;
}
