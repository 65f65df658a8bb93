/* proof.h: work that shows whether it was done: each piece writes a value of its own into its place in guest
 * memory, with bytes around it that must stay. And a submission that is refused. Needs TRANSFER.
 *
 *     agpu_proof_begin(t);                     submission of its own: makes the two buffers
 *     agpu_put_proof_memory(t);                in each submission with such work
 *     agpu_put_proof(t, 3, 0x1234);            puts an upload and a copy with write-back
 *     agpu_check_proof(t, 3, 0x1234);          after the fence */
#ifndef AGPU_CASES_RIG_PROOF_H
#define AGPU_CASES_RIG_PROOF_H

#include "tests/cases/rig/submit.h"

#define AGPU_PROOF_SLOTS  128u
#define AGPU_PROOF_HANDLE 0xF0u /* guest-backed; the next one is the device's own */
#define AGPU_PROOF_ALLOC  0xF0u
#define AGPU_PROOF_MEMORY 2u  /* of the rig */
#define AGPU_PROOF_BYTES  96u /* of packets for one piece of work */

bool agpu_proof_begin(struct agpu_test *test);
void agpu_put_proof_memory(struct agpu_test *test);
void agpu_put_proof(struct agpu_test *test, uint32_t slot, uint32_t value);

/* Forgets what was done: every place is poisoned again. */
void agpu_proof_clear(struct agpu_test *test);

/* The work of this slot was done, with this value and nothing beside it; or not at all. */
#define agpu_check_proof(t, slot, value) agpu_check_proof_at((t), (slot), (value), AGPU_HERE)
#define agpu_check_no_proof(t, slot)     agpu_check_no_proof_at((t), (slot), AGPU_HERE)
bool agpu_check_proof_at(struct agpu_test *test, uint32_t slot, uint32_t value, struct agpu_where where);
bool agpu_check_no_proof_at(struct agpu_test *test, uint32_t slot, struct agpu_where where);

/* Anything of this slot's place differs from the poison. */
bool agpu_proof_done(const struct agpu_test *test, uint32_t slot);

/* A descriptor that every device refuses (its buffer is smaller than a stream header), posted. */
bool agpu_post_refused(struct agpu_test *test, uint64_t fence, uint32_t flags);
/* The same, with doorbell, until the error was counted. */
bool agpu_run_refused(struct agpu_test *test, uint64_t fence, uint32_t flags);

#endif
