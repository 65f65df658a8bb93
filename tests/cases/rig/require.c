/* require.c: words to bits, and the defaults (device.md 4.1, commands.md 13, legacy.md 1). */
#include "tests/cases/rig/require.h"

#include <string.h>

#define DRAWS (AGPU_REQUIRE_RASTER | AGPU_REQUIRE_SHADERS)
#define EXECUTES                                                                                             \
    (AGPU_REQUIRE_VIEWS | AGPU_REQUIRE_WRITE_BACK | AGPU_REQUIRE_TARGETS | AGPU_REQUIRE_FORMATS16)
#define FENCES_ONLY (UINT64_C(1) << 57) /* only in what is read from the words */
#define BASE                                                                                                 \
    (AEROGPU_FEATURE_FENCE_PAGE | AEROGPU_FEATURE_CURSOR | AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK)
#define SINCE_MINOR1 AEROGPU_FEATURE_TRANSFER
#define SINCE_MINOR3 AEROGPU_FEATURE_ERROR_INFO

static const struct {
    const char *word;
    const char *name; /* as in the specification */
    uint64_t bits;
} words_known[] = {
    {"fence_page", "FENCE_PAGE", AEROGPU_FEATURE_FENCE_PAGE},
    {"cursor", "CURSOR", AEROGPU_FEATURE_CURSOR},
    {"scanout", "SCANOUT", AEROGPU_FEATURE_SCANOUT},
    {"vblank", "VBLANK", AEROGPU_FEATURE_VBLANK},
    {"transfer", "TRANSFER", AEROGPU_FEATURE_TRANSFER},
    {"error_info", "ERROR_INFO", AEROGPU_FEATURE_ERROR_INFO},
    {"raster", "drawing", AGPU_REQUIRE_RASTER},
    {"shaders", "drawing with shaders", AGPU_REQUIRE_SHADERS},
    {"views", "texture views", AGPU_REQUIRE_VIEWS},
    {"write_back", "write-back of each subresource and format", AGPU_REQUIRE_WRITE_BACK},
    {"targets", "several render targets", AGPU_REQUIRE_TARGETS},
    {"formats16", "formats without 32 bits", AGPU_REQUIRE_FORMATS16},
};

#define WORD_COUNT (sizeof words_known / sizeof words_known[0])

static uint64_t default_of(const struct agpu_abi *abi, bool model)
{
    uint64_t bits = BASE;

    /* FEATURES are not part of the legacy interface; our model mirrors them (legacy.md 1). */
    if (abi->legacy) {
        return model ? AEROGPU_FEATURE_VBLANK : 0;
    }
    if (agpu_abi_minor(abi) >= 1) {
        bits |= SINCE_MINOR1 | (EXECUTES & ~AGPU_REQUIRE_VIEWS);
    }
    if (agpu_abi_minor(abi) >= 3) {
        bits |= SINCE_MINOR3 | DRAWS;
    }
    if (agpu_abi_minor(abi) >= 4) {
        bits |= AGPU_REQUIRE_VIEWS;
    }
    return bits;
}

static bool span_is(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

static bool bits_of_word(const char *at, size_t length, uint64_t all, uint64_t *out)
{
    if (span_is(at, length, "default") || span_is(at, length, "complete")) {
        *out = all;
        return true;
    }
    if (span_is(at, length, "software")) {
        *out = all & ~(EXECUTES | AGPU_REQUIRE_SHADERS);
        return true;
    }
    if (span_is(at, length, "fences")) {
        *out = (all & BASE) | FENCES_ONLY;
        return true;
    }
    if (span_is(at, length, "none")) {
        *out = 0;
        return true;
    }
    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (span_is(at, length, words_known[i].word)) {
            *out = words_known[i].bits;
            return true;
        }
    }
    return false;
}

