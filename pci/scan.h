/* scan.h: finds AeroGPU functions among all PCI functions, and display functions for the report when there is no
 * AeroGPU. */
#ifndef AGPU_PCI_SCAN_H
#define AGPU_PCI_SCAN_H

#include "pci/identity.h"
#include "pci/machine/location.h"
#include "pci/machine/platform.h"
#include "pci/machine/text.h"

struct agpu_pci_found {
    struct agpu_pci_ref ref;
    uint16_t vendor;
    uint16_t device;
    const struct agpu_identity *identity; /* NULL: a display function that is not AeroGPU */
};

/* Finds functions with a known identity, in scan order; the bus position is not part of the ABI (device.md 1). Fills at
 * most capacity elements and returns how many functions there are. */
size_t agpu_scan_known(const struct agpu_platform *platform, struct agpu_pci_found *out, size_t capacity);

/* Like agpu_scan_known(), for all functions of the display class. */
size_t agpu_scan_displays(const struct agpu_platform *platform, struct agpu_pci_found *out, size_t capacity);

/* Appends "A3A0:0001 00:03.0", with the segment in front when it is not 0. */
void agpu_pci_describe(struct agpu_text *text, const struct agpu_pci_found *found);

#endif
