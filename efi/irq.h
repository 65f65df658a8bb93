/* irq.h: interrupts of one function, taken by a handler of the image's own.
 *
 * By line: which input of an I/O APIC the function's INTA# leads to is found out by trying. Every input that the firmware
 * does not use gets a vector of its own; the first at which the handler finds a cause of its function is the one. An input
 * that goes on without such a cause belongs to another device and is masked. By MSI and MSI-X the function is told a
 * vector. Everything is put back when it is closed. */
#ifndef AGPU_EFI_IRQ_H
#define AGPU_EFI_IRQ_H

#include "pci/machine/platform.h"

/* struct agpu_platform's irq_open and irq_close; ctx is unused. */
enum agpu_status agpu_irq_open(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                               bool (*handler)(void *handler_ctx), void *handler_ctx, struct agpu_text *why);
void agpu_irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out);

#endif
