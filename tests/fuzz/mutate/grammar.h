/* grammar.h: makes up records that mean something: packets of every opcode with plausible fields,
 * allocations, register accesses, races. */
#ifndef AGPU_TESTS_FUZZ_MUTATE_GRAMMAR_H
#define AGPU_TESTS_FUZZ_MUTATE_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Random numbers of one mutation. */
struct fuzz_random {
    uint64_t state;
};
uint32_t fuzz_random_next(struct fuzz_random *random);
/* 0 .. limit - 1; limit > 0. */
uint32_t fuzz_random_below(struct fuzz_random *random, uint32_t limit);

/* Longest operand that is made up. */
#define FUZZ_MADE_BYTES 512u

/* Operand of a PACKET record with any opcode; returns its length. out has FUZZ_MADE_BYTES. */
size_t fuzz_make_packet(struct fuzz_random *random, uint8_t *out);

/* Chooses another value for one field of a packet; leaves one of an unknown opcode alone. */
void fuzz_tweak_packet(struct fuzz_random *random, uint8_t *packet, size_t size);

/* Argument and operand of a record with this operation; returns the operand's length. */
size_t fuzz_make_record(struct fuzz_random *random, uint8_t op, uint8_t *argument, uint8_t *out);

#endif
