/* evidence.h: evidence after a failed case: every register by name, the ring with its last descriptors, the
 * allocation tables and streams of the last submissions (the case's or the driver's); sent as files of the case
 * (artifact.h). */
#ifndef AGPU_CASES_RIG_EVIDENCE_H
#define AGPU_CASES_RIG_EVIDENCE_H

#include "tests/cases/rig/env.h"

struct agpu_test;

/* Sends evidence.txt, and stream.bin (for agpu decode) if a stream is available. Reads the device in the state that
 * the case left, and writes nothing to it. Sends evidence for the first AGPU_EVIDENCE_CASES failed cases of a run, or
 * for all if env->all_evidence is set. */
#define AGPU_EVIDENCE_CASES 16u
void agpu_evidence_send(struct agpu_test *test);

#endif
