/* tally.c: groups of cases, and letters that span several rows. */
#include "efi/tally.h"

#include <string.h>

#include "tests/cases/rig/font.h"

/* Returns the group of this name; creates it if needed. */
static struct agpu_tally_group *find_group(struct agpu_group_tally *tally, const char *name, size_t length)
{
    for (unsigned i = 0; i < tally->count; i++) {
        struct agpu_tally_group *group = &tally->groups[i];

        if (strlen(group->name) == length && memcmp(group->name, name, length) == 0) {
            return group;
        }
    }
    if (tally->count == AGPU_TALLY_GROUPS_MAX) {
        return &tally->groups[AGPU_TALLY_GROUPS_MAX - 1];
    }
    memcpy(tally->groups[tally->count].name, name, length);
    return &tally->groups[tally->count++];
}

void agpu_tally_add(struct agpu_group_tally *tally, const char *id, size_t length, bool bad)
{
    size_t subject = 0;
    struct agpu_tally_group *group;

    while (subject < length && id[subject] != '.' && subject < AGPU_TALLY_NAME_MAX) {
        subject++;
    }
    group = find_group(tally, id, subject);
    group->ended++;
    group->bad += bad;
}

static void write_group(struct agpu_text *text, const struct agpu_tally_group *group)
{
    agpu_format(text, "%s %u", group->name, group->ended);
    if (group->bad != 0) {
        agpu_format(text, " (%u bad)", group->bad);
    }
}

bool agpu_tally_line(const struct agpu_group_tally *tally, unsigned *next, unsigned width,
                     struct agpu_text *text)
{
    const unsigned first = *next;

    while (*next < tally->count) {
        char buffer[64];
        struct agpu_text one;

        agpu_text_begin(&one, buffer, sizeof buffer);
        write_group(&one, &tally->groups[*next]);
        if (*next != first && text->length + 2 + one.length > width) {
            break;
        }
        agpu_format(text, "%s%s", *next != first ? "  " : " ", buffer);
        ++*next;
    }
    return *next != first;
}

unsigned agpu_big_width(const char *word, bool wide)
{
    return (unsigned)strlen(word) * (AGPU_FONT_COLUMNS + 1) * (wide ? 2 : 1);
}

void agpu_big_row(struct agpu_text *text, const char *word, unsigned row, bool wide)
{
    for (; *word != '\0'; word++) {
        for (unsigned column = 0; column <= AGPU_FONT_COLUMNS; column++) {
            const char dot = agpu_font_dot(*word, column, row) ? '#' : ' ';

            agpu_text_char(text, dot);
            if (wide) {
                agpu_text_char(text, dot);
            }
        }
    }
}
