/* play_state.h: what is known of a capture while it is played (play.h). */
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
    AGPU_PLAY_IMPOSSIBLE, /* the capture contradicts itself, or asks for what this machine or device does not have */
};

/* Memory of the capture, and where it is here. */
struct agpu_play_region {
    uint64_t address, size; /* as the capture has them */
    uint64_t device_address;
    uint8_t *live, *expected;
    struct agpu_dma dma; /* of all but the aperture */
    bool aperture;
};

struct agpu_play_range {
    uint64_t address, size;
    uint32_t allocation;        /* 0: none */
    uint64_t first;             /* of the allocation */
    uint64_t submission, fence; /* that named it */
};

/* A piece of memory whose contents were told. */
struct agpu_play_told {
    uint64_t address, size;
};

/* A submission that was posted, and not yet shown: the addresses in it are moved in what the device sees. */
struct agpu_play_posted {
    uint64_t descriptor_address, table_address;
    uint32_t table_bytes;
};

/* A register pair that holds an address: as the capture has it. */
struct agpu_play_pair {
    uint32_t offset, needs; /* bytes of memory that the device may write there */
    bool staged;            /* the lower half counts when the upper one is written (device.md 4.8) */
    bool raw;               /* pieces of it were written: the device has what it made of them */
    uint32_t low;           /* as the capture wrote it last */
    uint32_t shown;         /* as the device was */
    uint64_t address;
};

#define AGPU_PLAY_PAIRS 4u

struct agpu_play {
    const struct agpu_platform *platform;
    const struct agpu_pci_ref *function;
    unsigned aperture_bar;
    enum agpu_play_state state;
    char text[512]; /* the difference, or why it is impossible, or why the last case was left out; "" else */
    char test[132]; /* id of the capture's case */
    struct agpu_judge_state judge;
    struct agpu_play_pair pairs[AGPU_PLAY_PAIRS];
    struct agpu_play_region regions[AGPU_PLAY_REGIONS];
    uint32_t region_count;
    /* Told, and not yet in memory: when the device is shown it, all of it is right. */
    struct agpu_play_told told[AGPU_PLAY_RANGES];
    uint32_t told_count;
    struct agpu_play_posted posted[AGPU_PLAY_RANGES];
    uint32_t posted_count;
    /* To be compared when memory is at rest. */
    struct agpu_play_range ranges[AGPU_PLAY_RANGES];
    uint32_t range_count;
    bool drawn, mixed, ranges_lost, enabled;
    bool cut;      /* in this case: a table names memory behind the capture's, and was cut */
    bool left_out; /* the rest of it is: it came out otherwise then, or asks for what this machine has not */
    uint32_t screen_pitch, screen_height, screen_on;
    uint64_t record, submission, fence, highest_fence;
    uint64_t submissions, cases, cases_left_out, compared_bytes, tolerated;
};

#endif
