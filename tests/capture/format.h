/* format.h: the layout of a capture: what passed between a driver and a device, submission by submission (README.md). Used
 * by the image, by host programs and by whoever reads such files; little-endian, natural alignment, no pointers. */
#ifndef AGPU_CAPTURE_FORMAT_H
#define AGPU_CAPTURE_FORMAT_H

#include <stdint.h>

/* ---- the file: this header, blocks, the end block ---- */

#define AGPU_CAPTURE_MAGIC   UINT64_C(0x0050414355504741) /* "AGPUCAP", in memory order */
#define AGPU_CAPTURE_VERSION 0x00020002u                  /* major << 16 | minor; another major is not read */

struct agpu_capture_header {
    uint64_t magic;
    uint32_t version;
    uint32_t reserved;
};

#define AGPU_CAPTURE_BLOCK_MAGIC 0x4B4C4243u /* "CBLK" */
/* Bytes of a block's records, unpacked. No record crosses a block. */
#define AGPU_CAPTURE_BLOCK_MAX (1u << 20)

enum agpu_capture_packing {
    AGPU_CAPTURE_STORED = 0,
    AGPU_CAPTURE_ZSTD = 1, /* one zstd frame */
    AGPU_CAPTURE_END = 2,  /* no bytes: the file is complete; records: of the whole file */
};

struct agpu_capture_block {
    uint32_t magic;
    uint32_t packing;     /* enum agpu_capture_packing */
    uint64_t number;      /* of the block, from 0 */
    uint32_t size;        /* of its records, a multiple of 8 */
    uint32_t stored_size; /* of the bytes that follow this header; those of STORED are size */
    uint64_t records;     /* how many */
    uint64_t sum;         /* agpu_capture_sum() of the unpacked records; END: of all sums before, in order */
};

/* ---- records ---- */

/* A record is this header, the structure of its type, and what is said there to follow, filled up with zeros to 8. */
struct agpu_capture_record {
    uint32_t size;    /* with this header and the filling, a multiple of 8 */
    uint16_t type;    /* enum agpu_capture_type; a reader passes over types that it does not know */
    uint8_t spare;    /* bytes of the filling, 0 to 7 */
    uint8_t function; /* number of the function that it is of: 0 in files of version 2.0, which know one */
    uint64_t time_ns;
};

/* Functions of one file. What is told of each, memory too, is told of it alone. */
#define AGPU_CAPTURE_FUNCTIONS 8u

/* Bytes of memory that one record holds at most. */
#define AGPU_CAPTURE_BYTES_MAX  (64u << 10)
#define AGPU_CAPTURE_RECORD_MAX ((uint32_t)sizeof(struct agpu_capture_record) + 256u + AGPU_CAPTURE_BYTES_MAX)

/* Memory, unless MAP says otherwise, is known from MAP on: CONTENTS say what the driver changed since it was told last, CHANGED
 * what the device changed. So a reader that follows them has memory as it was at every SUBMISSION, exactly. */
enum agpu_capture_type {
    AGPU_CAPTURE_DEVICE = 1, /* the view, and the function's configuration; text: who wrote the file */
    AGPU_CAPTURE_CASE, /* a case starts; text: its id. Nothing before it is needed to replay what follows, but DEVICE
                              * and the MAPs of memory that is still there, which are repeated behind it */
    AGPU_CAPTURE_CASE_END,   /* text: its result */
    AGPU_CAPTURE_MAP,        /* from here on the device may use this memory */
    AGPU_CAPTURE_UNMAP,      /* and no longer */
    AGPU_CAPTURE_ACCESS,     /* the driver's access to the function */
    AGPU_CAPTURE_CONTENTS,   /* what the device finds in memory; bytes follow */
    AGPU_CAPTURE_CHANGED,    /* what the device left in memory; bytes follow */
    AGPU_CAPTURE_SUBMISSION, /* posted, as the doorbell finds it; its descriptor follows */
    AGPU_CAPTURE_BACK,       /* progress was seen; CHANGED of what came with it stand before */
    AGPU_CAPTURE_REGISTERS,  /* read by the follower, not by the driver; pairs follow */
    AGPU_CAPTURE_LINE,       /* the interrupt line, or a message */
    AGPU_CAPTURE_LOST,       /* here something is missing; text: why */
    AGPU_CAPTURE_NOTE,       /* text */
    AGPU_CAPTURE_WAY,        /* how the driver takes interrupts from here on */
};

enum agpu_capture_view {
    AGPU_CAPTURE_GUEST = 0, /* as the driver sees the device */
    AGPU_CAPTURE_WIRE = 1,  /* as the device sees the machine */
};