/* Words are separated by commas and blanks. */
bool agpu_requirement_read(const char *words, size_t length, uint64_t all, uint64_t *required)
{
    size_t at = 0;

    *required = 0;
    while (at < length) {
        size_t end = at;
        bool without = words[at] == '-';
        uint64_t bits;

        if (words[at] == ',' || words[at] == ' ') {
            at++;
            continue;
        }
        while (end < length && words[end] != ',' && words[end] != ' ') {
            end++;
        }
        if (!bits_of_word(words + at + without, end - at - without, all, &bits)) {
            return false;
        }
        /* Drawing with shaders implies drawing; without drawing, shaders are not needed either. */
        if (without && (bits & AGPU_REQUIRE_RASTER) != 0) {
            bits |= AGPU_REQUIRE_SHADERS;
        }
        /* Nothing that a device executes can be read without TRANSFER. */
        if (without && (bits & AEROGPU_FEATURE_TRANSFER) != 0) {
            bits |= DRAWS | EXECUTES;
        }
        if (!without && (bits & AGPU_REQUIRE_SHADERS) != 0) {
            bits |= AGPU_REQUIRE_RASTER;
        }
        *required = without ? *required & ~bits : *required | bits;
        at = end;
    }
    return true;
}

bool agpu_requirement_check(const char *words, size_t length)
{
    uint64_t required;

    return agpu_requirement_read(words, length, 0, &required);
}

struct agpu_requirement agpu_requirement_of(const char *words, const struct agpu_abi *abi, bool model)
{
    const uint64_t all = default_of(abi, model);
    struct agpu_requirement out = {.required = all & ~EXECUTES}; /* known executors lack these: skipped */
    uint64_t stated;

    if (words != NULL && *words != '\0' && agpu_requirement_read(words, strlen(words), all, &stated)) {
        out.required = stated & ~FENCES_ONLY;
        out.hidden = (stated & FENCES_ONLY) != 0 ? AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO : 0;
        out.waived = ~out.required;
    }
    return out;
}

uint64_t agpu_requirement_of_skip(enum agpu_skip_code code)
{
    switch (code) {
    case AGPU_SKIP_NO_VIEWS:
        return AGPU_REQUIRE_VIEWS;
    case AGPU_SKIP_NO_WRITE_BACK:
        return AGPU_REQUIRE_WRITE_BACK;
    case AGPU_SKIP_NO_TARGETS:
        return AGPU_REQUIRE_TARGETS;
    case AGPU_SKIP_NO_FORMAT:
    case AGPU_SKIP_NO_CLEAR:
        return AGPU_REQUIRE_FORMATS16;
    case AGPU_SKIP_NO_DISPATCH:
        return AGPU_REQUIRE_SHADERS;
    default:
        return 0;
    }
}

uint16_t agpu_requirement_later(uint64_t features, const struct agpu_abi *abi)
{
    const uint16_t minor = (features & SINCE_MINOR3) != 0 ? 3 : (features & SINCE_MINOR1) != 0 ? 1 : 0;

    return !abi->legacy && agpu_abi_minor(abi) < minor ? minor : 0;
}

/* Appends the names or the words of the known bits, and returns the others. */
static uint64_t append_known(uint64_t bits, bool names, const char *between, struct agpu_text *text)
{
    const char *before = "";

    for (size_t i = 0; i < WORD_COUNT; i++) {
        if (bits & words_known[i].bits) {
            agpu_format(text, "%s%s", before, names ? words_known[i].name : words_known[i].word);
            bits &= ~words_known[i].bits;
            before = between;
        }
    }
    return bits;
}

void agpu_requirement_names(uint64_t bits, struct agpu_text *text)
{
    const uint64_t unknown = append_known(bits, true, ", ", text);

    if (unknown != 0) {
        agpu_format(text, "%s0x%jx", unknown != bits ? ", " : "", unknown);
    }
}

void agpu_requirement_words(uint64_t bits, struct agpu_text *text)
{
    append_known(bits, false, ",", text);
}

void agpu_requirement_missing(uint64_t bit, const char *what, struct agpu_text *text)
{
    agpu_requirement_names(bit, text);
    agpu_format(text,
                " is required of this device, %s; one that is meant to lack it is run with require=default,-",
                what);
    agpu_requirement_words(bit, text);
}
