/* fuzz_ring.c: fuzz target of ring, descriptors and allocation tables: malformed ones, unmapped ones, and
 * guest memory that changes between two reads of the device. */
#include "tests/fuzz/fuzz.h"

#include "tests/fuzz/machine/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct fuzz_target target = {
        .ops = ~(1u << FUZZ_OP_BAR | 1u << FUZZ_OP_CONFIG | 1u << FUZZ_OP_DEVICE),
    };

    fuzz_run(&target, data, size);
    return 0;
}
