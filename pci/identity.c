/* identity.c: the table of known identities. */
#include "pci/identity.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_pci.h"

/* legacy.md 1 and device.md 1. The legacy numbers are spelled out because aerogpu_legacy.h cannot be included
 * beside the versioned header; tests/unit/ring_legacy compares them with it. */
static const struct agpu_identity identities[] = {
    {.vendor = AEROGPU_PCI_VENDOR_ID,
     .device = AEROGPU_PCI_DEVICE_ID,
     .kind = AGPU_IDENTITY_VERSIONED,
     .magic = AEROGPU_MMIO_MAGIC,
     .abi_major = AEROGPU_ABI_MAJOR,
     .name = "AeroGPU"},
    {.vendor = 0x1AED,
     .device = 0x0001,
     .kind = AGPU_IDENTITY_LEGACY,
     .magic = 0x41524750,
     .abi_major = 1,
     .name = "AeroGPU legacy (ARGP)"},
    {.vendor = 0x1AE0,
     .any_device = true,
     .kind = AGPU_IDENTITY_RETIRED,
     .name = "AeroGPU retired prototype"},
};

const struct agpu_identity *agpu_identity_find(uint16_t vendor, uint16_t device)
{
    for (size_t i = 0; i < sizeof(identities) / sizeof(identities[0]); i++) {
        if (identities[i].vendor == vendor && (identities[i].any_device || identities[i].device == device))
            return &identities[i];
    }
    return NULL;
}
