/* fuzz_legacy.c: fuzz target of the retired device: registers, ring entries and submission descriptors
 * (legacy.md 2 to 4), in memory that changes. */
#include "tests/fuzz/fuzz.h"

#include "tests/fuzz/machine/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct fuzz_target target = {
        .ops = ~(1u << FUZZ_OP_PACKET | 1u << FUZZ_OP_ALLOC), .powered_on = true, .legacy = true};

    fuzz_run(&target, data, size);
    return 0;
}
