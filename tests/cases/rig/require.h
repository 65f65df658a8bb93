/* require.h: the features that a device must have, so that a device without them fails instead of being skipped.
 *
 * Every known identity and ABI minor has a default; require= (agpu.cfg, --require) replaces it. It is a list of words
 * with commas between:
 *
 *   fence_page cursor scanout vblank transfer error_info    the features of device.md 4.1
 *   raster     draws reach their target, if only those of the reference rasteriser (commands.md 14)
 *   shaders    draws run their shaders
 *   views      texture views
 *   write_back copies write back each subresource, of depth and block formats, too
 *   targets    a clear reaches each bound target
 *   formats16  copies and clears of texels that do not have 32 bits
 *   default    the default of the device that is found; complete: the same
 *   software   the default of a software executor: without shaders, views, write_back, targets, formats16
 *   fences     of a device that completes fences and executes no packet: the features without transfer and error_info
 *   -WORD      without that one (-transfer: without drawing too, which needs it for reading back); "none": without any
 *
 * The named features are required. Cases that need other ones are skipped as "not required". Without words the default
 * is required, and no case is skipped for this reason. */
#ifndef AGPU_CASES_RIG_REQUIRE_H
#define AGPU_CASES_RIG_REQUIRE_H

#include "pci/identify.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/choice/skips.h"

/* Further bits besides AEROGPU_FEATURE_*, far from any that a device has; the first is VIEWS. Cases determine them. */
#define AGPU_REQUIRE_VIEWS      (UINT64_C(1) << 58)
#define AGPU_REQUIRE_WRITE_BACK (UINT64_C(1) << 59)
#define AGPU_REQUIRE_TARGETS    (UINT64_C(1) << 60)
#define AGPU_REQUIRE_FORMATS16  (UINT64_C(1) << 61)
#define AGPU_REQUIRE_RASTER     (UINT64_C(1) << 62)
#define AGPU_REQUIRE_SHADERS    (UINT64_C(1) << 63)

struct agpu_requirement {
    uint64_t hidden;   /* AEROGPU_FEATURE_* that the device reports and, executing no packet, does not have */
    uint64_t required; /* AEROGPU_FEATURE_* | AGPU_REQUIRE_* */
    uint64_t waived;   /* those that the words exclude */
};

#define AGPU_REQUIRE_EXPECTED                                                                                \
    "expected default, complete, software, fences, none, or some of fence_page cursor scanout vblank "       \
    "transfer error_info raster shaders views write_back targets formats16, or -word, with commas between"

/* Returns true if the words are valid. */
bool agpu_requirement_check(const char *words, size_t length);

/* Parses words to bits; default stands for `all`. Returns false if the words are invalid. */
bool agpu_requirement_read(const char *words, size_t length, uint64_t all, uint64_t *bits);

/* Computes the requirement for this device. Invalid words are treated as none at all. model: the device is known to
 * be our model, which has everything. */
struct agpu_requirement agpu_requirement_of(const char *words, const struct agpu_abi *abi, bool model);

/* Returns the ability that a case lacked when it was skipped for this reason; 0: none of the above. */
uint64_t agpu_requirement_of_skip(enum agpu_skip_code code);

/* Returns the minor that introduces the last of these features, if it is later than the device's; 0: the device may
 * have them all (commands.md 13). */
uint16_t agpu_requirement_later(uint64_t features, const struct agpu_abi *abi);

/* Appends the names of the bits as in the words above, in upper case for features: "TRANSFER, ERROR_INFO"; a bit
 * without a name as a number. */
void agpu_requirement_names(uint64_t bits, struct agpu_text *text);

/* Appends the abilities in bits as words of require=, with commas between. */
void agpu_requirement_words(uint64_t bits, struct agpu_text *text);

/* Appends that the ability of this bit is missing, as described by what, and what to do about it. */
void agpu_requirement_missing(uint64_t bit, const char *what, struct agpu_text *text);

#endif
