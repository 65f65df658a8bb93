/* config_limits.c: what the image has no room for in agpu.cfg. */
#include "tests/host/run/config_limits.h"

#include <stdio.h>
#include <string.h>

#include "efi/protocol/cfg_limits.h"
#include "tests/cases/choice/budget.h"

/* The image goes on without a value that it has no room for, and would run what nobody asked for. */
/* Likewise a limit that it does not understand. */
static bool budget_is_known(const char *line, size_t length)
{
    struct agpu_budgets one = {0};
    char why[AGPU_BUDGET_WHY_MAX];

    if (length < 7 || strncmp(line, "budget=", 7) != 0 || agpu_budget_add(&one, line + 7, length - 7, why)) {
        return true;
    }
    fprintf(stderr, "agpu run: %.*s: %s\n", (int)length, line, why);
    return false;
}

bool agpu_config_fits(const char *text)
{
    static const struct {
        const char *key;
        size_t max;
    } limits[] = {
        {"filter", AGPU_CONFIG_FILTER_MAX},   {"allow_skips", AGPU_CONFIG_FILTER_MAX},
        {"require", AGPU_CONFIG_REQUIRE_MAX}, {"after", AGPU_CONFIG_AFTER_MAX},
        {"device", AGPU_CONFIG_DEVICE_MAX},
    };
    bool fits = true;

    if (strlen(text) + AGPU_CONFIG_AFTER_MAX + 16 > AGPU_CONFIG_FILE_MAX) {
        fprintf(stderr, "agpu run: agpu.cfg would have %zu bytes; the image reads at most %d\n", strlen(text),
                AGPU_CONFIG_FILE_MAX);
        fits = false;
    }
    for (const char *line = text; fits && *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        fits = budget_is_known(line, strcspn(line, "\n"));
        for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
            const size_t key = strlen(limits[i].key);
            const size_t length = strcspn(line, "\n");

            if (length > key && strncmp(line, limits[i].key, key) == 0 && line[key] == '=' &&
                length - key - 1 > limits[i].max) {
                fprintf(stderr,
                        "agpu run: %s has %zu bytes; the image takes at most %zu, and would run as if there "
                        "were none: shorten it\n",
                        limits[i].key, length - key - 1, limits[i].max);
                fits = false;
            }
        }
    }
    return fits;
}
