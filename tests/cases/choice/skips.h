/* skips.h: why a case was skipped, and whether a run with such a skip may be a PASS. Freestanding: the image and the host
 * tool decide by the same table (skips.def).
 *
 * A skipped case says nothing about the device. With a skip that is not acceptable a run is SKIP ("passed, but n cases could
 * not be tried"), which is no success. allow_skips= (agpu.cfg, --allow-skips) accepts more: words of skips.def with commas
 * between, `all`, or a number of skips. */
#ifndef AGPU_CASES_CHOICE_SKIPS_H
#define AGPU_CASES_CHOICE_SKIPS_H

#include <stdbool.h>
#include <stddef.h>

enum agpu_skip_code {
    AGPU_SKIP_NONE, /* the case was not skipped, or the record has no known word */
#define SKIP(name, word, acceptance, text) AGPU_SKIP_##name,
#include "tests/cases/choice/skips.def"
#undef SKIP
    AGPU_SKIP_COUNT,
};

/* "expected all, a number, or some of model_choice ...": for a value that cannot be used. */
extern const char agpu_skips_expected[];

/* "model_choice"; "" for AGPU_SKIP_NONE. */
const char *agpu_skip_word(enum agpu_skip_code code);

/* The text for people; "no known reason" for AGPU_SKIP_NONE. */
const char *agpu_skip_text(enum agpu_skip_code code);

/* The code with this word; AGPU_SKIP_NONE: there is none. */
enum agpu_skip_code agpu_skip_of(const char *word, size_t length);

/* Checks a value of allow_skips=. NULL when it can be used; else the first part that cannot, *length bytes of it. */
const char *agpu_skips_check(const char *allow, size_t size, size_t *length);

/* Is a skip for this reason acceptable? allow: the value of allow_skips=, NULL or "" for none. abi_expected: expect= states
 * which ABI the device has. */
bool agpu_skip_acceptable(enum agpu_skip_code code, const char *allow, bool abi_expected);

/* A number in allow_skips= does not accept it either. */
bool agpu_skip_is_never_acceptable(enum agpu_skip_code code);

/* How many further skips allow accepts: the sum of its numbers. */
unsigned agpu_skip_quota(const char *allow);

#endif
