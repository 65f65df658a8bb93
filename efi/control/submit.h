/* submit.h: submits a client's command stream to the ring (ring.md 3, 8). */
#ifndef AGPU_EFI_CONTROL_SUBMIT_H
#define AGPU_EFI_CONTROL_SUBMIT_H

#include "tests/cases/harness/record.h"
#include "tests/cases/rig/env.h"

/* env has a ring and a rig; bytes becomes the rig's stream, whose four memories are allocations 1 to 4. Waits
 * for the fence for at most five seconds and puts the result in row. Returns NULL, or why nothing was
 * submitted. hung: the fence did not complete, so the device may still use stream and memories. */
const char *agpu_control_submit(struct agpu_env *env, const void *bytes, size_t size, uint32_t flags,
                                struct agpu_record *row, bool *hung);

#endif
