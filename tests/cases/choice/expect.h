/* expect.h: the ABI that the device must have. Freestanding: the image and the host tool apply the same rule. expect=
 * (agpu.cfg, --expect) is a comma-separated list; word n applies to the n-th driven function, the last word to all
 * further ones: abi=1.4 (or another minor), abi=legacy, or any, which states nothing. A device of the newest ABI runs
 * the whole catalogue, so nothing needs to be stated for it. An older device is exempt from most cases; its run is a
 * PASS only if expect= states the older ABI. */
#ifndef AGPU_CASES_CHOICE_EXPECT_H
#define AGPU_CASES_CHOICE_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#define AGPU_EXPECT_MAX 24u /* maximum length of one word, in bytes */
#define AGPU_EXPECT_EXPECTED                                                                                 \
    "expected abi=1.0 to abi=1.4, abi=legacy or any; for several functions one each, with commas between"

/* The name of the group of cases about several functions, used in place of a device name. expect= does not apply to it:
 * each function has a plan of its own. */
#define AGPU_DEVICES_TOGETHER "together"

enum agpu_expect_verdict {
    AGPU_EXPECT_MET,
    AGPU_EXPECT_UNSTATED, /* the device has an older ABI than the newest, and expect= does not state it */
    AGPU_EXPECT_WRONG,    /* the device has another ABI than expect= states */
};

/* Returns true if every word of the list is valid. */
bool agpu_expect_check(const char *words, size_t length);

/* Returns the number of words. */
unsigned agpu_expect_count(const char *words);

/* Copies the word for function number `function`, counted from 0; "any" if words is NULL or "". */
void agpu_expect_of(const char *words, unsigned function, char out[AGPU_EXPECT_MAX]);

/* Writes the expect= word for a device that is started with these options: abi is --abi of our model ("1.1-cursor",
 * "legacy-as-a3a0"; NULL: its default). device is --device ("model,abi=1.1" or a FILE; NULL: our model). The word is
 * "any" for a device that is not our model. */
void agpu_expect_of_model(const char *abi, char out[AGPU_EXPECT_MAX]);
void agpu_expect_of_device(const char *device, char out[AGPU_EXPECT_MAX]);

/* Returns true if this one word states an ABI. */
bool agpu_expect_states(const char *word);

/* Compares one word with abi, the ABI in the plan record of the device: "1.4", "legacy-1.0". abi NULL or "" means
 * unknown, which satisfies only `any`. */
enum agpu_expect_verdict agpu_expect_judge(const char *word, const char *abi);

#endif
