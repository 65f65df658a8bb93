/* order.c: a shuffle that is the same everywhere. */
#include "tests/cases/harness/order.h"

/* xorshift64*; the seed is not 0. */
static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(0x2545F4914F6CDD1D);
}

void agpu_order_shuffle(const struct agpu_case **items, unsigned count, uint64_t seed)
{
    seed = seed * UINT64_C(0x9E3779B97F4A7C15) | 1; /* seeds that follow each other have nothing in common */
    for (unsigned i = count; i > 1; i--) {
        const unsigned j = (unsigned)(next_random(&seed) >> 33) % i;
        const struct agpu_case *item = items[i - 1];

        items[i - 1] = items[j];
        items[j] = item;
    }
}
