/* capability.h: walks and checks the capability list of a function, and finds one capability (device.md 1.1). */
#ifndef AGPU_PCI_CAPABILITY_H
#define AGPU_PCI_CAPABILITY_H

#include "pci/function.h"
#include "pci/machine/text.h"

#define AGPU_CAPABILITY_POWER   0x01u
#define AGPU_CAPABILITY_MSI     0x05u
#define AGPU_CAPABILITY_EXPRESS 0x10u
#define AGPU_CAPABILITY_MSIX    0x11u

/* Number of entries that fit into 256 bytes. */
#define AGPU_CAPABILITIES_MAX 48u

struct agpu_capability {
    uint8_t id;
    uint8_t at;    /* offset in configuration space */
    uint8_t bytes; /* length: the whole capability if its layout is known, else 2 */
};

/* Walks the list into out, which has AGPU_CAPABILITIES_MAX elements. Returns the number of capabilities; 0 also when
 * the function announces none. Appends each defect of the list to why: entries outside 40h to FFh, unaligned entries, a
 * loop, overlapping entries. out holds the entries in front of the defect. */
unsigned agpu_capabilities(const struct agpu_function *function,
                           struct agpu_capability out[AGPU_CAPABILITIES_MAX], struct agpu_text *why);

/* Returns the offset of the first capability with this id, 0 when there is none. */
uint32_t agpu_capability_find(const struct agpu_function *function, uint8_t id);

#endif
