/* order.c: a shuffle that gives the same order on every machine. */
#include "tests/cases/harness/order.h"

/* xorshift64*; the seed is not 0. */
static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(0x2545F4914F6CDD1D);
}

static void swap(const struct agpu_case **items, unsigned i, unsigned j)
{
    const struct agpu_case *item = items[i];

    items[i] = items[j];
    items[j] = item;
}

void agpu_order_shuffle(const struct agpu_case **items, unsigned count, uint64_t seed)
{
    for (unsigned i = 0; seed == AGPU_ORDER_REVERSED && i < count / 2; i++) {
        swap(items, i, count - 1 - i);
    }
    if (seed == AGPU_ORDER_REVERSED) {
        return;
    }
    seed = seed * UINT64_C(0x9E3779B97F4A7C15) | 1; /* makes consecutive seeds independent */
    for (unsigned i = count; i > 1; i--) {
        swap(items, i - 1, (unsigned)(next_random(&seed) >> 33) % i);
    }
}
