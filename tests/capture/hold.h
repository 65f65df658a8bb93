/* hold.h: keeps the records of one case until it is known whether they are wanted. Freestanding. */
#ifndef AGPU_CAPTURE_HOLD_H
#define AGPU_CAPTURE_HOLD_H

#include "tests/capture/encode.h"
#include "tests/capture/heap.h"

/* Bytes of a block, and of the memory that is taken at a time. */
#define AGPU_CAPTURE_HOLD_BLOCK ((size_t)256 << 10)

struct agpu_capture_hold {
    struct agpu_capture_encoder encoder; /* records go there */
    /* Takes the header of the file, or one block. False: the file is broken off. */
    bool (*write)(void *ctx, const void *bytes, size_t size);
    void *ctx;
    struct agpu_capture_heap heap;
    uint8_t **blocks; /* the caller's; the encoder fills the one behind those that are used */
    uint32_t capacity, count, used;
    bool holding;
    bool overrun;                                  /* memory ran out: the case is left out */
    uint64_t kept_number, kept_records, kept_sums; /* of the encoder, when the case began */
};

/* Bytes of storage for agpu_capture_hold_init(). */
size_t agpu_capture_hold_bytes(size_t case_bytes);

/* Starts a file. A case may take case_bytes of memory, as it needs them; 0: all records are wanted and may be written in the
 * middle of a case. storage, aligned to 8, is the caller's. False when there is no memory, or the file cannot be started. */
bool agpu_capture_hold_init(struct agpu_capture_hold *hold, void *storage, size_t case_bytes,
                            const struct agpu_capture_heap *heap,
                            bool (*write)(void *ctx, const void *bytes, size_t size), void *ctx);
/* Gives back what came from the heap. */
void agpu_capture_hold_close(struct agpu_capture_hold *hold);

/* Records are kept from here on. */
void agpu_capture_hold_begin(struct agpu_capture_hold *hold);
/* There may be room for what the encoder has and one block more: who sees false stops writing records that can be done
 * without. */
bool agpu_capture_hold_has_room(const struct agpu_capture_hold *hold);
/* They are written, or are as if they had never been, which those are that did not find room in spite of that. False when they
 * could not be written. */
bool agpu_capture_hold_end(struct agpu_capture_hold *hold, bool wanted);

#endif
