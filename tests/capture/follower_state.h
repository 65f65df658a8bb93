/* follower_state.h: the state of a device whose accesses are followed (follower.h). */
#ifndef AGPU_CAPTURE_FOLLOWER_STATE_H
#define AGPU_CAPTURE_FOLLOWER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_ring.h"
#include "tests/capture/encode.h"
#include "tests/capture/shadow.h"

/* Maximum numbers of submissions in flight (as many as the largest ring of the driver has slots) and of memory ranges
 * that they name. Beyond that the oldest are treated as finished. */
#define AGPU_FOLLOWER_PENDING 65536u
#define AGPU_FOLLOWER_RANGES  131072u

/* Maximum number of equal bytes between two differences that are recorded together: the header of another record
 * would be larger. */
#define AGPU_FOLLOWER_JOIN                                                                                   \
    ((uint32_t)(sizeof(struct agpu_capture_record) + sizeof(struct agpu_capture_bytes)))

/* A memory range that a submission names. */
struct agpu_follower_range {
    uint64_t address, size;
    bool read_only; /* the device does not write there */
};

struct agpu_follower_pending {
    uint64_t fence;
    uint64_t number;
    uint32_t index;       /* ring index */
    uint32_t range_count; /* number of its ranges, which are stored in the order of the submissions */
    bool disabled;        /* the ring was disabled since, and may start elsewhere: only the fence counts */
};

struct agpu_follower_config {
    uint64_t (*now_ns)(void *ctx);
    /* Reads a register of BAR0 only for the record; NULL: do not read any. */
    uint32_t (*register_read)(void *ctx, uint32_t offset);
    /* Reads a dword of configuration space, likewise. Required. */
    uint32_t (*config_read)(void *ctx, uint32_t offset);
    /* See struct agpu_shadow. NULL: all memory is reported by agpu_follower_map(). */
    const uint8_t *(*piece)(void *ctx, uint64_t address, uint64_t *size);
    void *ctx;
    struct agpu_capture_encoder *encoder; /* must outlive the follower */
    enum agpu_capture_view view;
    const char *producer;          /* text of the DEVICE records */
    void *storage;                 /* agpu_follower_bytes(pages) bytes, aligned to 16; owned by the caller */
    uint32_t pages;                /* maximum number of followed pages */
    struct agpu_capture_heap heap; /* for copies of pages */
};

/* Size of the hash table of compared memory ranges. */
#define AGPU_FOLLOWER_COMPARED 256u

/* A range that was compared, and when: submissions of one doorbell, and those that finish together, name the same
 * memory. */
struct agpu_follower_compared {
    uint64_t address, size;
    uint64_t moment;
    bool all; /* result of agpu_shadow_compare() */
};

struct agpu_follower {
    struct agpu_follower_config config;
    struct agpu_shadow shadow;
    uint8_t function;                 /* number in the file; set by the owner */
    enum agpu_capture_type recording; /* type of the current differences: CONTENTS or CHANGED */
    uint32_t recording_flags;
    struct agpu_capture_device device; /* as last recorded */
    bool device_known;
    bool config_written; /* since that */
    bool decodes;        /* BARs respond, by the last write to the command register */
    bool legacy;
    bool started; /* DEVICE is written */
    bool muted;   /* records are counted, not written */
    uint64_t muted_records, muted_bytes;

    struct agpu_capture_access access; /* held back, because equal ones may follow; count 0: none */
    uint64_t access_time_ns;
    uint64_t now_ns; /* time of the current records */

    /* Last values that the driver wrote to registers. */
    uint64_t ring_address, fence_address;
    uint32_t ring_bytes, ring_control, entry_count, legacy_tail;
    uint64_t screen_address, screen_staged; /* FB_GPA: the committed address, and the last written halves */
    uint32_t screen_pitch, screen_height, screen_on;
    bool active;    /* the device uses head and fence page; otherwise the driver is setting them up */
    bool resetting; /* a reset was written but its effect is not yet seen */

    uint32_t posted; /* ring index up to which submissions are recorded */
    bool posted_known;
    uint64_t submissions;
    uint64_t page_fence, register_fence, recorded_fence, recorded_page;
    uint64_t highest_fence; /* highest requested since the last reset; a higher page value is no fence */
    uint32_t read_high, read_low; /* COMPLETED_FENCE as read by the driver */
    bool low_read;
    uint32_t head, recorded_head, error_count;
    bool error_known;
    uint32_t count_seen; /* ERROR_COUNT at its last read */
    bool count_stands;   /* no write or completion has changed it since */
    uint64_t finished;
    bool rest_recorded; /* the last BACK reported memory at rest */
    int line;
    enum agpu_capture_way_of way;

    /* Addresses of the words by which the device reports progress, valid while the mappings do not change. */
    const uint8_t *head_word, *fence_word;
    uint64_t words_generation, words_ring, words_fence;
    /* The last poll found nothing to record, and nothing can have changed since except these words. */
    bool quiet;
    const uint8_t *quiet_head_at, *quiet_fence_at; /* a constant word if there is none */
    uint32_t quiet_head;
    uint64_t quiet_fence;

    uint64_t moment; /* increases from one poll of memory to the next */
    struct agpu_follower_compared compared[AGPU_FOLLOWER_COMPARED];
    uint64_t registers_due_ns; /* time when registers may be read again without using too much time */

    struct agpu_follower_pending *pending;
    struct agpu_follower_range *ranges;
    uint32_t pending_first, pending_count, range_first, range_count;
};

#endif
