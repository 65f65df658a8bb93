/* pair.h: which submission of the guest's view of a run is which of the device's view. No I/O. */
#ifndef AGPU_HOST_DECODE_PAIR_H
#define AGPU_HOST_DECODE_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_NO_PARTNER SIZE_MAX

/* A submission, as one view has it. */
struct agpu_posted {
    uint64_t number; /* in its file */
    uint64_t fence;
    uint64_t address; /* of its descriptor */
    uint64_t sum;     /* of all that it is made of: descriptor and stream */
    size_t partner;   /* index in the other view, AGPU_NO_PARTNER when it has none */
    size_t scope;     /* which case it is of, or which life of the device: counts from 0 */
    bool follows;     /* no case was left out before its case */
    bool rests;       /* memory was told to be at rest behind it, before the next one */
};

/* And what is shown of it. */
struct agpu_posted_view {
    uint64_t number; /* in its file; 0: this view does not have it */
    uint64_t record;
    uint64_t fence, address; /* of the descriptor */
    uint32_t slot, stream_bytes, table_bytes;
    uint64_t posted_ns;
    uint64_t back_ns; /* when its end was seen; 0: it was not */
};

/* Fills in the partners of both lists, which are in the order of their files. Partners keep that order. Fence and address of
 * the descriptor make a pair; as both come again in each case, the nearest is taken, and behind cases that the guest has not kept
 * the one whose neighbours agree best. Between two pairs, one of fence and address is enough, so that a submission that arrived
 * changed has a partner. Hostile lists cost bounded time: what is left then has no partner. */
void agpu_pair(struct agpu_posted *guest, size_t guest_count, struct agpu_posted *device,
               size_t device_count);

#endif
