/* skips.c: the table of skip reasons, and the additions of allow_skips=. */
#include "tests/cases/choice/skips.h"

#include <string.h>

enum acceptance { NEVER, UNTRIED, EXPECTED, ALWAYS };

static const struct {
    const char *word;
    const char *text;
    enum acceptance acceptance;
} reasons[AGPU_SKIP_COUNT] = {
    [AGPU_SKIP_NONE] = {"", "no known reason", NEVER},
#define SKIP(name, word, acceptance, text) [AGPU_SKIP_##name] = {word, text, acceptance},
#include "tests/cases/choice/skips.def"
#undef SKIP
};

const char agpu_skips_expected[] = "expected all, a number of skips, or, with commas between, some of"
#define SKIP(name, word, acceptance, text) " " word
#include "tests/cases/choice/skips.def"
#undef SKIP
    ;

const char *agpu_skip_word(enum agpu_skip_code code)
{
    return reasons[(unsigned)code < AGPU_SKIP_COUNT ? code : AGPU_SKIP_NONE].word;
}

const char *agpu_skip_text(enum agpu_skip_code code)
{
    return reasons[(unsigned)code < AGPU_SKIP_COUNT ? code : AGPU_SKIP_NONE].text;
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

enum agpu_skip_code agpu_skip_of(const char *word, size_t length)
{
    for (unsigned i = AGPU_SKIP_NONE + 1; i < AGPU_SKIP_COUNT; i++) {
        if (is_word(word, length, reasons[i].word)) {
            return (enum agpu_skip_code)i;
        }
    }
    return AGPU_SKIP_NONE;
}

/* One element of a list. */
struct skip_part {
    const char *at;
    size_t length;
    bool number;
    unsigned value; /* the value of a number, at most 1000000 */
};

/* Takes the next element of *list, which ends at `end`. Ignores empty elements. Returns false at the end. */
static bool next_skip_part(const char **list, const char *end, struct skip_part *out)
{
    while (*list < end && (**list == ',' || **list == ' ')) {
        ++*list;
    }
    *out = (struct skip_part){.at = *list, .number = true};
    while (*list < end && **list != ',' && **list != ' ') {
        const char digit = **list;

        out->number = out->number && digit >= '0' && digit <= '9';
        if (out->number && out->value < 1000000) {
            out->value = out->value * 10 + (unsigned)(digit - '0');
        }
        ++*list;
        out->length++;
    }
    return out->length != 0;
}

const char *agpu_skips_check(const char *allow, size_t size, size_t *length)
{
    const char *const end = allow + size;
    struct skip_part part;

    while (next_skip_part(&allow, end, &part)) {
        const enum agpu_skip_code code = agpu_skip_of(part.at, part.length);

        if (!part.number && reasons[code].acceptance == NEVER && !is_word(part.at, part.length, "all")) {
            *length = part.length;
            return part.at;
        }
    }
    return NULL;
}

bool agpu_skip_acceptable(enum agpu_skip_code code, const char *allow, bool abi_expected)
{
    const enum acceptance acceptance = reasons[(unsigned)code < AGPU_SKIP_COUNT ? code : 0].acceptance;
    const char *const end = allow != NULL ? allow + strlen(allow) : NULL;
    struct skip_part part;

    if (acceptance == NEVER || acceptance == ALWAYS || (acceptance == EXPECTED && abi_expected)) {
        return acceptance != NEVER;
    }
    while (allow != NULL && next_skip_part(&allow, end, &part)) {
        if (is_word(part.at, part.length, "all") || is_word(part.at, part.length, reasons[code].word)) {
            return true;
        }
    }
    return false;
}

bool agpu_skip_is_never_acceptable(enum agpu_skip_code code)
{
    return reasons[(unsigned)code < AGPU_SKIP_COUNT ? code : AGPU_SKIP_NONE].acceptance == NEVER;
}

unsigned agpu_skip_quota(const char *allow)
{
    const char *const end = allow != NULL ? allow + strlen(allow) : NULL;
    unsigned quota = 0;
    struct skip_part part;

    while (allow != NULL && next_skip_part(&allow, end, &part)) {
        quota += part.number ? part.value : 0;
    }
    return quota;
}
