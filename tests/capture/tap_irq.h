/* tap_irq.h: interrupt handlers under a tap. */
#ifndef AGPU_CAPTURE_TAP_IRQ_H
#define AGPU_CAPTURE_TAP_IRQ_H

#include "tests/capture/tap_functions.h"

/* Returns whether a handler is running, which may have interrupted the caller. */
bool agpu_tap_is_inside(const struct agpu_tap *tap);
/* Records what a function's handlers have done since the last call, up to the access with the index put. */
void agpu_tap_take_handlers(struct agpu_tap *tap, struct agpu_tap_function *function, uint32_t put);
void agpu_tap_take_all_handlers(struct agpu_tap *tap, struct agpu_tap_function *function);
/* Records a write to configuration space of a function or of a bridge above others, by the driver, or, for messages,
 * by the machine. */
void agpu_tap_config_written(struct agpu_tap *tap);
/* Entries of the platform. */
enum agpu_status agpu_tap_irq_open(void *ctx, const struct agpu_pci_ref *ref, enum agpu_irq_way way,
                                   bool (*handler)(void *handler_ctx), void *handler_ctx,
                                   struct agpu_text *why);
void agpu_tap_irq_close(void *ctx, const struct agpu_pci_ref *ref, struct agpu_irq_counts *out);
/* The access of a handler, which may have interrupted the writing of a record. */
void agpu_tap_handler_access(struct agpu_tap *tap, const struct agpu_pci_ref *ref, bool write, unsigned bar,
                             uint64_t offset, uint32_t size, uint64_t value);

#endif
