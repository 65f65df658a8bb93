/* program.h: a program: a machine's accesses to a device, step by step, as plain data. Generated, captured or
 * reduced; runs on one device after the other (execute.h). Addresses are places in regions of guest memory, so that
 * a program works on every machine. */
#ifndef AGPU_CASES_RANDOM_PROGRAM_H
#define AGPU_CASES_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Guest memory of the machine. */
enum agpu_gen_region {
    AGPU_GEN_DATA, /* four regions for resources: DATA + 0 .. 3 */
    AGPU_GEN_RING = 4,
    AGPU_GEN_FENCE,
    AGPU_GEN_STREAMS,
    AGPU_GEN_TABLES,
    AGPU_GEN_REGIONS,
};

#define AGPU_GEN_DATA_COUNT    4u
#define AGPU_GEN_DATA_BYTES    0x100000u
#define AGPU_GEN_RING_BYTES    0x10000u
#define AGPU_GEN_FENCE_BYTES   0x2000u
#define AGPU_GEN_STREAMS_BYTES 0x80000u
#define AGPU_GEN_TABLES_BYTES  0x10000u
#define AGPU_GEN_STREAM_MAX    0x20000u /* limit for the packets of one submission, in bytes */

enum agpu_gen_op {
    AGPU_GEN_REGISTER_WRITE, /* size, offset, value */
    AGPU_GEN_REGISTER_READ,  /* size, offset: compared */
    /* register pair at offset := place (region, value), LO then HI; size 4: LO only, 1: HI only */
    AGPU_GEN_ADDRESS_WRITE,
    AGPU_GEN_CONFIG_WRITE,
    AGPU_GEN_CONFIG_READ,
    AGPU_GEN_APERTURE_WRITE, /* BAR1 */
    AGPU_GEN_APERTURE_READ,
    AGPU_GEN_MEMORY, /* bytes go to (region, offset) */
    AGPU_GEN_FILL,   /* value bytes from seed `fence` go to (region, offset) */
    /* writes header and registers: value entries, size + 64 stride, fence first index, offset in RING */
    AGPU_GEN_RING_SET,
    AGPU_GEN_SUBMIT, /* stream (size 8: even without packets), table, descriptor, tail */
    /* flags: value to write, 0 for 1; value: fence that must be complete when the device is idle, 0: none expected;
     * size AGPU_GEN_UNOBSERVED: nothing is observed before the next COMPARE */
    AGPU_GEN_DOORBELL,
    /* value: sixteenths of a vblank period of this device; size 1: without serving the device */
    AGPU_GEN_ADVANCE,
    /* resets the function, then does the firmware's steps; size 1: PCI Express function level reset */
    AGPU_GEN_RESET,
    /* value: requested state, D1 to D3hot, and back to D0; flags: meanwhile CURSOR_X := this */
    AGPU_GEN_POWER,
    AGPU_GEN_MESSAGES, /* value: interrupt delivery (board.h) */
    AGPU_GEN_COMPARE,  /* compares everything */
    /* the last `size` steps again, value times; each time their submissions have the next fences (plan.again) */
    AGPU_GEN_REPEAT,
    AGPU_GEN_OPS,
};

#define AGPU_GEN_UNOBSERVED 2u

/* Delivery of interrupts. */
enum agpu_gen_way {
    AGPU_GEN_WAY_LINE,
    AGPU_GEN_WAY_MSI,
    AGPU_GEN_WAY_MSIX,
    AGPU_GEN_WAY_MSIX_MASKED,   /* the first vector is masked */
    AGPU_GEN_WAY_MSIX_FUNCTION, /* the function mask bit is set */
    AGPU_GEN_WAYS,
};

/* An entry of a submission's allocation table. */
struct agpu_gen_entry {
    uint32_t id, flags;
    uint32_t region, offset;
    uint64_t size;
};

/* Damage of a submission: size bytes at offset of a structure, applied last. */
enum agpu_gen_where { AGPU_GEN_IN_DESC, AGPU_GEN_IN_STREAM, AGPU_GEN_IN_TABLE, AGPU_GEN_IN_RING };
struct agpu_gen_patch {
    uint8_t where, size;
    uint16_t offset;
    uint64_t value;
};

struct agpu_gen_step {
    uint8_t op;     /* enum agpu_gen_op */
    uint8_t size;   /* size of an access */
    uint8_t region; /* enum agpu_gen_region */
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
#define AGPU_GEN_PIECE_MOST   0x11000u
#define AGPU_GEN_MEMORY_LEAST 0x20000u

/* An array of steps, and the data that they refer to. */
struct agpu_gen_program {
    struct agpu_gen_step *steps;
    uint8_t *bytes;
    struct agpu_gen_entry *entries;
    struct agpu_gen_patch *patches;
    uint32_t step_count, step_room;
    uint32_t byte_count, byte_room;
    uint32_t entry_count, entry_room;
    uint32_t patch_count, patch_room;
    bool legacy; /* requires the retired device */
    /* Reallocates an array, and never fails; NULL: the rooms are fixed. */
    void *(*grow)(void *array, size_t bytes);
    /* Some step did not fit: the program ends before it. What is added from then on is lost. */
    bool full;
    struct agpu_gen_step spilled;
    uint8_t *spill; /* AGPU_GEN_PIECE_MOST bytes */
};

/* A program is empty when it is zeroed except for `grow`, or placed in memory of at least AGPU_GEN_MEMORY_LEAST bytes,
 * aligned to 8: returns false when there are fewer. */
bool agpu_gen_program_place(struct agpu_gen_program *program, void *memory, size_t size);
void agpu_gen_program_clear(struct agpu_gen_program *program);
void agpu_gen_program_copy(struct agpu_gen_program *to, const struct agpu_gen_program *from);

/* Append; the result is valid until the next append. */
struct agpu_gen_step *agpu_gen_step_add(struct agpu_gen_program *program, enum agpu_gen_op op);
struct agpu_gen_step *agpu_gen_step_last(struct agpu_gen_program *program);
/* Append to the last step: size bytes, zeroed; an entry; a patch. */
void *agpu_gen_bytes_add(struct agpu_gen_program *program, uint32_t size);
void agpu_gen_entry_add(struct agpu_gen_program *program, const struct agpu_gen_entry *entry);
void agpu_gen_patch_add(struct agpu_gen_program *program, const struct agpu_gen_patch *patch);
/* Appends a packet to the last step, a submission; zeroed except for its header. */
void *agpu_gen_packet_add(struct agpu_gen_program *program, uint32_t opcode, uint32_t size);

/* Returns the packet at *offset of a submission's bytes, and advances *offset; NULL at the end, or if the framing is
 * invalid. */
const uint32_t *agpu_gen_packet_next(const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                                     uint32_t *offset);

/* "SUBMIT", ... */
const char *agpu_gen_op_name(enum agpu_gen_op op);
const char *agpu_gen_region_name(uint32_t region);
const char *agpu_gen_way_name(enum agpu_gen_way way);
uint32_t agpu_gen_region_bytes(uint32_t region);

/* Fills memory with bytes that depend on their position and the seed, as the step FILL does. */
void agpu_gen_pattern(uint8_t *to, uint64_t size, uint64_t seed);

#endif
