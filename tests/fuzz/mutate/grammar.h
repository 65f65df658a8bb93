/* grammar.h: generates meaningful records: packets of every opcode with plausible fields, allocations,
 * register accesses, races. Packets (grammar.c) and registers (registers.c) are those of the versioned device;
 * the retired one has its own (../legacy/registers.c). */
#ifndef AGPU_TESTS_FUZZ_MUTATE_GRAMMAR_H
#define AGPU_TESTS_FUZZ_MUTATE_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of a script's handles that generated packets may use. */
#define FUZZ_HANDLES 64u

/* Sources of one mutation: random numbers, and the handles that the script creates. */
struct fuzz_random {
    uint64_t state;
    uint32_t handles[FUZZ_HANDLES];
    uint32_t handle_count;
};
uint32_t fuzz_random_next(struct fuzz_random *random);
/* Returns 0 .. limit - 1; limit > 0. */
uint32_t fuzz_random_below(struct fuzz_random *random, uint32_t limit);
/* Selects one element of an array. */
#define FUZZ_CHOOSE(random, list) (list)[fuzz_random_below(random, sizeof(list) / sizeof(list)[0])]

/* Selects an operation, weighted by its usefulness. */
uint8_t fuzz_any_op(struct fuzz_random *random);
/* Selects the offset of a register, or a meaningful value for it. */
uint32_t fuzz_any_register(struct fuzz_random *random);
uint64_t fuzz_register_value(struct fuzz_random *random, uint32_t offset);
/* Selects an address in guest memory: the ring, the fence page, or inside an allocation. */
uint64_t fuzz_any_gpa(struct fuzz_random *random);

/* Maximum size of a generated operand. */
#define FUZZ_MADE_BYTES 8192u

/* Generates the operand of a PACKET record with any opcode; returns its length. out has FUZZ_MADE_BYTES. */
size_t fuzz_make_packet(struct fuzz_random *random, uint8_t *out);

/* make: generates an operand that creates a shader of tests/shaders, sometimes with a few changed words and
 * a valid checksum; returns 0 when the chosen shader is unsuitable. tweak: changes the shader in such a
 * packet. */
size_t fuzz_make_shader(struct fuzz_random *random, uint32_t handle, uint8_t *out);
void fuzz_tweak_shader(struct fuzz_random *random, uint8_t *packet, size_t size);

/* Records the handle that a packet creates. */
void fuzz_note_handle(struct fuzz_random *random, const uint8_t *packet, size_t size);

/* Changes one field of a packet; a packet of an unknown opcode is unchanged. */
void fuzz_tweak_packet(struct fuzz_random *random, uint8_t *bytes, size_t size);

/* Generates argument and operand of a record with this operation; returns the operand's length. */
size_t fuzz_make_record(struct fuzz_random *random, uint8_t op, uint8_t *argument, uint8_t *out);

#endif
