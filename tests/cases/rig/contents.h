/* contents.h: bytes that identify their origin, so that a check can report where a wrong byte comes from: the source,
 * the device's old contents, or guest memory. */
#ifndef AGPU_CASES_RIG_CONTENTS_H
#define AGPU_CASES_RIG_CONTENTS_H

#include "tests/cases/harness/check.h"

/* The origin, in the top two bits of each byte; the other bits depend on its place and on the seed. No byte is 0. */
enum agpu_origin {
    AGPU_FROM_SOURCE = 1, /* copied or uploaded data */
    AGPU_FROM_DEVICE = 2, /* old contents of the device's own copy of the destination */
    AGPU_FROM_GUEST = 3,  /* written by the CPU to guest memory without notifying the device */
};

void agpu_fill_origin(void *memory, size_t size, uint32_t seed, enum agpu_origin origin);
/* Returns the byte that such a fill writes at a place. */
uint8_t agpu_origin_at(size_t place, uint32_t seed, enum agpu_origin origin);

/* Compares. A failed check reports the offset of the first wrong byte, and if it looks like one of the origins, zero,
 * or the expected bytes of a nearby place. If the expected bytes have no origin themselves, it reports the offset
 * only. what is the caller's description. */
#define agpu_check_origins(t, actual, expected, size, what)                                                  \
    agpu_check_origins_at((t), (actual), (expected), (size), (what), AGPU_HERE)
bool agpu_check_origins_at(struct agpu_test *test, const void *actual, const void *expected, size_t size,
                           const char *what, struct agpu_where where);

#endif
