/* quarantine.c: parses the entries of known failures and applies them to the result of a case. */
#include "tests/cases/choice/quarantine.h"

#include "tests/cases/choice/filter.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && is_blank(*at)) {
        at++;
    }
    return at;
}

/* Copies a word of at most max bytes to out. Returns the position after it, or NULL if the word is empty or longer. */
static const char *take_word(const char *at, const char *end, char *out, size_t max)
{
    size_t length = 0;

    while (at < end && !is_blank(*at)) {
        if (length == max) {
            return NULL;
        }
        out[length++] = *at++;
    }
    out[length] = '\0';
    return length != 0 ? at : NULL;
}

/* Parses "2026-12-31" as 20261231. Returns 0 if the text is no date. */
static uint32_t read_day(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    uint32_t value = 0;
    unsigned i;

    for (i = 0; form[i] != '\0'; i++) {
        if (form[i] == '-' ? text[i] != '-' : text[i] < '0' || text[i] > '9') {
            return 0;
        }
        value = form[i] == '-' ? value : value * 10 + (uint32_t)(text[i] - '0');
    }
    const uint32_t month = value / 100 % 100, day = value % 100;
    return text[i] == '\0' && month >= 1 && month <= 12 && day >= 1 && day <= 31 ? value : 0;
}

bool agpu_quarantine_add(struct agpu_quarantine *list, const char *text, size_t size)
{
    const char *const end = text + size;
    struct agpu_quarantine_entry *entry;
    char day[11];
    size_t length = 0;

    if (list->count == AGPU_QUARANTINE_MAX) {
        return false;
    }
    entry = &list->entries[list->count];
    text = take_word(skip_blanks(text, end), end, entry->glob, AGPU_QUARANTINE_GLOB_MAX);
    text = text != NULL ? take_word(skip_blanks(text, end), end, day, sizeof day - 1) : NULL;
    if (text == NULL || (entry->until = read_day(day)) == 0) {
        return false;
    }
    text = skip_blanks(text, end);
    if (text == end || (size_t)(end - text) > AGPU_QUARANTINE_REASON_MAX) {
        return false;
    }
    while (text < end) {
        entry->reason[length++] = *text++;
    }
    entry->reason[length] = '\0';
    list->count++;
    return true;
}

enum agpu_quarantine_verdict agpu_quarantine_judge(const struct agpu_quarantine *list, const char *id,
                                                   bool failed, bool passed,
                                                   const struct agpu_quarantine_entry **entry)
{
    *entry = NULL;
    if (list == NULL || (!failed && !passed)) {
        return AGPU_QUARANTINE_NOTHING;
    }
    /* An entry that has not expired has precedence. */
    for (unsigned i = 0; i < list->count; i++) {
        const struct agpu_quarantine_entry *one = &list->entries[i];

        if (agpu_filter_match(one->glob, id) && (*entry == NULL || one->until > (*entry)->until)) {
            *entry = one;
        }
    }
    if (*entry == NULL) {
        return AGPU_QUARANTINE_NOTHING;
    }
    if (passed) {
        return AGPU_QUARANTINE_PASSED;
    }
    return list->today > (*entry)->until ? AGPU_QUARANTINE_EXPIRED : AGPU_QUARANTINE_KNOWN;
}

const char *agpu_quarantine_word(enum agpu_quarantine_verdict verdict)
{
    static const char *const words[] = {"", "known", "passed", "expired"};

    return words[verdict];
}
