/* find.h: selects the device for the cases (device.md 1). */
#ifndef AGPU_CASES_RIG_FIND_H
#define AGPU_CASES_RIG_FIND_H

#include "pci/machine/text.h"
#include "tests/cases/rig/env.h"

/* Finds and opens the selected device, or the first usable function with a known identity, and identifies its abi. On
 * error why says what was found; if there is no such function, it lists the display functions. */
enum agpu_status agpu_find_device(struct agpu_env *env, struct agpu_text *why);

/* Appends the generation and version of its ABI, "1.4" or "legacy-1.0". */
void agpu_describe_abi(const struct agpu_env *env, struct agpu_text *text);

/* Appends the plan record's device value, "A3A0:0001 00:03.0 abi=1.4 features=0x3f". */
void agpu_describe_device(const struct agpu_env *env, struct agpu_text *text);

#endif
