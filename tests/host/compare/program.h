/* program.h: a program: a machine's accesses to a device, step by step, as plain data. Generated, captured or
 * reduced; runs on one device after the other (execute.h). Addresses are places in regions of guest memory, so that
 * a program works on every machine. */
#ifndef AGPU_HOST_COMPARE_PROGRAM_H
#define AGPU_HOST_COMPARE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Guest memory of the machine. */
enum agpu_cmp_region {
    AGPU_CMP_DATA, /* four regions for resources: DATA + 0 .. 3 */
    AGPU_CMP_RING = 4,
    AGPU_CMP_FENCE,
    AGPU_CMP_STREAMS,
    AGPU_CMP_TABLES,
    AGPU_CMP_REGIONS,
};

#define AGPU_CMP_DATA_COUNT    4u
#define AGPU_CMP_DATA_BYTES    0x100000u
#define AGPU_CMP_RING_BYTES    0x10000u
#define AGPU_CMP_FENCE_BYTES   0x2000u
#define AGPU_CMP_STREAMS_BYTES 0x80000u
#define AGPU_CMP_TABLES_BYTES  0x10000u
#define AGPU_CMP_STREAM_MAX    0x20000u /* limit for the packets of one submission, in bytes */

enum agpu_cmp_op {
    AGPU_CMP_REGISTER_WRITE, /* size, offset, value */
    AGPU_CMP_REGISTER_READ,  /* size, offset: compared */
    /* register pair at offset := place (region, value), LO then HI; size 4: LO only, 1: HI only */
    AGPU_CMP_ADDRESS_WRITE,
    AGPU_CMP_CONFIG_WRITE,
    AGPU_CMP_CONFIG_READ,
    AGPU_CMP_APERTURE_WRITE, /* BAR1 */
    AGPU_CMP_APERTURE_READ,
    AGPU_CMP_MEMORY, /* bytes go to (region, offset) */
    AGPU_CMP_FILL,   /* value bytes from seed `fence` go to (region, offset) */
    /* writes header and registers: value entries, size + 64 stride, fence first index, offset in RING */
    AGPU_CMP_RING_SET,
    AGPU_CMP_SUBMIT, /* stream (size 8: even without packets), table, descriptor, tail */
    /* flags: value to write, 0 for 1; value: fence that must be complete when the device is idle, 0: none expected */
    AGPU_CMP_DOORBELL,
    /* value: sixteenths of a vblank period of this device; size 1: without serving the device */
    AGPU_CMP_ADVANCE,
    /* resets the function, then does the firmware's steps; size 1: PCI Express function level reset */
    AGPU_CMP_RESET,
    /* value: requested state, D1 to D3hot, and back to D0; flags: meanwhile CURSOR_X := this */
    AGPU_CMP_POWER,
    AGPU_CMP_MESSAGES, /* value: interrupt delivery (board.h) */
    AGPU_CMP_LOOK,     /* compares everything */
    AGPU_CMP_OPS,
};

/* How interrupts are delivered. */
enum agpu_cmp_way {
    AGPU_CMP_WAY_LINE,
    AGPU_CMP_WAY_MSI,
    AGPU_CMP_WAY_MSIX,
    AGPU_CMP_WAY_MSIX_MASKED,   /* the first vector is masked */
    AGPU_CMP_WAY_MSIX_FUNCTION, /* the function mask bit is set */
    AGPU_CMP_WAYS,
};

/* An entry of a submission's allocation table. */
struct agpu_cmp_entry {
    uint32_t id, flags;
    uint32_t region, offset;
    uint64_t size;
};

/* Damage of a submission: size bytes at offset of a structure, applied last. */
enum agpu_cmp_where { AGPU_CMP_IN_DESC, AGPU_CMP_IN_STREAM, AGPU_CMP_IN_TABLE, AGPU_CMP_IN_RING };
struct agpu_cmp_patch {
    uint8_t where, size;
    uint16_t offset;
    uint64_t value;
};

struct agpu_cmp_step {
    uint8_t op;     /* enum agpu_cmp_op */
    uint8_t size;   /* size of an access */
    uint8_t region; /* enum agpu_cmp_region */
    bool invalid;   /* a submission that records an error, or may */
    uint32_t offset;
    uint64_t value;
    uint64_t fence; /* signal_fence */
    uint32_t flags; /* flags of the descriptor */
    uint32_t context;
    uint32_t bytes_at, bytes; /* packets, memory */
    uint32_t entries_at, entries;
    uint32_t patches_at, patches;
};

/* Limit for bytes that are added at once, unless the program grows. */
#define AGPU_CMP_PIECE_MOST   0x11000u
#define AGPU_CMP_MEMORY_LEAST 0x20000u

/* An array of steps, and the data that they refer to. */
struct agpu_cmp_program {
    struct agpu_cmp_step *steps;
    uint8_t *bytes;
    struct agpu_cmp_entry *entries;
    struct agpu_cmp_patch *patches;
    uint32_t step_count, step_room;
    uint32_t byte_count, byte_room;
    uint32_t entry_count, entry_room;
    uint32_t patch_count, patch_room;
    bool legacy; /* requires the retired device */
    /* Reallocates an array, and never fails; NULL: the rooms are fixed. */
    void *(*grow)(void *array, size_t bytes);
    /* Some step did not fit: the program ends before it. What is added from then on is lost. */
    bool full;
    struct agpu_cmp_step spilled;
    uint8_t *spill; /* AGPU_CMP_PIECE_MOST bytes */
};

/* A program is empty when it is zeroed except for `grow`, or placed in memory of at least AGPU_CMP_MEMORY_LEAST bytes,
 * aligned to 8: returns false when there are fewer. */
bool agpu_cmp_program_place(struct agpu_cmp_program *program, void *memory, size_t size);
void agpu_cmp_program_clear(struct agpu_cmp_program *program);
void agpu_cmp_program_copy(struct agpu_cmp_program *to, const struct agpu_cmp_program *from);

/* Append; the result is valid until the next append. */
struct agpu_cmp_step *agpu_cmp_step_add(struct agpu_cmp_program *program, enum agpu_cmp_op op);
struct agpu_cmp_step *agpu_cmp_step_last(struct agpu_cmp_program *program);
/* Append to the last step: size bytes, zeroed; an entry; a patch. */
void *agpu_cmp_bytes_add(struct agpu_cmp_program *program, uint32_t size);
void agpu_cmp_entry_add(struct agpu_cmp_program *program, const struct agpu_cmp_entry *entry);
void agpu_cmp_patch_add(struct agpu_cmp_program *program, const struct agpu_cmp_patch *patch);
/* Appends a packet to the last step, a submission; zeroed except for its header. */
void *agpu_cmp_packet_add(struct agpu_cmp_program *program, uint32_t opcode, uint32_t size);

/* Returns the packet at *offset of a submission's bytes, and advances *offset; NULL at the end, or if the framing is
 * invalid. */
const uint32_t *agpu_cmp_packet_next(const struct agpu_cmp_program *program, const struct agpu_cmp_step *step,
                                     uint32_t *offset);

/* "SUBMIT", ... */
const char *agpu_cmp_op_name(enum agpu_cmp_op op);
const char *agpu_cmp_region_name(uint32_t region);
uint32_t agpu_cmp_region_bytes(uint32_t region);

/* Fills memory with bytes that depend on their position and the seed, as the step FILL does. */
void agpu_cmp_fill(uint8_t *to, uint64_t size, uint64_t seed);

#endif
