/* random.h: pseudo-random numbers for generated work: the same for the same seed, on every machine. */
#ifndef AGPU_CASES_RANDOM_RANDOM_H
#define AGPU_CASES_RANDOM_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_gen_random {
    uint64_t state;
};

/* SplitMix64. */
static inline uint64_t agpu_gen_random_u64(struct agpu_gen_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Returns 0 to below - 1; below > 0. */
static inline uint32_t agpu_gen_random_below(struct agpu_gen_random *random, uint32_t below)
{
    return (uint32_t)((agpu_gen_random_u64(random) >> 32) * below >> 32);
}

/* Returns least to most. */
static inline uint32_t agpu_gen_random_between(struct agpu_gen_random *random, uint32_t least, uint32_t most)
{
    return least + agpu_gen_random_below(random, most - least + 1);
}

/* Returns true one time in n. */
static inline bool agpu_gen_random_one_in(struct agpu_gen_random *random, uint32_t n)
{
    return agpu_gen_random_below(random, n) == 0;
}

#endif
