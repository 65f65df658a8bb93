/* follower_state.h: what is known of a device while its accesses are followed (follower.h). */
#ifndef AGPU_CAPTURE_FOLLOWER_STATE_H
#define AGPU_CAPTURE_FOLLOWER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_ring.h"
#include "tests/capture/encode.h"
#include "tests/capture/shadow.h"

/* Submissions that may be under way, as many as the largest ring of the driver has slots, and pieces of memory that they
 * name. The oldest are taken for finished when there are more. */
#define AGPU_FOLLOWER_PENDING 65536u
#define AGPU_FOLLOWER_RANGES  131072u

/* Equal bytes between two differences that take no more room than the head of one more record. */
#define AGPU_FOLLOWER_JOIN                                                                                   \
    ((uint32_t)(sizeof(struct agpu_capture_record) + sizeof(struct agpu_capture_bytes)))

/* A piece of memory that a submission names. */
struct agpu_follower_range {
    uint64_t address, size;
    bool read_only; /* the device writes nothing there */
};

struct agpu_follower_pending {
    uint64_t fence;
    uint64_t number;
    uint32_t index;       /* in the ring */
    uint32_t range_count; /* of the ranges, which are in the order of the submissions */
    bool disabled;        /* the ring has been since, and may begin elsewhere: its fence alone tells */
};

struct agpu_follower_config {
    uint64_t (*now_ns)(void *ctx);
    /* A register of BAR0, read for the record alone; NULL: none are. */
    uint32_t (*register_read)(void *ctx, uint32_t offset);
    /* A dword of configuration space, likewise. Required. */
    uint32_t (*config_read)(void *ctx, uint32_t offset);
    /* As in struct agpu_shadow. NULL: memory is what agpu_follower_map() said. */
    const uint8_t *(*piece)(void *ctx, uint64_t address, uint64_t *size);
    void *ctx;
    struct agpu_capture_encoder *encoder; /* outlives the follower */
    enum agpu_capture_view view;
    const char *producer;          /* text of the DEVICE records */
    void *storage;                 /* of agpu_follower_bytes(pages), aligned to 16; the caller's */
    uint32_t pages;                /* that are followed at a time */
    struct agpu_capture_heap heap; /* of their copies */
};

/* Places of pieces of memory that were looked at, by a hash of where they lie. */
#define AGPU_FOLLOWER_LOOKED 256u

/* A piece that was looked at, and when: submissions of one doorbell, and those that come back together, name the same memory. */
struct agpu_follower_looked {
    uint64_t address, size;
    uint64_t moment;
    bool all; /* as of agpu_shadow_compare() */
};

struct agpu_follower {
    struct agpu_follower_config config;
    struct agpu_shadow shadow;
    uint8_t function;               /* number in the file; the owner's to set */
    enum agpu_capture_type telling; /* what a difference is now: CONTENTS or CHANGED */
    uint32_t telling_flags;
    struct agpu_capture_device device; /* as it was told last */
    bool device_known;
    bool config_written; /* since it was told */
    bool decodes;        /* BARs answer, as the command register was written last */
    bool legacy;
    bool started; /* DEVICE was written */
    bool muted;   /* records are counted, not written */
    uint64_t muted_records, muted_bytes;

    struct agpu_capture_access
        access; /* the last, not yet written: more of the same may come; count 0: none */
    uint64_t access_time_ns;
    uint64_t now_ns; /* of what is being told */

    /* What the registers were last told, by the driver. */
    uint64_t ring_address, fence_address;
    uint32_t ring_bytes, ring_control, entry_count, legacy_tail;
    uint64_t screen_address, screen_staged; /* FB_GPA: committed, and its halves as written */
    uint32_t screen_pitch, screen_height, screen_on;
    bool active;    /* head and fence page are the device's now; else the driver makes them ready */
    bool resetting; /* the same until the reset is seen */

    uint32_t posted; /* ring index up to which submissions were written down */
    bool posted_known;
    uint64_t submissions;
    uint64_t page_fence, register_fence, told_fence, told_page;
    uint64_t
        highest_fence; /* that was asked for since the last reset: a page that shows more shows no fence */
    uint32_t read_high, read_low; /* COMPLETED_FENCE, as the driver reads it */
    bool low_read;
    uint32_t head, told_head, error_count;
    bool error_known;
    uint32_t count_seen; /* ERROR_COUNT, as anybody read it last */
    bool count_stands;   /* nothing was written or completed since then that could have changed it */
    uint64_t finished;
    bool rest_told; /* the last BACK said that memory is at rest */
    int line;
    enum agpu_capture_way_of way;

    /* Where the words by which the device tells of progress lie, as long as no mapping changes. */
    const uint8_t *head_word, *fence_word;
    uint64_t words_generation, words_ring, words_fence;
    /* Nothing was to be told by the last look, and nothing has been since but what these words may show. */
    bool quiet;
    const uint8_t *quiet_head_at, *quiet_fence_at; /* a word that nobody changes where there is none */
    uint32_t quiet_head;
    uint64_t quiet_fence;

    uint64_t moment; /* grows from one look at memory to the next */
    struct agpu_follower_looked looked[AGPU_FOLLOWER_LOOKED];
    uint64_t registers_due_ns; /* when reading registers has cost little of the time again */

    struct agpu_follower_pending *pending;
    struct agpu_follower_range *ranges;
    uint32_t pending_first, pending_count, range_first, range_count;
};

#endif
