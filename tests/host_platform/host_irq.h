/* host_irq.h: interrupts of the in-process machine. The handler runs after the access or the wait during which the
 * device asserted its line or sent its message, like a processor takes them between two instructions. */
#ifndef AGPU_HOST_PLATFORM_HOST_IRQ_H
#define AGPU_HOST_PLATFORM_HOST_IRQ_H

#include <stdatomic.h>

#include "pci/message.h"

struct agpu_host_irq {
    atomic_bool open;
    enum agpu_irq_way way;
    atomic_bool sent; /* a message for which no handler was called yet */
    struct agpu_message message;
    bool running; /* the handler is running */
    bool (*handler)(void *ctx);
    void *handler_ctx;
    unsigned misses; /* consecutive spurious interrupts */
    struct agpu_irq_counts counts;
};

/* See struct agpu_platform. */
enum agpu_status agpu_host_irq_open(struct agpu_host_irq *irq, const struct agpu_function *function,
                                    enum agpu_irq_way way, bool (*handler)(void *ctx), void *handler_ctx,
                                    struct agpu_text *why);
void agpu_host_irq_close(struct agpu_host_irq *irq, const struct agpu_function *function,
                         struct agpu_irq_counts *out);

/* Sends message `vector` of the function; false if it is not in use. May be called in any thread. */
bool agpu_host_irq_send(struct agpu_host_irq *irq, uint32_t vector);

/* Calls the handler while the level is asserted, or once for the messages that have arrived. */
void agpu_host_irq_deliver(struct agpu_host_irq *irq, const volatile int *level);

#endif
