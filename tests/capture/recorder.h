/* recorder.h: follows the accesses to a device, and the ring that they lead to, and writes down what passed (format.h). It
 * stands between driver and device, or before the device, and is neither: it reads memory and what goes by. Freestanding. */
#ifndef AGPU_CAPTURE_RECORDER_H
#define AGPU_CAPTURE_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/capture/encode.h"
#include "tests/capture/shadow.h"

/* Submissions that may be under way, as many as the largest ring of the driver has slots, and pieces of memory that they
 * name. The oldest are taken for finished when there are more. */
#define AGPU_RECORDER_PENDING 65536u
#define AGPU_RECORDER_RANGES  131072u

/* A piece of memory that a submission names. */
struct agpu_recorder_range {
    uint64_t address, size;
};

struct agpu_recorder_pending {
    uint64_t fence;
    uint64_t number;
    uint32_t index;       /* in the ring */
    uint32_t range_count; /* of the ranges, which are in the order of the submissions */
};

struct agpu_recorder_config {
    uint64_t (*now_ns)(void *ctx);
    /* A register of BAR0, read for the record alone; NULL: none are. */
    uint32_t (*register_read)(void *ctx, uint32_t offset);
    /* A dword of configuration space, likewise. Required. */
    uint32_t (*config_read)(void *ctx, uint32_t offset);
    /* As in struct agpu_shadow. NULL: memory is what agpu_recorder_map() said. */
    const uint8_t *(*piece)(void *ctx, uint64_t address, uint64_t *size);
    void *ctx;
    struct agpu_capture_encoder *encoder; /* outlives the recorder */
    enum agpu_capture_view view;
    const char *producer; /* text of the DEVICE records */
    void *storage;        /* of agpu_recorder_bytes(pages), aligned to 16; the caller's */
    uint32_t pages;       /* that are followed at a time */
};

struct agpu_recorder {
    struct agpu_recorder_config config;
    struct agpu_shadow shadow;
    enum agpu_capture_type telling; /* what a difference is now: CONTENTS or CHANGED */
    uint32_t telling_flags;
    bool legacy;
    bool started; /* DEVICE was written */
    bool muted;   /* records are counted, not written */
    uint64_t muted_records, muted_bytes;

    struct agpu_capture_access
        access; /* the last, not yet written: more of the same may come; count 0: none */
    uint64_t access_time_ns;

    /* What the registers were last told, by the driver. */
    uint64_t ring_address, fence_address;
    uint32_t ring_bytes, ring_control, entry_count, legacy_tail;

    uint32_t posted; /* ring index up to which submissions were written down */
    bool posted_known;
    uint64_t submissions;
    uint64_t page_fence, register_fence, told_fence;
    uint64_t
        highest_fence; /* that was asked for since the last reset: a page that shows more shows no fence */
    uint32_t head, told_head, error_count;
    bool error_known;
    uint64_t finished;
    int line;

    /* Where the words by which the device tells of progress lie, as long as no mapping changes. */
    const uint8_t *head_word, *fence_word;
    uint64_t words_generation, words_ring, words_fence;

    struct agpu_recorder_pending *pending;
    struct agpu_recorder_range *ranges;
    uint32_t pending_first, pending_count, range_first, range_count;
};

size_t agpu_recorder_bytes(uint32_t pages);
void agpu_recorder_init(struct agpu_recorder *recorder, const struct agpu_recorder_config *config);

/* A case starts or ends. Between two cases nothing is written. */
void agpu_recorder_case_begin(struct agpu_recorder *recorder, const char *id, uint32_t index);
void agpu_recorder_case_end(struct agpu_recorder *recorder, uint32_t result, const char *name, bool failed);
/* For who knows of no cases: one without end. */
void agpu_recorder_begin(struct agpu_recorder *recorder);

/* Memory for the device, all zero: cpu is where it lies. */
void agpu_recorder_map(struct agpu_recorder *recorder, const struct agpu_shadow_region *region);
void agpu_recorder_unmap(struct agpu_recorder *recorder, uint64_t address);

/* Before a write goes to the device: what it is about to be shown is written down, then the access. */
void agpu_recorder_write(struct agpu_recorder *recorder, uint32_t space, uint64_t offset, uint32_t size,
                         uint64_t value);
/* After a read. */
void agpu_recorder_read(struct agpu_recorder *recorder, uint32_t space, uint64_t offset, uint32_t size,
                        uint64_t value);
/* After anything that may have let the device work, and whenever the driver looks at what the device writes: progress is
 * written down. */
void agpu_recorder_look(struct agpu_recorder *recorder);
/* The line as it is now (source 0), or a message. */
void agpu_recorder_line(struct agpu_recorder *recorder, uint32_t source, bool level);
void agpu_recorder_note(struct agpu_recorder *recorder, const char *text);

/* Writes out what is held back: before the encoder is used by others. */
void agpu_recorder_settle(struct agpu_recorder *recorder);

#endif
