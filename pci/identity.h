/* identity.h: the PCI identities that belong to AeroGPU, and what to do with each (device.md 1, legacy.md
 * 1). */
#ifndef AGPU_PCI_IDENTITY_H
#define AGPU_PCI_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

enum agpu_identity_kind {
    AGPU_IDENTITY_VERSIONED, /* the "AGPU" ABI: ring/ring.h */
    AGPU_IDENTITY_LEGACY,    /* the "ARGP" ABI: ring/legacy.h */
    AGPU_IDENTITY_RETIRED,   /* prototypes: must never be bound */
};

struct agpu_identity {
    uint16_t vendor;
    uint16_t device;
    bool any_device; /* the vendor id alone identifies it */
    enum agpu_identity_kind kind;
    uint32_t magic;     /* expected value of BAR0[0] (legacy.md 1) */
    uint16_t abi_major; /* ABI major that this driver supports */
    const char *name;   /* for messages */
};

/* Returns the known identity of a vendor and device id, NULL for every other function. */
const struct agpu_identity *agpu_identity_find(uint16_t vendor, uint16_t device);

#endif
