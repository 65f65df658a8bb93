/* host_irq.h: interrupts of the in-process machine: taken behind the access or the wait during which the device raised its
 * line or sent its message, as a processor takes them between two instructions. */
#ifndef AGPU_HOST_PLATFORM_HOST_IRQ_H
#define AGPU_HOST_PLATFORM_HOST_IRQ_H

#include <stdatomic.h>

#include "pci/message.h"

struct agpu_host_irq {
    atomic_bool open;
    enum agpu_irq_way way;
    atomic_bool sent; /* a message has come that no handler was called for yet */
    struct agpu_message message;
    bool running; /* in the handler */
    bool (*handler)(void *ctx);
    void *handler_ctx;
    unsigned misses; /* spurious ones in a row */
    struct agpu_irq_counts counts;
};

/* As struct agpu_platform has it. */
enum agpu_status agpu_host_irq_open(struct agpu_host_irq *irq, const struct agpu_function *function,
                                    enum agpu_irq_way way, bool (*handler)(void *ctx), void *handler_ctx,
                                    struct agpu_text *why);
void agpu_host_irq_close(struct agpu_host_irq *irq, const struct agpu_function *function,
                         struct agpu_irq_counts *out);

/* The function sends message `vector`; false when nobody has asked for it. Any thread. */
bool agpu_host_irq_send(struct agpu_host_irq *irq, uint32_t vector);

/* Calls the handler while the level is up, or once for the messages that have come. */
void agpu_host_irq_deliver(struct agpu_host_irq *irq, const volatile int *level);

#endif
