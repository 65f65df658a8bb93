/* capability.h: the capability list of a function: walking it, what is wrong with it, and finding one (device.md 1.1). */
#ifndef AGPU_PCI_CAPABILITY_H
#define AGPU_PCI_CAPABILITY_H

#include "pci/function.h"
#include "pci/machine/text.h"

#define AGPU_CAPABILITY_POWER   0x01u
#define AGPU_CAPABILITY_MSI     0x05u
#define AGPU_CAPABILITY_EXPRESS 0x10u
#define AGPU_CAPABILITY_MSIX    0x11u

/* Entries that 256 bytes have room for. */
#define AGPU_CAPABILITIES_MAX 48u

struct agpu_capability {
    uint8_t id;
    uint8_t at;    /* offset in configuration space */
    uint8_t bytes; /* that are known to belong to it: all of one whose layout is known, 2 of others */
};

/* Walks the list into out, which has room for AGPU_CAPABILITIES_MAX. Returns how many there are; 0 also when the function
 * announces none. What is wrong with the list, if anything, is appended to why: entries outside 40h to FFh, unaligned, a
 * loop, one that reaches into another. The entries before that are in out. */
unsigned agpu_capabilities(const struct agpu_function *function,
                           struct agpu_capability out[AGPU_CAPABILITIES_MAX], struct agpu_text *why);

/* Offset of the first with this id; 0: there is none. */
uint32_t agpu_capability_find(const struct agpu_function *function, uint8_t id);

#endif
