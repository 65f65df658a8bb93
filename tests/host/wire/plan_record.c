/* plan_record.c: reads plan records, and compares each with the previous one. */
#include "tests/host/wire/plan_record.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *key;
    const char *absent; /* the value of a record without the key */
    size_t at, size;
    bool of_cases;
} words[] = {
#define WORD(name, absent, of_cases)                                                                         \
    {                                                                                                        \
        AGPU_KEY(PLAN, name), absent, offsetof(struct agpu_run_plan, name),                                  \
            sizeof((struct agpu_run_plan){0}.name), of_cases                                                 \
    }
    WORD(digest, "", true),   WORD(expect, "any", false),   WORD(missing, "", false),
    WORD(require, "", false), WORD(allow_skips, "", false),
#undef WORD
};

static void compare(struct agpu_run_plan *plan, const char *key, const char *before, const char *now)
{
    if (plan->ever && plan->contradiction[0] == '\0' && strcmp(before, now) != 0) {
        snprintf(
            plan->contradiction, sizeof plan->contradiction,
            "one plan record has %s=\"%.80s\", a later one \"%.80s\"; expected the same plan in every boot",
            key, before, now);
    }
}

static void compare_count(struct agpu_run_plan *plan, uint64_t now)
{
    char texts[2][24];

    snprintf(texts[0], sizeof texts[0], "%llu", (unsigned long long)plan->count);
    snprintf(texts[1], sizeof texts[1], "%llu", (unsigned long long)now);
    compare(plan, "count", texts[0], texts[1]);
}

/* Copies the ABI: "... abi=1.4 features=0x3f" has 1.4. */
static void abi_in(const char *device, char *abi, size_t size)
{
    const char *found = strstr(device, " abi=");

    snprintf(abi, size, "%.*s", found != NULL ? (int)strcspn(found + 5, " ") : 0,
             found != NULL ? found + 5 : "");
}

void agpu_plan_take(struct agpu_run_plan *plan, const struct agpu_parsed_record *record, bool attended)
{
    const uint64_t count = agpu_record_count(record, AGPU_KEY(PLAN, count), 0);
    char text[AGPU_CONFIG_FILTER_MAX + 1];

    if (!attended) {
        compare_count(plan, count);
    }
    plan->count = count;
    abi_in(agpu_record_text(record, AGPU_KEY(PLAN, device), ""), text, sizeof plan->abi);
    compare(plan, "abi", plan->abi, text);
    memcpy(plan->abi, text, sizeof plan->abi);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char *value = (char *)plan + words[i].at;

        snprintf(text, words[i].size, "%s", agpu_record_text(record, words[i].key, words[i].absent));
        if (!attended || !words[i].of_cases) {
            compare(plan, words[i].key, value, text);
        }
        memcpy(value, text, words[i].size);
    }
    plan->nothing = strcmp(agpu_record_text(record, AGPU_KEY(PLAN, device), ""), "none") == 0;
    plan->seen = plan->ever = true;
}
