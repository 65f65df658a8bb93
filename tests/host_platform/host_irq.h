/* host_irq.h: interrupts of the in-process machine: taken behind the access or the wait during which the device raised its
 * line, as a processor takes them between two instructions. */
#ifndef AGPU_HOST_PLATFORM_HOST_IRQ_H
#define AGPU_HOST_PLATFORM_HOST_IRQ_H

#include "pci/machine/platform.h"

struct agpu_host_irq {
    bool open;
    bool running; /* in the handler */
    bool (*handler)(void *ctx);
    void *handler_ctx;
    unsigned misses; /* spurious ones in a row */
    struct agpu_irq_counts counts;
};

/* As struct agpu_platform has it; by line only. */
enum agpu_status agpu_host_irq_open(struct agpu_host_irq *irq, enum agpu_irq_way way,
                                    bool (*handler)(void *ctx), void *handler_ctx, struct agpu_text *why);
void agpu_host_irq_close(struct agpu_host_irq *irq, struct agpu_irq_counts *out);

/* Calls the handler while the level is up. */
void agpu_host_irq_deliver(struct agpu_host_irq *irq, const volatile int *level);

#endif
