/* fuzz.h: the interface between a fuzz target and what drives it: libFuzzer, or the replay of its corpus. */
#ifndef AGPU_TESTS_FUZZ_FUZZ_H
#define AGPU_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Runs one input. Returns 0; a fault aborts the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
