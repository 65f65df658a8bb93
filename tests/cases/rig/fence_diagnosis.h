/* fence_diagnosis.h: finds out how a device's fences are wrong: late, lost, or out of order (ring.md 4), as one
 * sentence. A wait that timed out shows only that a fence is missing; the diagnosis runs afterwards, with empty
 * submissions. */
#ifndef AGPU_CASES_RIG_FENCE_DIAGNOSIS_H
#define AGPU_CASES_RIG_FENCE_DIAGNOSIS_H

#include "tests/cases/rig/env.h"

struct agpu_test;

/* Records if the case lacks a fence that it submitted, or had its device reset because of that. Changes nothing. Must
 * be called before the stack that the case opened is closed. */
void agpu_fence_diagnosis_note(struct agpu_test *test);

/* If a fence was missing, puts the diagnosis in front of the case's reason: that of an earlier diagnosis in this run,
 * or of a new one, which starts the ring and stops it again. The device must be idle. Takes a few tenths of a second
 * if fences complete; at most 5 s, three times per run. */
void agpu_fence_diagnosis_add(struct agpu_test *test);

#endif
