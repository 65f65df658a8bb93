/* intx.h: reads the level of a function's INTA# line at the interrupt controller without taking the
 * interrupt. */
#ifndef AGPU_EFI_INTX_H
#define AGPU_EFI_INTX_H

#include "pci/machine/platform.h"

/* intx_level of struct agpu_platform: 1 asserted, 0 not, -1 when the line is not routed to the 8259 or
 * another function asserts it. ctx is unused. */
int agpu_intx_level(void *ctx, const struct agpu_pci_ref *function);

/* Restores the trigger modes that agpu_intx_level() changed. */
void agpu_intx_close(void);

#endif
