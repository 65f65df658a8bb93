/* side.h: one of two views of a run, walked from submission to submission. */
#ifndef AGPU_HOST_DECODE_SIDE_H
#define AGPU_HOST_DECODE_SIDE_H

#include "tests/host/capture/memory.h"
#include "tests/host/capture/reader.h"
#include "tests/host/decode/pair.h"

/* Limit of writes that one view has recorded and the other not yet. */
#define AGPU_SIDE_WRITES 256u

struct agpu_side_write {
    uint64_t offset, value; /* a dword of BAR0 */
};

/* Error registers of the device, as the follower read them. */
enum agpu_side_register { SIDE_ERROR_COUNT, SIDE_ERROR_CODE, SIDE_ERROR_FENCE, SIDE_REGISTERS };

struct agpu_side {
    const char *path;
    enum agpu_capture_view view;
    bool alone; /* compared with no other view: the list has no checksums, and memory need not be tracked */
    struct agpu_posted *posted; /* all of the file */
    struct agpu_posted_view *views;
    size_t count, capacity;
    char (*tests)[132]; /* ids of the cases, by scope */
    size_t test_count, test_capacity;
    uint32_t next_index; /* index of the next case, if none is left out */
    bool follows;

    uint32_t function; /* number of the function in the file whose records are used */
    /* Position of the walk. */
    struct agpu_capture_reader *reader;
    struct agpu_capture_memory *memory;
    bool legacy;
    size_t at; /* submissions seen */
    struct agpu_capture_submission submission;
    uint8_t descriptor[256];
    uint32_t descriptor_bytes;
    bool mixed; /* since memory was last at rest, contents were recorded while submissions were in progress */
    bool resting;
    uint64_t fence; /* from the last BACK record */
    uint32_t registers[SIDE_REGISTERS];
    unsigned registers_read; /* 1 << enum agpu_side_register: read when memory was last at rest */
    struct agpu_side_write writes[AGPU_SIDE_WRITES];
    size_t write_count;
    bool writes_lost; /* there were more than AGPU_SIDE_WRITES */
    char lost[160];   /* a gap that the file reports; "": none */
};

/* Adds a record to the list, in file order; for a single view whose records the caller reads. Ignores those of other
 * functions. Returns false with the reason in message. */
bool agpu_side_list_record(struct agpu_side *side, const struct agpu_capture_item *item, char *message,
                           size_t message_size);

/* Lists the submissions of the file. Returns false with the reason in message. */
bool agpu_side_list(struct agpu_side *side, char *message, size_t message_size);

/* Starts the walk. */
bool agpu_side_open(struct agpu_side *side, char *message, size_t message_size);
/* Continues to submission `index` of the list, counted from 0, or, if rest, to the point where memory is at rest
 * after it. Returns false with the reason when the file ends before. */
bool agpu_side_go(struct agpu_side *side, size_t index, bool rest, char *message, size_t message_size);
void agpu_side_close(struct agpu_side *side);

#endif
