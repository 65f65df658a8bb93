/* difference.h: the first thing in which two devices differ on a program, and what the specification says there. */
#ifndef AGPU_HOST_COMPARE_DIFFERENCE_H
#define AGPU_HOST_COMPARE_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/worker.h"

struct agpu_cmp_difference {
    bool found;
    bool died[2]; /* a device crashed or hung; text says where */
    bool absurd;  /* device `of` asked for absurd DMA (refusal.h); text says what */
    uint32_t of;
    bool errors;   /* the first device reports an error for work that is valid */
    uint32_t step; /* where it shows */
    enum agpu_cmp_what what;
    uint64_t value[2];
    uint32_t region, offset, bytes; /* memory: the first that differs, and how many */
    uint8_t first[2][16];           /* from there on */
    bool wrote[2];                  /* in that step, memory that was something else before */
    uint32_t seen; /* what else was noted in that step, or behind it: bits of enum agpu_cmp_what */
    uint64_t saw[2][AGPU_CMP_SAWS];
    char text[2][AGPU_CMP_TEXT];
};

/* Two devices, and what is compared. */
struct agpu_cmp_pair {
    struct agpu_cmp_side sides[2];
    struct agpu_cmp_common common;
    uint32_t runs; /* of programs so far */
    /* Absurd DMA of each, in its words, since the pair was made; "": none. Once a finding says it, it is known, and no
     * difference any more. */
    char absurd[2][AGPU_CMP_TEXT];
    bool absurd_known[2];
};

/* Runs the program on a new device of each side. Memory is only looked up when located is set, which takes a second run. */
void agpu_cmp_differ(struct agpu_cmp_pair *pair, const struct agpu_cmp_program *program, bool located,
                     struct agpu_cmp_difference *out);

/* Notes what the program's last step shows of both, whether or not it differs. */
void agpu_cmp_see(struct agpu_cmp_pair *pair, const struct agpu_cmp_program *program,
                  struct agpu_cmp_difference *difference);
/* One byte of memory on both, before a step. False: one of them did not get there. */
bool agpu_cmp_byte_before(struct agpu_cmp_pair *pair, const struct agpu_cmp_program *program, uint32_t step,
                          uint32_t region, uint32_t offset, uint8_t bytes[2]);

/* The section that decides about the difference that a program ends with. */
const char *agpu_cmp_section(const struct agpu_cmp_program *program,
                             const struct agpu_cmp_difference *difference);
/* One sentence: "COMPLETED_FENCE is 0x2 on A and 0x1 on B". */
void agpu_cmp_sentence(const struct agpu_cmp_program *program, const struct agpu_cmp_difference *difference,
                       char text[AGPU_CMP_TEXT]);
/* Name of a packet, "opcode 0x123" for none. */
const char *agpu_cmp_packet_name(uint32_t opcode);
const char *agpu_cmp_register_name(uint32_t offset, bool legacy);

#endif
