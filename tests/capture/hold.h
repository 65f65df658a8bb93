/* hold.h: keeps the records of one case until it is known whether they are wanted. Freestanding. */
#ifndef AGPU_CAPTURE_HOLD_H
#define AGPU_CAPTURE_HOLD_H

#include "tests/capture/encode.h"

struct agpu_capture_hold {
    struct agpu_capture_encoder encoder; /* records go there */
    /* Takes the header of the file, or one block. False: the file is broken off. */
    bool (*write)(void *ctx, const void *bytes, size_t size);
    void *ctx;
    uint8_t *memory; /* the caller's */
    size_t capacity, used;
    bool holding;
    uint64_t kept_number, kept_records, kept_sums; /* of the encoder, when the case began */
};

/* Starts a file. buffer as for agpu_capture_encoder_init(); memory has room for one case, at least three times the buffer, or
 * none where all records are wanted and may be written in the middle of a case: capacity 0. */
void agpu_capture_hold_init(struct agpu_capture_hold *hold, void *buffer, size_t buffer_size, void *memory,
                            size_t capacity, bool (*write)(void *ctx, const void *bytes, size_t size),
                            void *ctx);

/* Records are kept from here on. */
void agpu_capture_hold_begin(struct agpu_capture_hold *hold);
/* There is room for what the encoder has and one block more: who sees false stops writing records that can be done without. */
bool agpu_capture_hold_has_room(const struct agpu_capture_hold *hold);
/* They are written, or are as if they had never been. False when they could not be written. */
bool agpu_capture_hold_end(struct agpu_capture_hold *hold, bool wanted);

#endif
