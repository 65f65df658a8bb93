/* submit.h: a command stream of bytes, as somebody sent them, put on the ring (ring.md 3, 8). */
#ifndef AGPU_EFI_CONTROL_SUBMIT_H
#define AGPU_EFI_CONTROL_SUBMIT_H

#include "tests/cases/harness/record.h"
#include "tests/cases/rig/env.h"

/* env has a ring and a rig, whose stream this becomes, and whose four memories are allocations 1 to 4. Waits for its fence,
 * five seconds at most, and says in row what came of it. NULL, or why nothing was submitted. hung: its fence did not complete,
 * so that stream and memories are still the device's. */
const char *agpu_control_submit(struct agpu_env *env, const void *bytes, size_t size, uint32_t flags,
                                struct agpu_record *row, bool *hung);

#endif
