/* random.h: a source of choices for generated work: pseudo-random numbers of a seed, the same on every machine, or the
 * bytes of an input, such as a fuzzer's. */
#ifndef AGPU_CASES_RANDOM_RANDOM_H
#define AGPU_CASES_RANDOM_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agpu_gen_random {
    uint64_t state;
    const uint8_t *input; /* NULL, or exhausted: numbers */
    size_t left;
};

/* SplitMix64. */
static inline uint64_t agpu_gen_random_number(struct agpu_gen_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static inline uint64_t agpu_gen_random_take(struct agpu_gen_random *random, size_t bytes)
{
    uint64_t value = 0;

    if (bytes > random->left) {
        random->left = 0;
        return agpu_gen_random_number(random);
    }
    for (size_t i = 0; i < bytes; i++) {
        value |= (uint64_t)random->input[i] << i * 8;
    }
    random->input += bytes;
    random->left -= bytes;
    return value;
}

static inline uint64_t agpu_gen_random_u64(struct agpu_gen_random *random)
{
    return random->input == NULL ? agpu_gen_random_number(random) : agpu_gen_random_take(random, 8);
}

/* Returns 0 to below - 1; below > 0. An input gives as many bytes as the choice needs. */
static inline uint32_t agpu_gen_random_below(struct agpu_gen_random *random, uint32_t below)
{
    if (random->input != NULL) {
        return (uint32_t)(agpu_gen_random_take(random, below <= 0x100     ? 1
                                                       : below <= 0x10000 ? 2
                                                                          : 4) %
                          below);
    }
    return (uint32_t)((agpu_gen_random_number(random) >> 32) * below >> 32);
}

/* True when there was an input, and all of it has been used. */
static inline bool agpu_gen_random_is_over(const struct agpu_gen_random *random)
{
    return random->input != NULL && random->left == 0;
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
