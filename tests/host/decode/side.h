/* side.h: one of two views of a run, walked from submission to submission. */
#ifndef AGPU_HOST_DECODE_SIDE_H
#define AGPU_HOST_DECODE_SIDE_H

#include "tests/host/capture/memory.h"
#include "tests/host/capture/reader.h"
#include "tests/host/decode/pair.h"

/* Writes that one view has told and the other not yet. */
#define AGPU_SIDE_WRITES 256u

struct agpu_side_write {
    uint64_t offset, value; /* of a dword of BAR0 */
};

/* Registers by which a device tells of errors, as the follower read them. */
enum agpu_side_register { SIDE_ERROR_COUNT, SIDE_ERROR_CODE, SIDE_ERROR_FENCE, SIDE_REGISTERS };

struct agpu_side {
    const char *path;
    enum agpu_capture_view view;
    bool alone; /* nothing is laid beside it: the list has no sums, and memory need not be followed for it */
    struct agpu_posted *posted; /* all of the file */
    struct agpu_posted_view *views;
    size_t count, capacity;
    char (*tests)[132]; /* ids of the cases, by scope */
    size_t test_count, test_capacity;
    uint32_t next_index; /* of the case behind this one, if none is left out */
    bool follows;

    uint32_t function; /* of the file, whose records count */
    /* Where the walk is. */
    struct agpu_capture_reader *reader;
    struct agpu_capture_memory *memory;
    bool legacy;
    size_t at; /* submissions seen */
    struct agpu_capture_submission submission;
    uint8_t descriptor[256];
    uint32_t descriptor_bytes;
    bool mixed; /* since memory was at rest, something was told while submissions were under way */
    bool resting;
    uint64_t fence; /* as BACK said last */
    uint32_t registers[SIDE_REGISTERS];
    unsigned
        registers_read; /* 1 << enum agpu_side_register: of those that were, when memory was at rest last */
    struct agpu_side_write writes[AGPU_SIDE_WRITES];
    size_t write_count;
    bool writes_lost; /* there were more than that */
    char lost[160];   /* what the file says is missing; "" else */
};

/* One more record for the list, in the file's order; of one that is alone, read by whoever has the records at hand. Those of other
 * functions are passed over. False with the reason in message. */
bool agpu_side_list_record(struct agpu_side *side, const struct agpu_capture_item *item, char *message,
                           size_t message_size);

/* Lists the submissions of the file. False with the reason in message. */
bool agpu_side_list(struct agpu_side *side, char *message, size_t message_size);

/* Begins the walk. */
bool agpu_side_open(struct agpu_side *side, char *message, size_t message_size);
/* Goes on to submission `index` of the list, counted from 0, or, when rest, to where memory is at rest behind it. False with the
 * reason when the file ends before. */
bool agpu_side_go(struct agpu_side *side, size_t index, bool rest, char *message, size_t message_size);
void agpu_side_close(struct agpu_side *side);

#endif
