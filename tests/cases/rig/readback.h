/* readback.h: reads the contents of a device buffer by copying it with write-back into guest memory. */
#ifndef AGPU_CASES_RIG_READBACK_H
#define AGPU_CASES_RIG_READBACK_H

#include "tests/cases/rig/submit.h"

/* Handle, allocation id and rig memory that are reserved for agpu_check_buffer(). */
#define AGPU_READBACK_HANDLE 0xFEu
#define AGPU_READBACK_ALLOC  0xFEu
#define AGPU_READBACK_MEMORY 3u

/* Puts into the stream: a guest-backed buffer over rig memory 3, poisoned with 0xCD, and a copy with write-back of
 * [offset, +size) of handle to its start. The caller lists other allocations that handle needs. */
void agpu_put_readback(struct agpu_rig *rig, uint32_t handle, uint64_t offset, uint32_t size);

/* After a run: checks that the copied bytes are as expected, and that no byte after them has changed. Then poisons
 * the memory again. */
#define agpu_check_readback(t, expected, size) agpu_check_readback_at((t), (expected), (size), AGPU_HERE)
bool agpu_check_readback_at(struct agpu_test *test, const void *expected, uint32_t size,
                            struct agpu_where where);

/* Destroys the readback buffer, in a later submission than the copy (commands.md 6.4). */
void agpu_put_readback_done(struct agpu_rig *rig);

#endif
