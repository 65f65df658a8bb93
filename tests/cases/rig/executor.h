/* executor.h: which of the known executors a foreign device is like, where the specification lists what they do
 * otherwise than the text asks (commands.md 6, 11). A device that deviates as none of them does is wrong. */
#ifndef AGPU_CASES_RIG_EXECUTOR_H
#define AGPU_CASES_RIG_EXECUTOR_H

#include "tests/cases/rig/env.h"

/* Found out at the first need in a run, with submissions of its own before those of the case: a case calls it
 * before it makes anything. The model is held to the text. NULL when that went wrong, which is recorded. */
const struct agpu_executor *agpu_executor_of(struct agpu_test *test);

/* The same without a case, on a running ring and rig, which are as new afterwards: for cases that bring up the
 * driver instead. False when the submissions did not end. */
bool agpu_executor_find(struct agpu_env *env);

/* What a case may ask of an executor and one of the known ones, or of the older ABI minors, lacks. */
#define AGPU_ASKS_VIEWS       0x01u
#define AGPU_ASKS_DEPTH       0x02u   /* depth formats */
#define AGPU_ASKS_DEPTH_READ  0x04u   /* and what they hold written back */
#define AGPU_ASKS_BLOCK_READ  0x08u   /* block formats written back */
#define AGPU_ASKS_LAYERS      0x10u   /* other numbers of layers than 1 and 6 */
#define AGPU_ASKS_TARGETS     0x20u   /* clears of more than the first target */
#define AGPU_ASKS_TARGET_MIPS 0x40u   /* render targets with mips */
#define AGPU_ASKS_ROW_PARTS   0x100u  /* uploads of parts of rows of textures */
#define AGPU_ASKS_FIRST_PARTS 0x200u  /* uploads of parts of textures that were not uploaded before */
#define AGPU_ASKS_CLEAR_ALL   0x400u  /* clears that pay no heed to the scissor, and no empty scissor */
#define AGPU_ASKS_MIP_READ    0x800u  /* other subresources than the first written back */
#define AGPU_ASKS_ABI_1_2     0x1000u /* formats that drivers use from minor 2 on */
#define AGPU_ASKS_OTHER_SIZES 0x80u   /* copies and clears of texels that have not 32 bits */

/* False, and the case is skipped, when the device is like a known executor, or of a minor, that lacks one of them. */
bool agpu_asks(struct agpu_test *test, uint32_t what);

/* Is the driver told of this minor of the ABI, or a later one? Skips the case with this text if not. */
bool agpu_told_minor(struct agpu_test *test, uint16_t minor, const char *text);

#endif
