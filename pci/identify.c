/* identify.c: magic, ABI version, features. */
#include "pci/identify.h"

#include "pci/registers.h"

static void say(struct agpu_text *why, const char *what, uint64_t expected, uint64_t found,
                const char *advice)
{
    if (!why)
        return;
    agpu_text_string(why, what);
    agpu_text_string(why, ": expected ");
    agpu_text_hex(why, expected);
    agpu_text_string(why, ", found ");
    agpu_text_hex(why, found);
    agpu_text_string(why, "; ");
    agpu_text_string(why, advice);
}

enum agpu_status agpu_identify(const struct agpu_function *function, struct agpu_abi *out,
                               struct agpu_text *why)
{
    *out = (struct agpu_abi){0};
    out->magic = agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC);
    if (out->magic == UINT32_MAX) {
        say(why, "MAGIC", AEROGPU_MMIO_MAGIC, out->magic,
            "the registers do not answer: check memory decode, the BAR0 address and the bridges above");
        return AGPU_ERR_NO_DEVICE;
    }
    if (out->magic != AEROGPU_MMIO_MAGIC) {
        say(why, "MAGIC", AEROGPU_MMIO_MAGIC, out->magic,
            "this is not the versioned register block: check the device's BAR0 decode");
        return AGPU_ERR_ABI;
    }
    out->version = agpu_reg_read(function, AEROGPU_MMIO_REG_ABI_VERSION);
    if (agpu_abi_major(out) != AEROGPU_ABI_MAJOR) {
        say(why, "ABI major", AEROGPU_ABI_MAJOR, agpu_abi_major(out),
            "this image speaks major 1 only: use an image built for the device's ABI_VERSION ");
        if (why)
            agpu_text_hex(why, out->version);
        return AGPU_ERR_ABI;
    }
    out->features = agpu_reg_read(function, AEROGPU_MMIO_REG_FEATURES_LO);
    out->features |= (uint64_t)agpu_reg_read(function, AEROGPU_MMIO_REG_FEATURES_HI) << 32;
    return AGPU_OK;
}
