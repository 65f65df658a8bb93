/* fuzz_access.c: fuzz target of BAR and configuration accesses: any order, any size, with time, resets and
 * service points between them, on a device in its power-on state. */
#include "tests/fuzz/fuzz.h"

#include "tests/fuzz/machine/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct fuzz_target target = {.ops = ~0u, .powered_on = true};

    fuzz_run(&target, data, size);
    return 0;
}
