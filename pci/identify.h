/* identify.h: decides from the identification registers whether this driver can drive the device
 * (device.md 4.1, legacy.md 1). */
#ifndef AGPU_PCI_IDENTIFY_H
#define AGPU_PCI_IDENTIFY_H

#include "pci/function.h"
#include "pci/machine/text.h"

struct agpu_abi {
    uint32_t magic;
    uint32_t version; /* major << 16 | minor */
    uint64_t features;
    bool legacy;  /* the "ARGP" ABI, by magic: features has at most VBLANK */
    bool crossed; /* the PCI identity belongs to the other generation */
};

static inline uint16_t agpu_abi_major(const struct agpu_abi *abi)
{
    return (uint16_t)(abi->version >> 16);
}

static inline uint16_t agpu_abi_minor(const struct agpu_abi *abi)
{
    return (uint16_t)abi->version;
}

/* Reads MAGIC first, which selects the generation. If it is not the one of the function's PCI identity, the driver uses
 * it all the same and why gets a warning. Then reads the ABI version and FEATURES; any minor and any unknown feature
 * bit is accepted. A legacy device has no FEATURES of its own: the mirrored bits count only when no unknown bit is set,
 * and of these only VBLANK (legacy.md 1). out holds the values read, also on error. AGPU_ERR_NO_DEVICE when the
 * registers read all ones, AGPU_ERR_ABI for another magic or major; why, if not NULL, gets expected and found values
 * and what to do. */
enum agpu_status agpu_identify(const struct agpu_function *function, struct agpu_abi *out,
                               struct agpu_text *why);

#endif
