/* play_state.h: the state of a replay (play.h). */
#ifndef AGPU_CAPTURE_PLAY_STATE_H
#define AGPU_CAPTURE_PLAY_STATE_H

#include "pci/machine/platform.h"
#include "tests/capture/judge.h"
#include "tests/capture/records.h"

#define AGPU_PLAY_REGIONS 256u
#define AGPU_PLAY_RANGES  65536u /* as many as the largest table has entries */

enum agpu_play_state {
    AGPU_PLAY_GOES_ON,
    AGPU_PLAY_DIFFERS,
    AGPU_PLAY_IMPOSSIBLE, /* the capture is inconsistent, or needs what this machine or device does not have */
};

/* A memory region of the capture and its place here. */
struct agpu_play_region {
    uint64_t address, size; /* as in the capture */
    uint64_t device_address;
    uint8_t *live, *expected;
    struct agpu_dma dma; /* not used for the aperture */
    bool aperture;
};

struct agpu_play_range {
    uint64_t address, size;
    uint32_t allocation;        /* 0: none */
    uint64_t first;             /* of the allocation */
    uint64_t submission, fence; /* which named it */
};

/* A memory range with recorded contents. */
struct agpu_play_recorded {
    uint64_t address, size;
};

/* A submission that is posted but not yet shown: its addresses are translated in the memory that the device sees. */
struct agpu_play_posted {
    uint64_t descriptor_address, table_address;
    uint32_t table_bytes;
};

/* A register pair with an address of the capture. */
struct agpu_play_pair {
    uint32_t offset, needs; /* minimum bytes of memory at the address, because the device may write them */
    bool staged;            /* the lower half takes effect when the upper one is written (device.md 4.8) */
    bool raw;               /* it was written in pieces: only the device knows the result */
    uint32_t low;           /* last written by the capture */
    uint32_t shown;         /* last written to the device */
    uint64_t address;
};

#define AGPU_PLAY_PAIRS 4u

struct agpu_play {
    const struct agpu_platform *platform;
    const struct agpu_pci_ref *function;
    unsigned aperture_bar;
    enum agpu_play_state state;
    char text[512]; /* the difference, or why replay is impossible or skipped the last case; else "" */
    char test[132]; /* id of the capture's case */
    struct agpu_judge_state judge;
    struct agpu_play_pair pairs[AGPU_PLAY_PAIRS];
    struct agpu_play_region regions[AGPU_PLAY_REGIONS];
    uint32_t region_count;
    /* Contents that are not yet in memory: they are complete when the device is shown it. */
    struct agpu_play_recorded recorded[AGPU_PLAY_RANGES];
    uint32_t recorded_count;
    struct agpu_play_posted posted[AGPU_PLAY_RANGES];
    uint32_t posted_count;
    /* Ranges to compare when memory is at rest. */
    struct agpu_play_range ranges[AGPU_PLAY_RANGES];
    uint32_t range_count;
    bool drawn, mixed, ranges_lost, enabled;
    bool cut;      /* in this case a table names memory beyond the capture's, and was cut */
    bool left_out; /* the rest of it is skipped: it differed after a cut, or cannot run here */
    uint32_t screen_pitch, screen_height, screen_on;
    uint64_t record, submission, fence, highest_fence;
    uint64_t submissions, cases, cases_left_out, compared_bytes, tolerated;
};

#endif
