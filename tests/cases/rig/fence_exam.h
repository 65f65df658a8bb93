/* fence_exam.h: in which way a device's fences are wrong, in one sentence: late, lost, or out of order (ring.md 4). A wait that
 * ran out says only that a fence is not there; what it was is found out afterwards, with empty submissions. */
#ifndef AGPU_CASES_RIG_FENCE_EXAM_H
#define AGPU_CASES_RIG_FENCE_EXAM_H

#include "tests/cases/rig/env.h"

struct agpu_test;

/* Notes whether the case is without a fence that it submitted, or had its device reset for that. Looks only; to be called
 * while what the case opened is there. */
void agpu_fence_exam_note(struct agpu_test *test);

/* When a fence was missed, the sentence goes in front of the case's reason: the one that an earlier examination of the run
 * found, or that of a new one, for which the ring is brought up and taken down again. The device has to be quiet. A few
 * tenths of a second where fences come; 5 s at most, three times a run. */
void agpu_fence_exam_tell(struct agpu_test *test);

#endif
