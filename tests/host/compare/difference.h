/* difference.h: the first difference between two devices on a program, and the section of the specification that
 * covers it. */
#ifndef AGPU_HOST_COMPARE_DIFFERENCE_H
#define AGPU_HOST_COMPARE_DIFFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/worker.h"

struct agpu_cmp_difference {
    bool found;
    bool died[2]; /* a device crashed or hung; text says where */
    bool absurd;  /* device `of` requested absurd DMA (refusal.h); text describes it */
    uint32_t of;
    bool errors;   /* the first device reports an error for work that is valid */
    uint32_t step; /* the step that shows it */
    enum agpu_cmp_what what;
    uint64_t value[2];
    uint32_t region, offset, bytes; /* memory: the first differing byte, and how many */
    uint8_t first[2][16];           /* contents from there on */
    bool wrote[2];                  /* the device changed the memory in that step */
    uint32_t seen; /* other observations in that step, or after it: bits of enum agpu_cmp_what */
    uint64_t saw[2][AGPU_CMP_SAWS];
    char text[2][AGPU_CMP_TEXT];
};

/* Two devices, and what is compared between them. */
struct agpu_cmp_pair {
    struct agpu_cmp_side sides[2];
    struct agpu_gen_common common;
    uint32_t runs; /* programs run so far */
    /* Absurd DMA of each, in its own words, since the pair was created; "": none. After a finding has reported it,
     * it no longer counts as a difference. */
    char absurd[2][AGPU_CMP_TEXT];
    bool absurd_known[2];
};

/* Runs the program on a new device of each side. Finds the memory location only when located is set, which takes a
 * second run. */
void agpu_cmp_differ(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program, bool located,
                     struct agpu_cmp_difference *out);

/* Records what the program's last step shows on both, whether or not it differs. */
void agpu_cmp_see(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program,
                  struct agpu_cmp_difference *difference);
/* Reads one byte of memory on both, before a step. Returns false when one of them did not reach it. */
bool agpu_cmp_byte_before(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program, uint32_t step,
                          uint32_t region, uint32_t offset, uint8_t bytes[2]);

/* Returns the section of the specification that covers the difference at the end of a program. */
const char *agpu_cmp_section(const struct agpu_gen_program *program,
                             const struct agpu_cmp_difference *difference);
/* Writes one sentence: "COMPLETED_FENCE is 0x2 on A and 0x1 on B". */
void agpu_cmp_sentence(const struct agpu_gen_program *program, const struct agpu_cmp_difference *difference,
                       char text[AGPU_CMP_TEXT]);
/* Returns the name of a packet, "opcode 0x123" for an unknown one. */
const char *agpu_cmp_packet_name(uint32_t opcode);
const char *agpu_cmp_register_name(uint32_t offset, bool legacy);

#endif
