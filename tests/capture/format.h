/* format.h: the layout of a capture: what passed between a driver and a device, submission by submission (README.md).
 * For the image, host programs and other readers of such files; little-endian, natural alignment, no pointers. */
#ifndef AGPU_CAPTURE_FORMAT_H
#define AGPU_CAPTURE_FORMAT_H

#include <stdint.h>

/* ---- the file: this header, blocks, the end block ---- */

#define AGPU_CAPTURE_MAGIC   UINT64_C(0x0050414355504741) /* "AGPUCAP", in memory order */
#define AGPU_CAPTURE_VERSION 0x00020002u /* major << 16 | minor; readers refuse another major */

struct agpu_capture_header {
    uint64_t magic;
    uint32_t version;
    uint32_t reserved;
};

#define AGPU_CAPTURE_BLOCK_MAGIC 0x4B4C4243u /* "CBLK" */
/* Maximum size of a block's records, unpacked. No record crosses a block. */
#define AGPU_CAPTURE_BLOCK_MAX (1u << 20)

enum agpu_capture_packing {
    AGPU_CAPTURE_STORED = 0,
    AGPU_CAPTURE_ZSTD = 1, /* one zstd frame */
    AGPU_CAPTURE_END = 2,  /* no bytes: the file is complete; records: number in the whole file */
};

struct agpu_capture_block {
    uint32_t magic;
    uint32_t packing;     /* enum agpu_capture_packing */
    uint64_t number;      /* number of the block, from 0 */
    uint32_t size;        /* size of its records, a multiple of 8 */
    uint32_t stored_size; /* bytes that follow this header; if STORED, equal to size */
    uint64_t records;     /* number of records */
    uint64_t sum;         /* agpu_capture_sum() of the unpacked records; END: of all earlier sums, in order */
};

/* ---- records ---- */

/* A record is this header, the structure of its type, and the data that the structure announces, padded with zeros to
 * 8. */
struct agpu_capture_record {
    uint32_t size;    /* including this header and the padding, a multiple of 8 */
    uint16_t type;    /* enum agpu_capture_type; readers skip unknown types */
    uint8_t spare;    /* bytes of padding, 0 to 7 */
    uint8_t function; /* number of its function; always 0 in files of version 2.0, which have one */
    uint64_t time_ns;
};

/* Maximum number of functions in one file. Records of a function, also of memory, apply to that function only. */
#define AGPU_CAPTURE_FUNCTIONS 8u

/* Maximum bytes of memory in one record. */
#define AGPU_CAPTURE_BYTES_MAX  (64u << 10)
#define AGPU_CAPTURE_RECORD_MAX ((uint32_t)sizeof(struct agpu_capture_record) + 256u + AGPU_CAPTURE_BYTES_MAX)

/* The contents of memory, unless MAP says otherwise, are known from MAP on: CONTENTS has what the driver changed
 * since the last record of it, CHANGED what the device changed. A reader that applies them has the exact memory at
 * every SUBMISSION. */
enum agpu_capture_type {
    AGPU_CAPTURE_DEVICE = 1, /* the view, and the function's configuration; text: the producer of the file */
    /* A case starts; text: its id. Replaying it needs nothing before it except DEVICE and the MAPs of memory that still
     * exists, which are repeated after it. */
    AGPU_CAPTURE_CASE,
    AGPU_CAPTURE_CASE_END,   /* text: its result */
    AGPU_CAPTURE_MAP,        /* the device may use this memory from here on */
    AGPU_CAPTURE_UNMAP,      /* and no longer */
    AGPU_CAPTURE_ACCESS,     /* the driver's access to the function */
    AGPU_CAPTURE_CONTENTS,   /* contents of memory for the device; bytes follow */
    AGPU_CAPTURE_CHANGED,    /* contents written by the device; bytes follow */
    AGPU_CAPTURE_SUBMISSION, /* posted, as at the doorbell; its descriptor follows */
    AGPU_CAPTURE_BACK,       /* progress was seen; after the CHANGED records that belong to it */
    AGPU_CAPTURE_REGISTERS,  /* read by the follower, not by the driver; pairs follow */
    AGPU_CAPTURE_LINE,       /* the interrupt line, or a message */
    AGPU_CAPTURE_LOST,       /* something is missing here; text: why */
    AGPU_CAPTURE_NOTE,       /* text */
    AGPU_CAPTURE_WAY,        /* how interrupts are delivered to the driver from here on */
};

