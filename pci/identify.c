/* identify.c: magic, ABI version, features. */
#include "pci/identify.h"

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"

/* Feature bits of the versioned register that a legacy device may mirror (legacy.md 1). */
#define KNOWN_FEATURES                                                                                       \
    (AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_SCANOUT |                         \
     AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO)

static void explain(struct agpu_text *why, const char *what, uint64_t expected, uint64_t found,
                    const char *advice)
{
    if (why == NULL) {
        return;
    }
    agpu_format(why, "%s: expected 0x%jx, found 0x%jx; %s", what, expected, found, advice);
}

static const char *magic_advice(const struct agpu_identity *identity)
{
    return identity->kind == AGPU_IDENTITY_LEGACY
               ? "this is not the legacy register block of 1AED:0001: check the device's BAR0 decode"
               : "this is not the versioned register block: check the device's BAR0 decode";
}

static const char *crossed_advice(bool legacy)
{
    return legacy ? "this is the legacy register block (ARGP), so the driver uses it as such: check the PCI "
                    "identity, expected 1AED:0001"
                  : "this is the versioned register block (AGPU), so the driver uses it as such: check the "
                    "PCI identity, expected A3A0:0001";
}

static uint64_t read_feature_bits(const struct agpu_function *function, bool legacy)
{
    uint64_t features = agpu_reg_read(function, AEROGPU_MMIO_REG_FEATURES_LO);

    features |= (uint64_t)agpu_reg_read(function, AEROGPU_MMIO_REG_FEATURES_HI) << 32;
    if (!legacy) {
        return features;
    }
    return (features & ~(uint64_t)KNOWN_FEATURES) == 0 ? features & AEROGPU_FEATURE_VBLANK : 0;
}

enum agpu_status agpu_identify(const struct agpu_function *function, struct agpu_abi *out,
                               struct agpu_text *why)
{
    const struct agpu_identity *identity = function->found.identity;

    /* Both ABIs have MAGIC and version at the same places (legacy.md 2). */
    *out = (struct agpu_abi){0};
    out->magic = agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC);
    if (out->magic == UINT32_MAX) {
        explain(why, "MAGIC", identity->magic, out->magic,
                "the registers do not answer: check memory decode, the BAR0 address and the bridges above");
        return AGPU_ERR_NO_DEVICE;
    }
    out->legacy = out->magic == AEROGPU_LEGACY_MMIO_MAGIC;
    if (!out->legacy && out->magic != AEROGPU_MMIO_MAGIC) {
        explain(why, "MAGIC", identity->magic, out->magic, magic_advice(identity));
        return AGPU_ERR_ABI;
    }
    out->crossed = out->magic != identity->magic;
    out->version = agpu_reg_read(function, AEROGPU_MMIO_REG_ABI_VERSION);
    uint16_t major = out->legacy ? AEROGPU_LEGACY_MMIO_VERSION >> 16 : AEROGPU_ABI_MAJOR;
    if (agpu_abi_major(out) != major) {
        explain(why, "ABI major", major, agpu_abi_major(out),
                "this image supports major 1 only: use an image built for the device's ABI_VERSION ");
        if (why != NULL) {
            agpu_format(why, "0x%x", out->version);
        }
        return AGPU_ERR_ABI;
    }
    out->features = read_feature_bits(function, out->legacy);
    if (out->crossed) {
        explain(why, "MAGIC", identity->magic, out->magic, crossed_advice(out->legacy));
    }
    return AGPU_OK;
}
