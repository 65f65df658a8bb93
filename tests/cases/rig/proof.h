/* proof.h: evidence of work. Each piece of work writes a value of its own to its place in guest memory, with
 * surrounding bytes that must not change. Also a submission that is refused. Needs TRANSFER.
 *
 *     agpu_proof_begin(t);                     submission of its own: creates the two buffers
 *     agpu_put_proof_memory(t);                in each submission with such work
 *     agpu_put_proof(t, 3, 0x1234);            puts an upload and a copy with write-back
 *     agpu_check_proof(t, 3, 0x1234);          after the fence */
#ifndef AGPU_CASES_RIG_PROOF_H
#define AGPU_CASES_RIG_PROOF_H

#include "tests/cases/rig/submit.h"

#define AGPU_PROOF_SLOTS  128u
#define AGPU_PROOF_HANDLE 0xF0u /* guest-backed; the next handle is the device's own buffer */
#define AGPU_PROOF_ALLOC  0xF0u
#define AGPU_PROOF_MEMORY 2u  /* index in the rig's memory */
#define AGPU_PROOF_BYTES  96u /* bytes of packets for one piece of work */

bool agpu_proof_begin(struct agpu_test *test);
void agpu_put_proof_memory(struct agpu_test *test);
void agpu_put_proof(struct agpu_test *test, uint32_t slot, uint32_t value);

/* Resets the evidence: poisons every place again. */
void agpu_proof_clear(struct agpu_test *test);

/* Check that the work of this slot was done, with this value and nothing around it changed; or that it was not done. */
#define agpu_check_proof(t, slot, value) agpu_check_proof_at((t), (slot), (value), AGPU_HERE)
#define agpu_check_no_proof(t, slot)     agpu_check_no_proof_at((t), (slot), AGPU_HERE)
bool agpu_check_proof_at(struct agpu_test *test, uint32_t slot, uint32_t value, struct agpu_where where);
bool agpu_check_no_proof_at(struct agpu_test *test, uint32_t slot, struct agpu_where where);

/* Returns true if any byte of this slot's place differs from the poison. */
bool agpu_proof_done(const struct agpu_test *test, uint32_t slot);

/* Returns, or posts, a descriptor that every device refuses (its buffer is smaller than a stream header). */
struct aerogpu_submit_desc agpu_refused_desc(const struct agpu_test *test, uint64_t fence, uint32_t flags);
bool agpu_post_refused(struct agpu_test *test, uint64_t fence, uint32_t flags);
/* Like agpu_post_refused(), with a doorbell and a wait until the error is counted. */
bool agpu_run_refused(struct agpu_test *test, uint64_t fence, uint32_t flags);

#endif
