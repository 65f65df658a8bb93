/* require.h: what a device must have, so that one that lacks it fails instead of being left untried.
 *
 * Every known identity and ABI minor has a default; require= (agpu.cfg, --require) states something else, as
 * words with commas between:
 *
 *   fence_page cursor scanout vblank transfer error_info    the features of device.md 4.1
 *   raster     draws reach their target, if only those of the reference rasteriser (commands.md 14)
 *   shaders    draws run their shaders
 *   default    the default of the device that is found
 *   -WORD      without that one (-transfer: without drawing too, which nothing else reads back); "none": without any
 *
 * What is named is required. What the words leave out is not, and cases that need it are skipped as "not
 * required". Without words the default holds, and nothing is left out. */
#ifndef AGPU_CASES_RIG_REQUIRE_H
#define AGPU_CASES_RIG_REQUIRE_H

#include "pci/identify.h"
#include "pci/protocol/aerogpu_pci.h"

/* Beside the AEROGPU_FEATURE_* bits, far from any that a device has. */
#define AGPU_REQUIRE_RASTER  (UINT64_C(1) << 62)
#define AGPU_REQUIRE_SHADERS (UINT64_C(1) << 63)

struct agpu_requirement {
    uint64_t required; /* AEROGPU_FEATURE_* | AGPU_REQUIRE_* */
    uint64_t waived;   /* those that the words leave out */
};

#define AGPU_REQUIRE_EXPECTED                                                                                \
    "expected default, none, or some of fence_page cursor scanout vblank transfer error_info raster "        \
    "shaders, or -word, with commas between"

/* True when these words can be used. */
bool agpu_requirement_check(const char *words, size_t length);

/* The bits that words stand for, default meaning `all`. False for words that cannot be used. */
bool agpu_requirement_read(const char *words, size_t length, uint64_t all, uint64_t *bits);

/* What is required of this device. words that cannot be used count as none at all. model: the device is known
 * to be our model, which has everything. */
struct agpu_requirement agpu_requirement_of(const char *words, const struct agpu_abi *abi, bool model);

/* The minor that brings the last of these features, where it is later than the device's; 0: the device may have them
 * all (commands.md 13). */
uint16_t agpu_requirement_later(uint64_t features, const struct agpu_abi *abi);

/* Appends the names of the bits as the words above write them, upper case for features: "TRANSFER,
 * ERROR_INFO"; a bit without a name as a number. */
void agpu_requirement_names(uint64_t bits, struct agpu_text *text);

/* Appends these bits as words of require=, with commas between. */
void agpu_requirement_words(uint64_t bits, struct agpu_text *text);

/* Appends that what this bit stands for is missing, as what says, and what to do about it. */
void agpu_requirement_missing(uint64_t bit, const char *what, struct agpu_text *text);

#endif
