/* candidates.h: senders that may be boards: stores what they sent, in bounded memory, until they qualify for a run
 * and a folder, or newer senders replace them. No I/O and no clock. */
#ifndef AGPU_HOST_LISTEN_CANDIDATES_H
#define AGPU_HOST_LISTEN_CANDIDATES_H

#include "tests/host/run/sender.h"

#define AGPU_CANDIDATES_MAX      4096
#define AGPU_CANDIDATE_BYTES_MAX (UINT64_C(32) << 10) /* from one sender; more is dropped */
/* in total; then the sender that was silent longest is discarded */
#define AGPU_CANDIDATES_BYTES_MAX (UINT64_C(16) << 20)

struct agpu_candidate {
    struct agpu_sender sender;
    unsigned records;  /* with increasing sequence numbers */
    uint64_t heard_us; /* time of its last datagram */
    size_t bytes;
    uint64_t dropped; /* datagrams for which there was no room */
};

struct agpu_candidates;

/* Returns NULL when memory is exhausted. */
struct agpu_candidates *agpu_candidates_create(void);
void agpu_candidates_destroy(struct agpu_candidates *candidates);

/* Stores a datagram of this sender. The candidate is valid until the next call; NULL when memory is exhausted. */
struct agpu_candidate *agpu_candidates_add(struct agpu_candidates *candidates,
                                           const struct agpu_sender *sender, uint64_t seq, uint64_t when_us,
                                           const char *bytes, size_t size);

/* Returns the candidate with the most records among those with at least this many, NULL when there is none. */
struct agpu_candidate *agpu_candidates_best(const struct agpu_candidates *candidates, unsigned records);

/* Discards candidates that have been silent since then. */
void agpu_candidates_expire(struct agpu_candidates *candidates, uint64_t since_us);

/* Calls back with every stored datagram, in order, and discards the candidate. */
void agpu_candidates_release(struct agpu_candidates *candidates, struct agpu_candidate *candidate,
                             void (*give)(void *ctx, uint64_t when_us, const char *bytes, size_t size),
                             void *ctx);

/* Returns how many senders were discarded without getting a run. */
uint64_t agpu_candidates_forgotten(const struct agpu_candidates *candidates);

/* Returns the number of candidates. */
size_t agpu_candidates_count(const struct agpu_candidates *candidates);

#endif
