/* evidence.h: what lies on the desk after a case failed: every register by name, the ring with its last descriptors, the
 * allocation tables and streams of the last submissions, the case's own or the driver's; as files of the case (artifact.h). */
#ifndef AGPU_CASES_RIG_EVIDENCE_H
#define AGPU_CASES_RIG_EVIDENCE_H

#include "tests/cases/rig/env.h"

struct agpu_test;

/* Sends evidence.txt, and stream.bin (for agpu decode) when a stream is at hand. The device is looked at as the
 * case left it, and nothing is written. Of the first AGPU_EVIDENCE_CASES failed cases of a run, or of all when
 * env->all_evidence. */
#define AGPU_EVIDENCE_CASES 16u
void agpu_evidence_send(struct agpu_test *test);

#endif
