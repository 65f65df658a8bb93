/* readback.h: reads what a device buffer holds, by copying it with write-back into guest memory. */
#ifndef AGPU_CASES_RIG_READBACK_H
#define AGPU_CASES_RIG_READBACK_H

#include "tests/cases/rig/submit.h"

/* Handle, allocation id and rig memory that agpu_check_buffer() uses for itself. */
#define AGPU_READBACK_HANDLE 0xFEu
#define AGPU_READBACK_ALLOC  0xFEu
#define AGPU_READBACK_MEMORY 3u

/* Puts into the stream: a guest-backed buffer over rig memory 3, poisoned with 0xCD, and a copy of [offset,
 * +size) of handle into its start, with write-back. Other allocations that handle needs are the caller's to
 * list. */
void agpu_put_readback(struct agpu_rig *rig, uint32_t handle, uint64_t offset, uint32_t size);

/* After a run: the copied bytes are expected, and not one behind them was touched. Then poisons the memory
 * again. */
#define agpu_check_readback(t, expected, size) agpu_check_readback_at((t), (expected), (size), AGPU_HERE)
bool agpu_check_readback_at(struct agpu_test *test, const void *expected, uint32_t size,
                            struct agpu_where where);

/* Puts the end of the readback buffer: it is destroyed in a later submission than the copy (commands.md
 * 6.4). */
void agpu_put_readback_done(struct agpu_rig *rig);

#endif
