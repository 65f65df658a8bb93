/* evidence.h: evidence after a failed case, sent as files of the case (artifact.h): every register by name, the ring,
 * and the last submissions of the case or the driver. The ring comes with its last descriptors, a submission with its
 * allocation table and stream. */
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