#define AGPU_CAPTURE_CONFIG_BYTES 64u

struct agpu_capture_device {
    uint32_t view;       /* enum agpu_capture_view */
    uint32_t generation; /* enum agpu_capture_generation */
    /* Read when the function is met; command, status and BARs again where somebody has written to configuration space. */
    uint8_t config[AGPU_CAPTURE_CONFIG_BYTES];
    /* text */
};

enum agpu_capture_generation {
    AGPU_CAPTURE_VERSIONED = 0,
    AGPU_CAPTURE_LEGACY = 1,
};

struct agpu_capture_case {
    uint32_t
        index; /* CASE: number of cases before it. CASE_END: number of its result, as in status.h of the harness */
    uint32_t failed; /* CASE_END: 1 when it is worse than a skip */
    /* text */
};

enum agpu_capture_map_kind {
    AGPU_CAPTURE_ZEROED = 0,  /* all zero at first */
    AGPU_CAPTURE_UNKNOWN = 1, /* known as far as CONTENTS said */
    AGPU_CAPTURE_BAR = 2,     /* of the function itself, behind the BAR */
};

struct agpu_capture_map { /* UNMAP: kind and bar are 0 */
    uint64_t address;     /* as the device names it */
    uint64_t size;
    uint32_t kind; /* enum agpu_capture_map_kind */
    uint32_t bar;
};

#define AGPU_CAPTURE_CONFIG_SPACE 0xFFu

/* A write that an earlier case made: what this one finds, a ring that stayed up, is told again as writes that lead there. */
#define AGPU_CAPTURE_EARLIER 1u

struct agpu_capture_access {
    uint8_t write;  /* 0, or 1 */
    uint8_t space;  /* number of the BAR, or AGPU_CAPTURE_CONFIG_SPACE */
    uint8_t size;   /* 1, 2, 4, 8 */
    uint8_t flags;  /* AGPU_CAPTURE_EARLIER */
    uint32_t count; /* so many in a row, of one value; time: of the last */
    uint64_t offset;
    uint64_t value;
};

struct agpu_capture_bytes {
    uint64_t address; /* in guest memory */
    uint32_t size;    /* 1 to AGPU_CAPTURE_BYTES_MAX */
    uint32_t flags;   /* AGPU_CAPTURE_MIXED, AGPU_CAPTURE_AGAIN */
};

/* CONTENTS that were told while submissions were under way: some of them may be the device's doing. */
#define AGPU_CAPTURE_MIXED 1u

/* The bytes stand in this block already, before this record, and what follows is where: an agpu_capture_again. What a device copies
 * is told twice, before and behind. Files before 2.2 have none; programs before that refuse the record. */
#define AGPU_CAPTURE_AGAIN 2u

struct agpu_capture_again {
    uint32_t at; /* from the block's first record on */
    uint32_t reserved;
};

/* Fewer bytes are not worth it. */
#define AGPU_CAPTURE_AGAIN_LEAST 512u

/* What of a submission the follower could not read where the descriptor says that it is. */
#define AGPU_CAPTURE_NO_STREAM 1u
#define AGPU_CAPTURE_NO_TABLE  2u
#define AGPU_CAPTURE_NO_MEMORY 4u /* of an allocation */

struct agpu_capture_submission {
    uint64_t number; /* from 1, of this file */
    uint64_t descriptor_address;
    uint64_t fence; /* the members of the descriptor, whatever its generation */
    uint64_t cmd_address;
    uint64_t table_address;
    uint32_t cmd_bytes;
    uint32_t table_bytes;
    uint32_t flags;
    uint32_t context;
    uint32_t generation;       /* enum agpu_capture_generation */
    uint32_t slot;             /* ring index */
    uint32_t missing;          /* AGPU_CAPTURE_NO_* */
    uint32_t descriptor_bytes; /* that follow */
};

struct agpu_capture_back {
    uint64_t fence;    /* completed, as last seen */
    uint64_t finished; /* number of the last submission that is known to be finished; 0: none */
    uint32_t head;     /* of the ring */
    uint32_t pending;  /* submissions still under way: with 0 memory is at rest */
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
    uint32_t source; /* 0: INTA#; n: a message by vector n - 1, level 1 */
};

/* Machine and device agree on it by configuration space, each machine and device in its own place. */
enum agpu_capture_way_of {
    AGPU_CAPTURE_WAY_LINE = 0, /* or not at all */
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

/* One more 64-bit word. */
static inline uint64_t agpu_capture_sum_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return sum ^ sum >> 29;
}

/* Sum of size bytes, a multiple of 8, from sum on. Four sums side by side, of every fourth word, since a processor has one
 * multiplication long under way; then the sum of these, then what is left. */
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
