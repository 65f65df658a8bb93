/* pair.h: matches the submissions of the guest's view of a run with those of the device's view. No I/O. */
#ifndef AGPU_HOST_DECODE_PAIR_H
#define AGPU_HOST_DECODE_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_NO_PARTNER SIZE_MAX

/* A submission in one view. */
struct agpu_posted {
    uint64_t number; /* number in its file */
    uint64_t fence;
    uint64_t address; /* address of its descriptor */
    uint64_t sum;     /* checksum of descriptor and stream */
    size_t partner;   /* index in the other view, AGPU_NO_PARTNER when it has none */
    size_t scope;     /* its case, or reset of the device: counts from 0 */
    bool follows;     /* no case was left out before its case */
    bool rests;       /* memory is recorded at rest after it, before the next one */
};

/* The data of a submission that reports show. */
struct agpu_posted_view {
    uint64_t number; /* number in its file; 0: this view does not have it */
    uint64_t record;
    uint64_t fence, address; /* values of the descriptor */
    uint32_t slot, stream_bytes, table_bytes;
    uint64_t posted_ns;
    uint64_t back_ns; /* when its completion was seen; 0: it was not */
};

/* Fills in the partners of both lists, which are in file order; partners keep that order. Fence and descriptor
 * address identify a pair. As both repeat in each case, the nearest is chosen, and, after cases that the guest's
 * file left out, the one whose neighbours match best. Between two pairs one of fence and address is sufficient, so
 * that a submission that arrived changed has a partner. Time is bounded even for hostile lists: the remaining
 * submissions then have no partner. */
void agpu_pair(struct agpu_posted *guest, size_t guest_count, struct agpu_posted *device,
               size_t device_count);

#endif
