/* pack.h: many small fuzz inputs in one file, each as a little-endian 32-bit length and its bytes. */
#ifndef AGPU_TESTS_FUZZ_PACK_H
#define AGPU_TESTS_FUZZ_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AGPU_FUZZ_MAX_INPUT (1u << 20)

/* Reads the next input of a pack into *bytes, which the caller frees. Returns 1; 0 at the end of the file; -1
 * when the file is not a pack. */
int agpu_pack_next(FILE *pack, uint8_t **bytes, size_t *size);

/* Appends an input. Returns false when it cannot be written. */
bool agpu_pack_add(FILE *pack, const uint8_t *bytes, size_t size);

/* Reads a whole file; the caller frees the result, which is exactly as large as its contents, so that a read
 * past the end is detected. Returns NULL with errno when the file cannot be read or is larger than
 * AGPU_FUZZ_MAX_INPUT. */
uint8_t *agpu_input_read(const char *path, size_t *size);

#endif
