/* grammar.h: makes up records that mean something: packets of every opcode with plausible fields,
 * allocations, register accesses, races. Packets (grammar.c) and registers (registers.c) are those of the
 * versioned device; the retired one has its own (../legacy/registers.c). */
#ifndef AGPU_TESTS_FUZZ_MUTATE_GRAMMAR_H
#define AGPU_TESTS_FUZZ_MUTATE_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Handles of a script that packets made up for it may use. */
#define FUZZ_HANDLES 64u

/* What one mutation draws from: random numbers, and the handles that the script creates. */
struct fuzz_random {
    uint64_t state;
    uint32_t handles[FUZZ_HANDLES];
    uint32_t handle_count;
};
uint32_t fuzz_random_next(struct fuzz_random *random);
/* 0 .. limit - 1; limit > 0. */
uint32_t fuzz_random_below(struct fuzz_random *random, uint32_t limit);
/* One element of an array. */
#define FUZZ_CHOOSE(random, list) (list)[fuzz_random_below(random, sizeof(list) / sizeof(list)[0])]

/* An operation, by how often each is wanted. */
uint8_t fuzz_any_op(struct fuzz_random *random);
/* Offset of a register, and a value that means something there. */
uint32_t fuzz_any_register(struct fuzz_random *random);
uint64_t fuzz_register_value(struct fuzz_random *random, uint32_t offset);
/* Address inside guest memory: the ring, the fence page, somewhere in an allocation. */
uint64_t fuzz_any_gpa(struct fuzz_random *random);

/* Longest operand that is made up. */
#define FUZZ_MADE_BYTES 8192u

/* Operand of a PACKET record with any opcode; returns its length. out has FUZZ_MADE_BYTES. */
size_t fuzz_make_packet(struct fuzz_random *random, uint8_t *out);

/* Operand that creates a shader from one of tests/shaders, some with a few words changed and the checksum
 * made right again; 0 when the one that was chosen is of no use. tweak changes the shader of such a
 * packet. */
size_t fuzz_make_shader(struct fuzz_random *random, uint32_t handle, uint8_t *out);
void fuzz_tweak_shader(struct fuzz_random *random, uint8_t *packet, size_t size);

/* Notes the handle that a packet creates. */
void fuzz_note_handle(struct fuzz_random *random, const uint8_t *packet, size_t size);

/* Chooses another value for one field of a packet; leaves one of an unknown opcode alone. */
void fuzz_tweak_packet(struct fuzz_random *random, uint8_t *bytes, size_t size);

/* Argument and operand of a record with this operation; returns the operand's length. */
size_t fuzz_make_record(struct fuzz_random *random, uint8_t op, uint8_t *argument, uint8_t *out);

#endif