enum agpu_capture_view {
    AGPU_CAPTURE_GUEST = 0, /* the device as the driver sees it */
    AGPU_CAPTURE_WIRE = 1,  /* the machine as the device sees it */
};

#define AGPU_CAPTURE_CONFIG_BYTES 64u

struct agpu_capture_device {
    uint32_t view;       /* enum agpu_capture_view */
    uint32_t generation; /* enum agpu_capture_generation */
    /* Read when the function is first used; command, status and BARs again after writes to configuration space. */
    uint8_t config[AGPU_CAPTURE_CONFIG_BYTES];
    /* text */
};

enum agpu_capture_generation {
    AGPU_CAPTURE_VERSIONED = 0,
    AGPU_CAPTURE_LEGACY = 1,
};

struct agpu_capture_case {
    uint32_t index;  /* CASE: number of earlier cases. CASE_END: number of its result (status.h) */
    uint32_t failed; /* CASE_END: 1 if it is worse than a skip */
    /* text */
};

enum agpu_capture_map_kind {
    AGPU_CAPTURE_ZEROED = 0,  /* initially all zero */
    AGPU_CAPTURE_UNKNOWN = 1, /* known only where CONTENTS has it */
    AGPU_CAPTURE_BAR = 2,     /* storage of the function itself, in the BAR */
};

struct agpu_capture_map { /* in UNMAP kind and bar are 0 */
    uint64_t address;     /* as the device uses it */
    uint64_t size;
    uint32_t kind; /* enum agpu_capture_map_kind */
    uint32_t bar;
};

#define AGPU_CAPTURE_CONFIG_SPACE 0xFFu

/* A write of an earlier case: a ring that stayed active for this case is recorded as the writes that set it up. */
#define AGPU_CAPTURE_EARLIER 1u

struct agpu_capture_access {
    uint8_t write;  /* 0 or 1 */
    uint8_t space;  /* number of the BAR, or AGPU_CAPTURE_CONFIG_SPACE */
    uint8_t size;   /* 1, 2, 4, 8 */
    uint8_t flags;  /* AGPU_CAPTURE_EARLIER */
    uint32_t count; /* number of equal accesses in a row; time: of the last */
    uint64_t offset;
    uint64_t value;
};

struct agpu_capture_bytes {
    uint64_t address; /* in guest memory */
    uint32_t size;    /* 1 to AGPU_CAPTURE_BYTES_MAX */
    uint32_t flags;   /* AGPU_CAPTURE_MIXED, AGPU_CAPTURE_AGAIN */
};

/* CONTENTS recorded while submissions were in flight: some of them may be the device's. */
#define AGPU_CAPTURE_MIXED 1u

/* The bytes are in this block already, before this record, and an agpu_capture_again with their place follows. Copied
 * data is recorded twice, as source and as destination. New in 2.2; older programs refuse the record. */
#define AGPU_CAPTURE_AGAIN 2u

struct agpu_capture_again {
    uint32_t at; /* offset from the block's first record */
    uint32_t reserved;
};

/* Minimum size for that. */
#define AGPU_CAPTURE_AGAIN_LEAST 512u

/* The parts of a submission that the follower could not read at the address in the descriptor. */
#define AGPU_CAPTURE_NO_STREAM 1u
#define AGPU_CAPTURE_NO_TABLE  2u
#define AGPU_CAPTURE_NO_MEMORY 4u /* of an allocation */

