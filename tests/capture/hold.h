/* hold.h: holds the records of one case in memory until it is known if they are wanted. Freestanding. */
#ifndef AGPU_CAPTURE_HOLD_H
#define AGPU_CAPTURE_HOLD_H

#include "tests/capture/encode.h"
#include "tests/capture/heap.h"

/* Size of a block, and of an allocation. */
#define AGPU_CAPTURE_HOLD_BLOCK ((size_t)256 << 10)

struct agpu_capture_hold {
    struct agpu_capture_encoder encoder; /* for the records */
    /* Takes the header of the file, or one block. Returns false if writing has failed for good. */
    bool (*write)(void *ctx, const void *bytes, size_t size);
    void *ctx;
    struct agpu_capture_heap heap;
    uint8_t **blocks; /* owned by the caller; the encoder fills the one after those in use */
    uint32_t capacity, count, used;
    bool holding;
    bool overrun;                                  /* out of memory: the case is left out */
    uint64_t kept_number, kept_records, kept_sums; /* state of the encoder at the start of the case */
};

/* Returns the size of the storage for agpu_capture_hold_init(). */
size_t agpu_capture_hold_bytes(size_t case_bytes);

/* Starts a file. A case may use case_bytes of memory, allocated on demand; 0: all records are wanted and may be
 * written in the middle of a case. storage, aligned to 8, is owned by the caller. Returns false if there is no
 * memory, or the file cannot be started. */
bool agpu_capture_hold_init(struct agpu_capture_hold *hold, void *storage, size_t case_bytes,
                            const struct agpu_capture_heap *heap,
                            bool (*write)(void *ctx, const void *bytes, size_t size), void *ctx);
/* Frees what came from the heap. */
void agpu_capture_hold_close(struct agpu_capture_hold *hold);

/* Holds records from here on. */
void agpu_capture_hold_begin(struct agpu_capture_hold *hold);
/* Allocates the block after the encoder's, if it can be had: the next records, up to one block, allocate nothing. */
void agpu_capture_hold_reserve(struct agpu_capture_hold *hold);
/* Returns true if there may be room for the encoder's data and one more block. On false the caller should stop
 * writing dispensable records. */
bool agpu_capture_hold_has_room(const struct agpu_capture_hold *hold);
/* Ends a case: writes its records if they are wanted, otherwise discards them. If memory ran out, discards them in
 * any case. Returns false if they could not be written. */
bool agpu_capture_hold_end(struct agpu_capture_hold *hold, bool wanted);

#endif
