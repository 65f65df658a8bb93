/* executor.h: determines which of the known executors a foreign device behaves like, where the specification lists
 * how they deviate from the text (commands.md 6, 11). A device with any other deviation is wrong. */
#ifndef AGPU_CASES_RIG_EXECUTOR_H
#define AGPU_CASES_RIG_EXECUTOR_H

#include "tests/cases/rig/env.h"

/* Returns the answer. The first call of a run runs submissions of its own, so a case must call it before it creates
 * anything. Our model must follow the text. Returns NULL, with the failure recorded, if that failed. */
const struct agpu_executor *agpu_executor_of(struct agpu_test *test);

/* Like agpu_executor_of() without a case, on a running ring and rig, which are like new afterwards: for cases that
 * start the driver instead. Returns false if the submissions did not complete. */
bool agpu_executor_find(struct agpu_env *env);

/* Abilities that a case may need and that a known executor, or an older ABI minor, lacks. */
#define AGPU_ASKS_VIEWS       0x01u
#define AGPU_ASKS_DEPTH       0x02u   /* depth formats */
#define AGPU_ASKS_DEPTH_READ  0x04u   /* and write-back of these */
#define AGPU_ASKS_BLOCK_READ  0x08u   /* write-back of block formats */
#define AGPU_ASKS_LAYERS      0x10u   /* numbers of layers other than 1 and 6 */
#define AGPU_ASKS_TARGETS     0x20u   /* clears of more than the first target */
#define AGPU_ASKS_TARGET_MIPS 0x40u   /* render targets with mips */
#define AGPU_ASKS_ROW_PARTS   0x100u  /* uploads of parts of rows of textures */
#define AGPU_ASKS_FIRST_PARTS 0x200u  /* uploads of parts of textures that were not uploaded before */
#define AGPU_ASKS_CLEAR_ALL   0x400u  /* clears that ignore the scissor, and no empty scissor */
#define AGPU_ASKS_MIP_READ    0x800u  /* write-back of subresources other than the first */
#define AGPU_ASKS_ABI_1_2     0x1000u /* formats that drivers use from minor 2 on */
#define AGPU_ASKS_OTHER_SIZES 0x80u   /* copies and clears of texels that are not 32 bits wide */

/* Returns false and skips the case if the device behaves like a known executor, or has a minor, that lacks one of
 * these. */
bool agpu_asks(struct agpu_test *test, uint32_t what);

/* Returns true if the driver stack uses this minor of the ABI, or a later one. Otherwise skips the case with this
 * text. */
bool agpu_reported_minor(struct agpu_test *test, uint16_t minor, const char *text);

#endif
