/* expect.h: which ABI the device must have. Freestanding: the image and the host tool decide by the same.
 *
 * expect= (agpu.cfg, --expect) has words with commas between, the n-th for the n-th function that is driven, the last one for
 * all further ones: abi=1.4 (or another minor), abi=legacy, or any, which states nothing. A device of the newest ABI takes
 * the whole catalogue, so that nothing needs to be stated; an older one is exempt from most of it, and gets no PASS unless
 * expect= says that it is meant to be old. */
#ifndef AGPU_CASES_CHOICE_EXPECT_H
#define AGPU_CASES_CHOICE_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#define AGPU_EXPECT_MAX 24u /* bytes of one word */
#define AGPU_EXPECT_EXPECTED                                                                                 \
    "expected abi=1.0 to abi=1.4, abi=legacy or any; for several functions one each, with commas between"

/* The name that the group of cases about several functions has in place of a device's. Nothing is expected of it: each function
 * has a plan of its own. */
#define AGPU_DEVICES_TOGETHER "together"

enum agpu_expect_verdict {
    AGPU_EXPECT_MET,
    AGPU_EXPECT_UNSTATED, /* the device is older than the newest ABI, and nothing says that it is meant to be */
    AGPU_EXPECT_WRONG,    /* the device has another ABI than what is stated */
};

/* True when these words can be used. */
bool agpu_expect_check(const char *words, size_t length);

/* How many words there are. */
unsigned agpu_expect_count(const char *words);

/* Writes the word for that function, from 0; "any" when words is NULL or "". */
void agpu_expect_of(const char *words, unsigned function, char out[AGPU_EXPECT_MAX]);

/* Writes what our model is when it is started with this --abi ("1.1-cursor", "legacy-as-a3a0"; NULL: its default), and what a
 * device is that is started with this --device ("model,abi=1.1", a FILE; NULL: our model): any for one that is not ours. */
void agpu_expect_of_model(const char *abi, char out[AGPU_EXPECT_MAX]);
void agpu_expect_of_device(const char *device, char out[AGPU_EXPECT_MAX]);

/* Does this one word state an ABI? */
bool agpu_expect_states(const char *word);

/* abi: of the device, as the plan record has it: "1.4", "legacy-1.0"; NULL or "": not known, which meets only `any`. */
enum agpu_expect_verdict agpu_expect_judge(const char *word, const char *abi);

#endif
