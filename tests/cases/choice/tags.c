/* tags.c: decides which tags a case has, and whether a choice of tags selects it. */
#include "tests/cases/choice/tags.h"

#include "tests/cases/choice/filter.h"

static const struct {
    const char *name;
    const char *globs;
    const char *says;
} tags[AGPU_TAG_COUNT] = {
#define AGPU_TAG(word, over, what) [AGPU_TAG_##word] = {#word, over, what},
#include "tests/cases/choice/tags.def"
#undef AGPU_TAG
};

const char *agpu_tag_name(unsigned tag)
{
    return tags[tag].name;
}

const char *agpu_tag_says(unsigned tag)
{
    return tags[tag].says;
}

unsigned agpu_tags_of(const char *id)
{
    unsigned found = 0;

    for (unsigned tag = 0; tag < AGPU_TAG_COUNT; tag++) {
        found |= agpu_filter_match(tags[tag].globs, id) ? 1u << tag : 0;
    }
    return found;
}

bool agpu_tags_take(const struct agpu_tag_choice *choice, const char *id)
{
    unsigned found;

    if (choice->wanted == 0 && choice->unwanted == 0) {
        return true;
    }
    found = agpu_tags_of(id);
    return (choice->wanted == 0 || (found & choice->wanted) != 0) && (found & choice->unwanted) == 0;
}

/* Returns the tag whose name is the text up to end, or AGPU_TAG_COUNT if there is none. */
static unsigned find_tag(const char *text, const char *end)
{
    for (unsigned tag = 0; tag < AGPU_TAG_COUNT; tag++) {
        const char *name = tags[tag].name;
        const char *at = text;

        while (at < end && *name != '\0' && *at == *name) {
            at++;
            name++;
        }
        if (at == end && *name == '\0') {
            return tag;
        }
    }
    return AGPU_TAG_COUNT;
}

bool agpu_tags_read(const char *text, size_t size, struct agpu_tag_choice *out)
{
    struct agpu_tag_choice choice = {0};
    const char *const all = text + size;

    while (text < all) {
        const char *end = text;
        bool leave;
        unsigned tag;

        while (end < all && *end != ',' && *end != ' ') {
            end++;
        }
        if (end != text) {
            leave = *text == '!';
            tag = find_tag(text + leave, end);
            if (tag == AGPU_TAG_COUNT) {
                return false;
            }
            *(leave ? &choice.unwanted : &choice.wanted) |= 1u << tag;
        }
        text = end < all ? end + 1 : end;
    }
    *out = choice;
    return true;
}
