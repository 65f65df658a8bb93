/* identity.c: the table of known identities. */
#include "pci/identity.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"

/* device.md 1, legacy.md 1. */
static const struct agpu_identity identities[] = {
    {.vendor = AEROGPU_PCI_VENDOR_ID,
     .device = AEROGPU_PCI_DEVICE_ID,
     .kind = AGPU_IDENTITY_VERSIONED,
     .magic = AEROGPU_MMIO_MAGIC,
     .abi_major = AEROGPU_ABI_MAJOR,
     .name = "AeroGPU"},
    {.vendor = AEROGPU_LEGACY_PCI_VENDOR_ID,
     .device = AEROGPU_LEGACY_PCI_DEVICE_ID,
     .kind = AGPU_IDENTITY_LEGACY,
     .magic = AEROGPU_LEGACY_MMIO_MAGIC,
     .abi_major = AEROGPU_LEGACY_MMIO_VERSION >> 16,
     .name = "AeroGPU legacy (ARGP)"},
    {.vendor = AEROGPU_RETIRED_PCI_VENDOR_ID,
     .any_device = true,
     .kind = AGPU_IDENTITY_RETIRED,
     .name = "AeroGPU retired prototype"},
};

const struct agpu_identity *agpu_identity_find(uint16_t vendor, uint16_t device)
{
    for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++) {
        if (identities[i].vendor == vendor && (identities[i].any_device || identities[i].device == device)) {
            return &identities[i];
        }
    }
    return NULL;
}
