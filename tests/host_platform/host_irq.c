/* host_irq.c: a level or messages, a handler, and a limit on spurious interrupts. */
#include "tests/host_platform/host_irq.h"

#include "pci/machine/text.h"

#define MISSES_MOST 256u

/* The address for messages to a PC's processor, and a vector. */
#define MESSAGE_ADDRESS 0xFEE00000u
#define MESSAGE_DATA    0x0090u

enum agpu_status agpu_host_irq_open(struct agpu_host_irq *irq, const struct agpu_function *function,
                                    enum agpu_irq_way way, bool (*handler)(void *ctx), void *handler_ctx,
                                    struct agpu_text *why)
{
    struct agpu_message message = {0};

    if (irq->open) {
        return AGPU_ERR_BUSY;
    }
    if (way != AGPU_IRQ_LINE && !agpu_message_find(function, way == AGPU_IRQ_MSIX, &message)) {
        agpu_text_string(why, way == AGPU_IRQ_MSI ? AGPU_IRQ_NO_MSI : AGPU_IRQ_NO_MSIX);
        return AGPU_ERR_PLATFORM;
    }
    *irq = (struct agpu_host_irq){
        .open = true, .way = way, .handler = handler, .handler_ctx = handler_ctx, .message = message};
    if (way != AGPU_IRQ_LINE) {
        agpu_message_open(function, &irq->message, MESSAGE_ADDRESS, MESSAGE_DATA);
    }
    return AGPU_OK;
}

void agpu_host_irq_close(struct agpu_host_irq *irq, const struct agpu_function *function,
                         struct agpu_irq_counts *out)
{
    if (irq->open) {
        irq->open = false;
        if (irq->way != AGPU_IRQ_LINE) {
            agpu_message_close(function, &irq->message);
        }
    }
    if (out != NULL) {
        *out = irq->counts;
    }
}

bool agpu_host_irq_send(struct agpu_host_irq *irq, uint32_t vector)
{
    if (!irq->open || irq->way == AGPU_IRQ_LINE || vector != 0) {
        return false;
    }
    atomic_store(&irq->sent, true);
    return true;
}

static bool is_up(struct agpu_host_irq *irq, const volatile int *level)
{
    return irq->way == AGPU_IRQ_LINE ? *level != 0 : atomic_exchange(&irq->sent, false);
}

void agpu_host_irq_deliver(struct agpu_host_irq *irq, const volatile int *level)
{
    if (!irq->open || irq->running) {
        return;
    }
    irq->running = true;
    while (irq->open && !irq->counts.silenced && is_up(irq, level)) {
        const bool mine = irq->handler(irq->handler_ctx);

        irq->counts.taken += mine;
        irq->counts.spurious += !mine;
        irq->misses = mine ? 0 : irq->misses + 1;
        irq->counts.silenced = irq->misses >= MISSES_MOST;
    }
    irq->running = false;
}