struct agpu_capture_submission {
    uint64_t number; /* from 1, in this file */
    uint64_t descriptor_address;
    uint64_t fence; /* members of the descriptor, in either generation */
    uint64_t cmd_address;
    uint64_t table_address;
    uint32_t cmd_bytes;
    uint32_t table_bytes;
    uint32_t flags;
    uint32_t context;
    uint32_t generation;       /* enum agpu_capture_generation */
    uint32_t slot;             /* ring index */
    uint32_t missing;          /* AGPU_CAPTURE_NO_* */
    uint32_t descriptor_bytes; /* bytes of descriptor that follow */
};

struct agpu_capture_back {
    uint64_t fence;    /* last completed one */
    uint64_t finished; /* number of the last submission known to be finished; 0: none */
    uint32_t head;     /* ring head */
    uint32_t pending;  /* submissions in flight; 0: memory is at rest */
};

struct agpu_capture_registers {
    uint32_t count;
    uint32_t reserved;
    /* struct agpu_capture_register each */
};

struct agpu_capture_register {
    uint32_t offset; /* in BAR0 */
    uint32_t value;
};

struct agpu_capture_line {
    uint32_t level;
    uint32_t source; /* 0: INTA#; n: a message with vector n - 1, level 1 */
};

/* Machine and device set it up in configuration space, each at its own places. */
enum agpu_capture_way_of {
    AGPU_CAPTURE_WAY_LINE = 0, /* or no interrupts */
    AGPU_CAPTURE_WAY_MSI = 1,
    AGPU_CAPTURE_WAY_MSIX = 2,
};

struct agpu_capture_way {
    uint32_t way; /* enum agpu_capture_way_of */
    uint32_t reserved;
};

struct agpu_capture_lost {
    uint64_t records; /* 0: not counted */
    uint64_t bytes;
    /* text */
};

/* ---- checksum ---- */

#define AGPU_CAPTURE_SUM_SEED UINT64_C(0xCBF29CE484222325)

/* Adds one 64-bit word to a sum. */
static inline uint64_t agpu_capture_sum_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 29;
}

/* Continues a sum with size bytes, a multiple of 8. Computes four sums in parallel, of every fourth word, because a
 * multiplication has a long latency; then the sum of these, then the rest. */
static inline uint64_t agpu_capture_sum(uint64_t sum, const void *bytes, uint64_t size)
{
    uint64_t lanes[4] = {sum, sum ^ 1, sum ^ 2, sum ^ 3}, i = 0;
    const uint8_t *at = bytes;

    for (; i + sizeof lanes <= size; i += sizeof lanes) {
        uint64_t words[4];

        __builtin_memcpy(words, at + i, sizeof words);
        lanes[0] = agpu_capture_sum_word(lanes[0], words[0]);
        lanes[1] = agpu_capture_sum_word(lanes[1], words[1]);
        lanes[2] = agpu_capture_sum_word(lanes[2], words[2]);
        lanes[3] = agpu_capture_sum_word(lanes[3], words[3]);
    }
    for (unsigned lane = 0; i != 0 && lane < 4; lane++) {
        sum = agpu_capture_sum_word(sum, lanes[lane]);
    }
    for (; i + 8 <= size; i += 8) {
        uint64_t word;

        __builtin_memcpy(&word, at + i, sizeof word);
        sum = agpu_capture_sum_word(sum, word);
    }
    return sum;
}

_Static_assert(sizeof(struct agpu_capture_header) == 16, "layout");
_Static_assert(sizeof(struct agpu_capture_block) == 40, "layout");
_Static_assert(sizeof(struct agpu_capture_record) == 16, "layout");
_Static_assert(sizeof(struct agpu_capture_device) == 72, "layout");
_Static_assert(sizeof(struct agpu_capture_case) == 8, "layout");
_Static_assert(sizeof(struct agpu_capture_map) == 24, "layout");
_Static_assert(sizeof(struct agpu_capture_access) == 24, "layout");
_Static_assert(sizeof(struct agpu_capture_bytes) == 16, "layout");
_Static_assert(sizeof(struct agpu_capture_again) == 8, "layout");
_Static_assert(sizeof(struct agpu_capture_submission) == 72, "layout");
_Static_assert(sizeof(struct agpu_capture_back) == 24, "layout");

#endif
