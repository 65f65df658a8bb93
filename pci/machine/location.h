/* location.h: formats the location of a PCI function. */
#ifndef AGPU_PCI_MACHINE_LOCATION_H
#define AGPU_PCI_MACHINE_LOCATION_H

#include "pci/machine/platform.h"
#include "pci/machine/text.h"

/* Appends "00:03.0", with the segment in front when it is not 0. */
void agpu_pci_describe_location(struct agpu_text *text, const struct agpu_pci_location *at);

#endif
