/* ring_layout.h: rings of any layout that a device must accept (ring.md 1). To detect a device that reads a wrong slot,
 * every slot that is not in use holds a decoy: a valid descriptor with a fence that is never expected.
 *
 *     agpu_ring_room(t, bytes);                     memory for the largest
 *     agpu_ring_lay(t, count, stride, first_index); a new ring, idle
 *     agpu_ring_batch(t, entries, doorbells);       posts, waits, checks; the slots are decoys again
 *     agpu_ring_check_untouched(t);                 checks that nothing but head was written */
#ifndef AGPU_CASES_RIG_RING_LAYOUT_H
#define AGPU_CASES_RIG_RING_LAYOUT_H

#include "ring/ring.h"
#include "tests/cases/rig/submit.h"

/* The fence of a decoy: if it completes, the device read a wrong slot. */
#define AGPU_DECOY_FENCE UINT64_C(0x4000000000000000)

/* Restarts the ring on memory for this many bytes of header and slots. */
bool agpu_ring_room(struct agpu_test *test, uint32_t bytes);

/* Disables the ring, lays it out and enables it again. The stride need not be a multiple of 64. */
void agpu_ring_lay(struct agpu_test *test, uint32_t count, uint32_t stride, uint32_t first_index);

/* Only sets both indices, as a driver may while the ring is disabled (ring.md 1). */
void agpu_ring_move(struct agpu_test *test, uint32_t index);

/* Writes a decoy to the slot of an index, and a pattern to the gap after it. */
void agpu_ring_put_decoy(struct agpu_test *test, uint32_t index);

/* Posts this many empty submissions, with one doorbell after all or one after each. Waits for the last fence and
 * checks COMPLETED_FENCE, head, and that no error was recorded. */
#define agpu_ring_batch(t, entries, each) agpu_ring_batch_at((t), (entries), (each), AGPU_HERE)
bool agpu_ring_batch_at(struct agpu_test *test, uint32_t entries, bool each, struct agpu_where where);

/* Checks that the header is unchanged except for head and tail, that each slot is a decoy and each gap its pattern,
 * and that nothing was written after the ring. */
#define agpu_ring_check_untouched(t) agpu_ring_check_untouched_at((t), AGPU_HERE)
bool agpu_ring_check_untouched_at(struct agpu_test *test, struct agpu_where where);

#endif
