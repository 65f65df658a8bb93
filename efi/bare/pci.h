/* pci.h: functions of the PCI bus on the machine without firmware, for its drivers. */
#ifndef AGPU_EFI_BARE_PCI_H
#define AGPU_EFI_BARE_PCI_H

#include "efi/bare/loader.h"
#include "efi/machine.h"
#include "pci/config.h"

struct agpu_bare_bar {
    uint64_t address, bytes; /* bytes 0: no memory BAR, or one without address */
    bool wide, prefetchable;
};

struct agpu_bare_function {
    EFI_PCI_IO io; /* first: a pointer to it is one to the function */
    uint8_t bus, device, number;
    struct agpu_bare_bar bars[AGPU_PCI_BAR_COUNT];
};

/* Finds all functions, assigns addresses to BARs that have none, and adds a handle with EFI_PCI_IO for each. */
void agpu_bare_pci_open(const struct agpu_bare_info *info);

/* Returns a function in the order of the bus; NULL behind the last. */
struct agpu_bare_function *agpu_bare_pci_function(unsigned index);

uint32_t agpu_bare_config_read(const struct agpu_bare_function *function, uint32_t offset, unsigned size);
void agpu_bare_config_write(const struct agpu_bare_function *function, uint32_t offset, unsigned size,
                            uint32_t value);

#endif
