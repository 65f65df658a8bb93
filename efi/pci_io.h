/* pci_io.h: PCI functions of struct agpu_platform on EFI_PCI_IO: scan, configuration space, memory BARs. */
#ifndef AGPU_EFI_PCI_IO_H
#define AGPU_EFI_PCI_IO_H

#include "efi/machine.h"
#include "pci/machine/platform.h"

/* The callbacks of struct agpu_platform with these names; ctx is unused. */
bool agpu_pci_io_function(void *ctx, unsigned index, struct agpu_pci_ref *out);
uint32_t agpu_pci_io_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                 uint32_t size);
void agpu_pci_io_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                              uint32_t value);
uint64_t agpu_pci_io_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                              uint32_t size);
void agpu_pci_io_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                           uint32_t size, uint64_t value);
bool agpu_pci_io_bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                         struct agpu_bar_mapping *out);

/* Returns the interface of a reference from agpu_pci_io_function(). */
EFI_PCI_IO *agpu_pci_io(const struct agpu_pci_ref *function);

/* Drops the results of the scan. */
void agpu_pci_io_close(void);

#endif
