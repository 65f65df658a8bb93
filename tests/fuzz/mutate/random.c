/* random.c: the random numbers of a mutation. */
#include "tests/fuzz/mutate/grammar.h"

uint32_t fuzz_random_next(struct fuzz_random *random)
{
    /* splitmix64 */
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(z >> 32);
}

uint32_t fuzz_random_below(struct fuzz_random *random, uint32_t limit)
{
    return (uint32_t)((uint64_t)fuzz_random_next(random) * limit >> 32);
}
