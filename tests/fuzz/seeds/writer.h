/* writer.h: writes the scripts of the hand-written fuzz inputs, one record for each call. */
#ifndef AGPU_TESTS_FUZZ_SEEDS_WRITER_H
#define AGPU_TESTS_FUZZ_SEEDS_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "tests/fuzz/machine/script.h"

/* Sets the directory with one subdirectory of inputs for each target; created when missing. */
void seed_folder(const char *folder);

/* Starts the input target/name and closes the previous one. Errors end the program. */
void seed_begin(const char *target, const char *name);
void seed_end(void);

void seed_record(enum fuzz_op op, uint8_t argument, const void *operand, size_t size);

/* PACKET(CLEAR, clear, .flags = 1): the packet of an opcode (ring/protocol/aerogpu_cmd.h) with these fields.
 * PACKET_WITH appends bytes. */
#define PACKET(code, type, ...)                                                                              \
    do {                                                                                                     \
        const struct aerogpu_cmd_##type packet = {.hdr = {AEROGPU_CMD_##code, sizeof packet}, __VA_ARGS__};  \
        seed_record(FUZZ_OP_PACKET, 0, &packet, sizeof packet);                                              \
    } while (0)
#define PACKET_WITH(bytes, size, code, type, ...)                                                            \
    do {                                                                                                     \
        const struct aerogpu_cmd_##type packet = {.hdr = {AEROGPU_CMD_##code, sizeof packet}, __VA_ARGS__};  \
        seed_packet_with(&packet, sizeof packet, bytes, size);                                               \
    } while (0)
void seed_packet_with(const void *packet, size_t size, const void *extra, size_t extra_size);

/* Allocation id at offset of allocation memory. */
void seed_alloc(uint32_t id, uint32_t flags, uint32_t offset, uint32_t size);
/* SUBMIT without patches, or with one. */
void seed_submit(uint8_t flags);
void seed_submit_patched(uint8_t flags, enum fuzz_patch where, size_t offset, uint32_t value);
void seed_write(uint32_t offset, uint32_t value);
void seed_config(uint32_t offset, uint32_t size, uint32_t value);
void seed_time(uint32_t ns);
void seed_memory(uint32_t offset, const void *bytes, size_t size);
/* One change of guest memory, after skip callbacks of the device. */
void seed_alter(uint32_t offset, uint32_t value, uint16_t skip);
void seed_map(uint32_t page, uint32_t count, uint8_t mapping);

/* The inputs, by subject. */
void seeds_of_resources(void);
void seeds_of_draws(void);
void seeds_of_ring(void);
void seeds_of_access(void);
void seeds_of_legacy(void);

#endif
