/* fuzz.h: the interface of a fuzz target to its driver: libFuzzer, or the replay of its corpus. */
#ifndef AGPU_TESTS_FUZZ_FUZZ_H
#define AGPU_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Runs one input. Returns 0; a defect aborts the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Optional; libFuzzer calls these. They change an input in place, or combine two, and return the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed);

#endif
