/* irq.h: interrupts of one function, handled by the image.  INTx: the I/O APIC input that the function's
 * INTA# is wired to is found by trial. Every input that the firmware does not use gets its own vector; the
 * first one at which the handler finds a cause of its function is the right one. An input that keeps
 * interrupting without such a cause belongs to another device and is masked. MSI and MSI-X: the function is
 * programmed with a vector. Closing restores everything. */
#ifndef AGPU_EFI_IRQ_H
#define AGPU_EFI_IRQ_H

#include "pci/machine/platform.h"

/* irq_open and irq_close of struct agpu_platform; ctx is unused. */
enum agpu_status agpu_irq_open(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                               bool (*handler)(void *handler_ctx), void *handler_ctx, struct agpu_text *why);
void agpu_irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out);

#endif
