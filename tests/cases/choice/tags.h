/* tags.h: kinds of cases (tags.def), and the choice of some of them. Freestanding: the image and the host tool both choose
 * by it. */
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

/* Bits 1 << enum agpu_tag. All zero takes every case. */
struct agpu_tag_choice {
    unsigned wanted;   /* one of these; 0: any */
    unsigned unwanted; /* none of these */
};

#define AGPU_TAGS_EXPECTED                                                                                   \
    "expected tags with commas between, quick full stress destructive, each with ! to leave out"

/* "quick,!destructive". False, and out unchanged, when a word is no tag. */
bool agpu_tags_read(const char *text, size_t size, struct agpu_tag_choice *out);

/* Bits of the tags that the case has. */
unsigned agpu_tags_of(const char *id);

bool agpu_tags_take(const struct agpu_tag_choice *choice, const char *id);

/* For tag < AGPU_TAG_COUNT: its name, and what kind it is. */
const char *agpu_tag_name(unsigned tag);
const char *agpu_tag_says(unsigned tag);

#endif
