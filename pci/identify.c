/* identify.c: magic, ABI version, features. */
#include "pci/identify.h"

#include "pci/registers.h"

/* What a legacy device may mirror from the versioned register (legacy.md 1). */
#define KNOWN_FEATURES                                                                                       \
    (AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_SCANOUT |                         \
     AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO)

static void explain(struct agpu_text *why, const char *what, uint64_t expected, uint64_t found,
                    const char *advice)
{
    if (why == NULL) {
        return;
    }
    agpu_text_string(why, what);
    agpu_text_string(why, ": expected ");
    agpu_text_hex(why, expected);
    agpu_text_string(why, ", found ");
    agpu_text_hex(why, found);
    agpu_text_string(why, "; ");
    agpu_text_string(why, advice);
}

static const char *magic_advice(const struct agpu_identity *identity)
{
    return identity->kind == AGPU_IDENTITY_LEGACY
               ? "this is not the legacy register block of 1AED:0001: check the device's BAR0 decode"
               : "this is not the versioned register block: check the device's BAR0 decode";
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
    if (out->magic != identity->magic) {
        explain(why, "MAGIC", identity->magic, out->magic, magic_advice(identity));
        return AGPU_ERR_ABI;
    }
    out->legacy = identity->kind == AGPU_IDENTITY_LEGACY;
    out->version = agpu_reg_read(function, AEROGPU_MMIO_REG_ABI_VERSION);
    if (agpu_abi_major(out) != identity->abi_major) {
        explain(why, "ABI major", identity->abi_major, agpu_abi_major(out),
                "this image speaks major 1 only: use an image built for the device's ABI_VERSION ");
        if (why != NULL) {
            agpu_text_hex(why, out->version);
        }
        return AGPU_ERR_ABI;
    }
    out->features = read_feature_bits(function, out->legacy);
    return AGPU_OK;
}
