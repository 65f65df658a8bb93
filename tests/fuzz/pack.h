/* pack.h: many small fuzz inputs in one file: each a little-endian 32-bit length and that many bytes. */
#ifndef AGPU_TESTS_FUZZ_PACK_H
#define AGPU_TESTS_FUZZ_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define AGPU_FUZZ_MAX_INPUT (1u << 20)

/* Next input of a pack, to be freed. 1; 0 at the end of the file; -1 when the file is not a pack. */
int agpu_pack_next(FILE *pack, uint8_t **bytes, size_t *size);

/* Appends an input; false when it cannot be written. */
bool agpu_pack_add(FILE *pack, const uint8_t *bytes, size_t size);

/* A whole file, to be freed, exactly as large as its contents so that a read beyond is noticed; NULL with
 * errno when it cannot be read or is larger than AGPU_FUZZ_MAX_INPUT. */
uint8_t *agpu_input_read(const char *path, size_t *size);

#endif
