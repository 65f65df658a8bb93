/* candidates.h: senders that may be boards: what they said is kept, in bounded memory, until they have said enough to get
 * a run and a folder, or others have come since. No I/O and no clock. */
#ifndef AGPU_HOST_LISTEN_CANDIDATES_H
#define AGPU_HOST_LISTEN_CANDIDATES_H

#include "tests/host/run/sender.h"

#define AGPU_CANDIDATES_MAX       4096
#define AGPU_CANDIDATE_BYTES_MAX  (UINT64_C(32) << 10) /* of what one said; more is dropped */
#define AGPU_CANDIDATES_BYTES_MAX (UINT64_C(16) << 20) /* of all; then the longest silent one is forgotten */

struct agpu_candidate {
    struct agpu_sender sender;
    unsigned records;  /* with rising sequence numbers */
    uint64_t heard_us; /* when it said the last of it */
    size_t bytes;
    uint64_t dropped; /* datagrams that found no room */
};

struct agpu_candidates;

/* NULL when memory is exhausted. */
struct agpu_candidates *agpu_candidates_create(void);
void agpu_candidates_destroy(struct agpu_candidates *candidates);

/* Keeps a datagram of this sender. The candidate is valid until the next call; NULL when memory is exhausted. */
struct agpu_candidate *agpu_candidates_add(struct agpu_candidates *candidates,
                                           const struct agpu_sender *sender, uint64_t seq, uint64_t when_us,
                                           const char *bytes, size_t size);

/* The one that has said most of those with so many records, NULL when there is none. */
struct agpu_candidate *agpu_candidates_best(const struct agpu_candidates *candidates, unsigned records);

/* Forgets those that have said nothing since then. */
void agpu_candidates_expire(struct agpu_candidates *candidates, uint64_t since_us);

/* Gives every datagram that was kept, in order, and forgets the candidate. */
void agpu_candidates_release(struct agpu_candidates *candidates, struct agpu_candidate *candidate,
                             void (*give)(void *ctx, uint64_t when_us, const char *bytes, size_t size),
                             void *ctx);

/* Senders that were forgotten without having got a run. */
uint64_t agpu_candidates_forgotten(const struct agpu_candidates *candidates);

/* How many there are. */
size_t agpu_candidates_count(const struct agpu_candidates *candidates);

#endif
