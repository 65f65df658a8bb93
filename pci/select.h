/* select.h: selects the functions that a run drives: device= of agpu.cfg. The text is "all", or words separated by
 * commas: VENDOR:DEVICE (every function of this identity) or [SEGMENT:]BUS:DEVICE.FUNCTION, in hexadecimal. */
#ifndef AGPU_PCI_SELECT_H
#define AGPU_PCI_SELECT_H

#include "pci/scan.h"

#define AGPU_SELECT_EXPECTED "all, VENDOR:DEVICE or [SEGMENT:]BUS:DEVICE.FUNCTION in hexadecimal"

/* One word of a selection. */
struct agpu_selector {
    enum { AGPU_SELECT_ALL, AGPU_SELECT_IDENTITY, AGPU_SELECT_LOCATION } kind;
    uint16_t vendor, device;
    struct agpu_pci_location at;
};

/* Reads one word of size characters. False when it is not a valid word. */
bool agpu_selector_read(const char *word, size_t size, struct agpu_selector *out);

bool agpu_selector_takes(const struct agpu_selector *selector, const struct agpu_pci_found *found);

/* Yields the next word of a list and moves *list past it. False at the end. */
bool agpu_selector_next(const char **list, const char **word, size_t *size);

#endif
