/* skips.c: reasons against globs, and their counts. */
#include "tests/cases/choice/skips.h"

#include <string.h>

#include "tests/cases/choice/filter.h"

/* The next part of a list with commas between; empty parts are passed over. False at the end. */
static bool next_part(const char **list, const char **begin, const char **end)
{
    const char *at = *list;

    while (*at == ',' || *at == ' ') {
        at++;
    }
    *begin = at;
    while (*at && *at != ',') {
        at++;
    }
    *end = *list = at;
    while (*end > *begin && (*end)[-1] == ' ') {
        --*end;
    }
    return *end > *begin;
}

static bool is_number(const char *begin, const char *end)
{
    while (begin < end && *begin >= '0' && *begin <= '9') {
        begin++;
    }
    return begin == end;
}

bool agpu_skip_allowed(const char *allow, const char *reason)
{
    static const char *const always[] = {AGPU_SKIPS_ALLOWED};
    const char *begin, *end;

    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++) {
        if (agpu_glob_match(always[i], always[i] + strlen(always[i]), reason)) {
            return true;
        }
    }
    while (allow != NULL && next_part(&allow, &begin, &end)) {
        if (!is_number(begin, end) && agpu_glob_match(begin, end, reason)) {
            return true;
        }
    }
    return false;
}

unsigned agpu_skip_quota(const char *allow)
{
    const char *begin, *end;
    unsigned quota = 0;

    while (allow != NULL && next_part(&allow, &begin, &end)) {
        unsigned number = 0;

        if (is_number(begin, end)) {
            for (; begin < end && number < 1000000; begin++) {
                number = number * 10 + (unsigned)(*begin - '0');
            }
            quota += number;
        }
    }
    return quota;
}

void agpu_skip_count(struct agpu_skip_tally *tally, const char *reason, bool allowed)
{
    struct agpu_text text;
    unsigned i = 0;

    tally->untried += !allowed;
    while (i < tally->reason_count &&
           (strncmp(tally->reasons[i].text, reason, sizeof tally->reasons[i].text - 1) != 0 ||
            tally->reasons[i].allowed != allowed)) {
        i++;
    }
    if (i == AGPU_SKIP_REASONS_MAX) {
        i--;
    } else if (i == tally->reason_count) {
        tally->reason_count++;
        tally->reasons[i].allowed = allowed;
        agpu_text_begin(&text, tally->reasons[i].text, sizeof tally->reasons[i].text);
        agpu_text_string(&text, reason);
    }
    tally->reasons[i].count++;
}

void agpu_skip_describe(const struct agpu_skip_tally *tally, struct agpu_text *text)
{
    const char *before = ": ";

    agpu_text_u64(text, tally->untried);
    agpu_text_string(text, tally->untried == 1 ? " case could not be tried" : " cases could not be tried");
    for (unsigned i = 0; i < tally->reason_count; i++) {
        if (tally->reasons[i].allowed) {
            continue;
        }
        agpu_text_string(text, before);
        agpu_text_u64(text, tally->reasons[i].count);
        agpu_text_string(text, " because: ");
        agpu_text_string(text, tally->reasons[i].text);
        before = "; ";
    }
}
