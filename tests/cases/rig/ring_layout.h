/* ring_layout.h: rings of any layout that a device must take (ring.md 1), in which a device that looks at a wrong
 * slot is seen: every slot but those in use holds a decoy, a good descriptor with a fence that nobody waits for.
 *
 *     agpu_ring_room(t, bytes);                     memory for the largest
 *     agpu_ring_lay(t, count, stride, first_index); the ring, anew, idle
 *     agpu_ring_batch(t, entries, doorbells);       posts, waits, checks; the slots are decoys again
 *     agpu_ring_check_untouched(t);                 nothing but head was written */
#ifndef AGPU_CASES_RIG_RING_LAYOUT_H
#define AGPU_CASES_RIG_RING_LAYOUT_H

#include "ring/ring.h"
#include "tests/cases/rig/submit.h"

/* The fence of a decoy: completed, it is a wrong slot that was read. */
#define AGPU_DECOY_FENCE UINT64_C(0x4000000000000000)

/* Restarts the ring on memory for so many bytes of header and slots. */
bool agpu_ring_room(struct agpu_test *test, uint32_t bytes);

/* Disables the ring, lays it out and enables it again. The stride need not be a multiple of 64. */
void agpu_ring_lay(struct agpu_test *test, uint32_t count, uint32_t stride, uint32_t first_index);

/* Only moves both indices, as a driver may while the ring is disabled (ring.md 1). */
void agpu_ring_move(struct agpu_test *test, uint32_t index);

/* A decoy into the slot of an index, and a pattern into the gap behind it. */
void agpu_ring_put_decoy(struct agpu_test *test, uint32_t index);

/* Posts so many empty submissions, with one doorbell behind them or one behind each; waits for the last fence and
 * checks COMPLETED_FENCE, head, and that no error was recorded. */
#define agpu_ring_batch(t, entries, each) agpu_ring_batch_at((t), (entries), (each), AGPU_HERE)
bool agpu_ring_batch_at(struct agpu_test *test, uint32_t entries, bool each, struct agpu_where where);

/* The header is as it was laid, but for head and tail; each slot is a decoy, each gap its pattern, and nothing was
 * written behind the ring. */
#define agpu_ring_check_untouched(t) agpu_ring_check_untouched_at((t), AGPU_HERE)
bool agpu_ring_check_untouched_at(struct agpu_test *test, struct agpu_where where);

#endif
