/* fuzz_stream.c: fuzz target of command streams: decoder and executor, with a valid ring and valid allocation
 * tables. */
#include "tests/fuzz/fuzz.h"

#include "tests/fuzz/machine/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct fuzz_target target = {
        .ops = 1u << FUZZ_OP_PACKET | 1u << FUZZ_OP_ALLOC | 1u << FUZZ_OP_SUBMIT | 1u << FUZZ_OP_MEMORY |
               1u << FUZZ_OP_WRITE | 1u << FUZZ_OP_TIME | 1u << FUZZ_OP_IDLE | 1u << FUZZ_OP_RESET |
               1u << FUZZ_OP_BRINGUP,
    };

    fuzz_run(&target, data, size);
    return 0;
}
