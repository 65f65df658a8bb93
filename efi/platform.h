/* platform.h: struct agpu_platform (pci/machine/platform.h) on UEFI: EFI_PCI_IO, boot services memory, TSC,
 * 8259. */
#ifndef AGPU_EFI_PLATFORM_H
#define AGPU_EFI_PLATFORM_H

#include "efi/dma_high.h"
#include "pci/machine/platform.h"

/* Callbacks and settings that the owner provides. */
struct agpu_efi_hooks {
    void (*relax)(enum agpu_relax_reason reason);
    void (*log)(enum agpu_log_level level, const char *text);
    enum agpu_dma_high dma_high;
};

/* Fills the table. The firmware is asked for PCI functions on first use. */
void agpu_efi_platform_init(struct agpu_platform *platform, const struct agpu_efi_hooks *hooks);

/* Ends interrupts, unmaps high memory, and restores every PCI attribute that the binding changed. */
void agpu_efi_platform_close(void);

/* Returns memory to the firmware, after agpu_efi_platform_close(); not needed before a power off. Firmware
 * may overwrite freed memory, which takes half a second under emulation. */
void agpu_efi_platform_give_back(void);

#endif
