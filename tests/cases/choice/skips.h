/* skips.h: the reasons why a case was skipped, and whether a run with such a skip may be a PASS. Freestanding: the
 * image and the host tool use the same table (skips.def). A skipped case gives no evidence about the device. A run with
 * a skip that is not acceptable is SKIP ("passed, but n cases could not be run"), which is not a success.
 * allow_skips= (agpu.cfg, --allow-skips) accepts more: a comma-separated list of words of skips.def, `all`, or a number
 * of skips. */
#ifndef AGPU_CASES_CHOICE_SKIPS_H
#define AGPU_CASES_CHOICE_SKIPS_H

#include <stdbool.h>
#include <stddef.h>

enum agpu_skip_code {
    AGPU_SKIP_NONE, /* the case was not skipped, or its record has no known word */
#define SKIP(name, word, acceptance, text) AGPU_SKIP_##name,
#include "tests/cases/choice/skips.def"
#undef SKIP
    AGPU_SKIP_COUNT,
};

/* "expected all, a number, or some of model_choice ...": the message for an invalid value. */
extern const char agpu_skips_expected[];

/* Returns the word of a code, such as "model_choice"; "" for AGPU_SKIP_NONE. */
const char *agpu_skip_word(enum agpu_skip_code code);

/* Returns the text for people; "no known reason" for AGPU_SKIP_NONE. */
const char *agpu_skip_text(enum agpu_skip_code code);

/* Returns the code with this word, or AGPU_SKIP_NONE. */
enum agpu_skip_code agpu_skip_of(const char *word, size_t length);

/* Checks a value of allow_skips=. Returns NULL if it is valid, otherwise its first invalid element, *length bytes
 * long. */
const char *agpu_skips_check(const char *allow, size_t size, size_t *length);

/* Returns true if a skip for this reason is acceptable. allow is the value of allow_skips=, or NULL or "".
 * abi_expected: expect= states the ABI of the device. */
bool agpu_skip_acceptable(enum agpu_skip_code code, const char *allow, bool abi_expected);

/* Returns true if even a number in allow_skips= does not accept this reason. */
bool agpu_skip_is_never_acceptable(enum agpu_skip_code code);

/* Returns how many further skips allow accepts: the sum of its numbers. */
unsigned agpu_skip_quota(const char *allow);

#endif
