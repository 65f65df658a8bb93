/* fuzz.h: the interface between a fuzz target and what drives it: libFuzzer, or the replay of its corpus. */
#ifndef AGPU_TESTS_FUZZ_FUZZ_H
#define AGPU_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Runs one input. Returns 0; a fault aborts the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Optional, called by libFuzzer: changes an input in place, or makes one of two. Both return the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed);

#endif
