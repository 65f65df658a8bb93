/* registers.c: every offset of the first pages is asked for its name. */
#include "tests/host/ctl/registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/decode/names.h"

#define OFFSETS_END 0x2000u

static const char versioned_prefix[] = "AEROGPU_MMIO_REG_", legacy_prefix[] = "AEROGPU_LEGACY_REG_";

const char *agpu_ctl_register_name(uint32_t offset, bool legacy)
{
    return agpu_value_name(legacy ? legacy_prefix : versioned_prefix, offset);
}

/* The pair that begins here: its name, which is as long as *length. */
static bool is_pair(uint32_t offset, bool legacy, const char *low, size_t *length)
{
    const char *high = agpu_ctl_register_name(offset + 4, legacy);
    const size_t size = strlen(low);

    if (size <= 3 || strcmp(low + size - 3, "_LO") != 0 || high == NULL || strlen(high) != size ||
        strncmp(high, low, size - 3) != 0 || strcmp(high + size - 3, "_HI") != 0) {
        return false;
    }
    *length = size - 3;
    return true;
}

void agpu_ctl_register_list(bool legacy,
                            void (*each)(void *ctx, const char *name, uint32_t offset, unsigned width),
                            void *ctx)
{
    char pair[80];
    size_t length;

    for (uint32_t offset = 0; offset < OFFSETS_END; offset += 4) {
        const char *name = agpu_ctl_register_name(offset, legacy);

        if (name == NULL) {
            continue;
        }
        each(ctx, name, offset, 4);
        if (is_pair(offset, legacy, name, &length) && length < sizeof pair) {
            snprintf(pair, sizeof pair, "%.*s", (int)length, name);
            each(ctx, pair, offset, 8);
        }
    }
}

struct register_search {
    const char *word;
    struct agpu_ctl_register *out;
    bool found;
};

static void compare_name(void *ctx, const char *name, uint32_t offset, unsigned width)
{
    struct register_search *search = ctx;

    if (!search->found && strcmp(name, search->word) == 0) {
        *search->out = (struct agpu_ctl_register){offset, width};
        search->found = true;
    }
}

bool agpu_ctl_register_find(const char *word, bool legacy, struct agpu_ctl_register *out)
{
    struct register_search search = {.word = word, .out = out};
    char *end;

    if (word[0] >= '0' && word[0] <= '9') {
        const unsigned long offset = strtoul(word, &end, 0);

        *out = (struct agpu_ctl_register){(uint32_t)offset, 4};
        return *end == '\0' && offset <= UINT32_MAX;
    }
    agpu_ctl_register_list(legacy, compare_name, &search);
    return search.found;
}
