/* script.h: the language of the device's fuzz inputs: a sequence of records, each an action of a guest.
 *
 * A record is an operation byte, an argument byte, a little-endian 16-bit length and that many bytes. Every
 * byte string is a script: lengths are cut at the end, missing operands are 0, operations that a target does
 * not support are skipped. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_SCRIPT_H
#define AGPU_TESTS_FUZZ_MACHINE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fuzz_op {
    FUZZ_OP_PACKET,  /* append the operand to the stream; size_bytes is corrected unless ARG_VERBATIM */
    FUZZ_OP_ALLOC,   /* {u32 id, u32 flags, u32 offset, u32 size}: table entry, stays until replaced;
                      * ARG_VERBATIM: {u32 id, u32 flags, u64 gpa, u64 size}; ARG_AGAIN: though the id exists */
    FUZZ_OP_SUBMIT,  /* post stream and table; argument FUZZ_SUBMIT_*, operand {u8 minor, patches...} */
    FUZZ_OP_MEMORY,  /* {u32 offset, bytes}: the guest writes memory */
    FUZZ_OP_WRITE,   /* {u16 offset, u64 value}: BAR0, size by argument */
    FUZZ_OP_READ,    /* {u16 offset} */
    FUZZ_OP_BAR,     /* {u8 bar, u8 size, u64 offset, u64 value}: any access; argument bit 0: read */
    FUZZ_OP_CONFIG,  /* {u16 offset, u8 size, u32 value}; argument bit 0: read */
    FUZZ_OP_TIME,    /* {u32}: nanoseconds << (argument % 32) */
    FUZZ_OP_SERVICE, /* argument + 1 service points, whether or not the device needs them */
    FUZZ_OP_IDLE,    /* service points until the device needs none */
    FUZZ_OP_RESET,   /* function reset */
    FUZZ_OP_ALTER,   /* {u32 offset, u32 value, u16 skip}...: memory changes while the device reads */
    FUZZ_OP_MAP,     /* {u32 page, u32 count}: argument enum fuzz_mapping; 3 = a split at page */
    FUZZ_OP_DEVICE,  /* unplug the device and plug in a new one */
    FUZZ_OP_BRINGUP, /* create the harness's ring and fence page again, program the registers, enable the ring */
    FUZZ_OPS
};

#define FUZZ_ARG_VERBATIM 0x01u
#define FUZZ_ARG_AGAIN    0x02u

#define FUZZ_SUBMIT_PRESENT     0x01u /* descriptor flag */
#define FUZZ_SUBMIT_NO_IRQ      0x02u
#define FUZZ_SUBMIT_NO_DOORBELL 0x04u
#define FUZZ_SUBMIT_NO_SERVICE  0x08u
#define FUZZ_SUBMIT_NO_TABLE    0x10u
#define FUZZ_SUBMIT_NO_STREAM   0x20u
#define FUZZ_SUBMIT_SAME_FENCE  0x40u /* the fence of the previous submission */
#define FUZZ_SUBMIT_NO_FENCE    0x80u

/* Patches of SUBMIT: {u8 where, u8 offset, u32 value}, to make structures malformed. */
enum fuzz_patch {
    FUZZ_PATCH_DESC,
    FUZZ_PATCH_STREAM,
    FUZZ_PATCH_TABLE,
    FUZZ_PATCH_ENTRY, /* last one of the table */
    FUZZ_PATCH_RING,
    FUZZ_PATCHES
};
#define FUZZ_PATCH_BYTES 6u

#define FUZZ_RECORD_HEADER 4u

struct fuzz_record {
    uint8_t op, argument;
    uint16_t length;
    const uint8_t *bytes;
};

/* Reads the record at *at, which moves past it. Returns false at the end. */
bool fuzz_record_next(const uint8_t *data, size_t size, size_t *at, struct fuzz_record *record);

/* A fuzz target: its operations, and the state before the first one. */
struct fuzz_target {
    uint32_t ops;    /* bit per enum fuzz_op */
    bool powered_on; /* start with a device after power-on: nothing programmed */
    bool legacy;     /* the retired device */
};

/* Runs one script on a device in its power-on state, makes all checks, and restores the state of the
 * device. */
void fuzz_run(const struct fuzz_target *target, const uint8_t *data, size_t size);

#endif
