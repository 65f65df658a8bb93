/* registers.c: looks up registers by name. */
#include "tests/host/ctl/registers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/register_table.h"

const char *agpu_ctl_register_name(uint32_t offset, bool legacy)
{
    const struct aerogpu_register *reg = aerogpu_register_at(legacy, offset);

    return reg != NULL ? reg->name : NULL;
}

void agpu_ctl_register_list(bool legacy,
                            void (*each)(void *ctx, const char *name, uint32_t offset, unsigned width),
                            void *ctx)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(legacy, &count);
    char pair[80];

    for (size_t i = 0; i < count; i++) {
        const char *name = registers[i].name;
        const size_t length = strlen(name);

        each(ctx, name, registers[i].offset, 4);
        if (length > 3 && strcmp(name + length - 3, "_LO") == 0) {
            snprintf(pair, sizeof pair, "%.*s", (int)length - 3, name);
            each(ctx, pair, registers[i].offset, 8);
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
