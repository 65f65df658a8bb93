/* capture_walk.h: walks a capture record by record, with memory contents and named objects as of each record;
 * selects cases and submissions. */
#ifndef AGPU_HOST_DECODE_CAPTURE_WALK_H
#define AGPU_HOST_DECODE_CAPTURE_WALK_H

#include "ring/protocol/aerogpu_ring.h"
#include "tests/host/capture/memory.h"
#include "tests/host/capture/reader.h"
#include "tests/host/decode/stream.h"

struct agpu_capture_choice {
    const char *test;    /* id of the only case to show; NULL: all */
    uint64_t submission; /* number of the only submission to show, with its results; 0: all */
    uint64_t first;      /* in a case, the first submission to show; 0: all */
    uint64_t *shown;     /* incremented for each submission shown; NULL: not counted */
};

/* Receives the records. All callbacks are required. Pointers are valid during the call. */
struct agpu_capture_view_output {
    void *ctx;
    /* Any record; a SUBMISSION is followed by its entries and its stream. */
    void (*record)(void *ctx, const struct agpu_capture_item *item, bool legacy);
    void (*entry)(void *ctx, const struct aerogpu_alloc_entry *entry, uint32_t index);
    /* Reason why table or stream cannot be shown, or another remark about this record. */
    void (*remark)(void *ctx, const char *text);
    struct agpu_decode_output stream;
};

/* Shows the whole file. Returns how it ended, as agpu_capture_next(); the reader has the error. *problems receives
 * the number of problems in streams. A file that contradicts itself about memory ends as WRONG, with the reason in
 * message. */
enum agpu_capture_next agpu_capture_walk(struct agpu_capture_reader *reader,
                                         const struct agpu_capture_choice *choice,
                                         const struct agpu_capture_view_output *output, uint64_t *problems,
                                         char *message, size_t message_size);

/* Room for the name of a register without its prefix, or "BAR0+0x1234" for one without a name. */
#define AGPU_REGISTER_NAME 40
const char *agpu_register_name(bool legacy, uint32_t space, uint64_t offset, char room[AGPU_REGISTER_NAME]);
/* Returns the name of an enum agpu_capture_way_of. */
const char *agpu_way_name(uint32_t way);

#endif
