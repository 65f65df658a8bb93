/* platform.h: struct agpu_platform (pci/machine/platform.h) bound to UEFI: EFI_PCI_IO, boot services memory,
 * TSC, 8259. */
#ifndef AGPU_EFI_PLATFORM_H
#define AGPU_EFI_PLATFORM_H

#include "efi/dma_high.h"
#include "pci/machine/platform.h"

/* What the binding leaves to its owner, and what it is told. */
struct agpu_efi_hooks {
    void (*relax)(enum agpu_relax_reason reason);
    void (*log)(enum agpu_log_level level, const char *text);
    enum agpu_dma_high dma_high;
};

/* Fills the table. The firmware is asked for PCI functions when the first one is wanted. */
void agpu_efi_platform_init(struct agpu_platform *platform, const struct agpu_efi_hooks *hooks);

/* Ends interrupts and the views of high memory, and restores every PCI attribute that the binding changed. */
void agpu_efi_platform_close(void);

/* Behind it, where the firmware goes on and not the machine off: its memory. Firmware may fill what it gets back, which takes
 * half a second under emulation. */
void agpu_efi_platform_give_back(void);

#endif
