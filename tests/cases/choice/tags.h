/* tags.h: kinds of cases (tags.def), and a choice among them. Freestanding: the image and the host tool use the same
 * code. */
#ifndef AGPU_CASES_CHOICE_TAGS_H
#define AGPU_CASES_CHOICE_TAGS_H

#include <stdbool.h>
#include <stddef.h>

enum agpu_tag {
#define AGPU_TAG(name, globs, says) AGPU_TAG_##name,
#include "tests/cases/choice/tags.def"
#undef AGPU_TAG
    AGPU_TAG_COUNT
};

/* Bit masks of 1 << enum agpu_tag. All zero selects every case. */
struct agpu_tag_choice {
    unsigned wanted;   /* a case needs one of these tags; 0: no restriction */
    unsigned unwanted; /* a case must have none of these tags */
};

#define AGPU_TAGS_EXPECTED                                                                                   \
    "expected tags with commas between, quick full stress destructive, each with ! to leave out"

/* Parses "quick,!destructive". Returns false and leaves out unchanged if a word is no tag. */
bool agpu_tags_read(const char *text, size_t size, struct agpu_tag_choice *out);

/* Returns the bit mask of the tags of a case. */
unsigned agpu_tags_of(const char *id);

bool agpu_tags_take(const struct agpu_tag_choice *choice, const char *id);

/* Return the name and the description of a tag below AGPU_TAG_COUNT. */
const char *agpu_tag_name(unsigned tag);
const char *agpu_tag_says(unsigned tag);

#endif
