/* contents.h: bytes that tell where they come from, so that a check can say what a wrong byte is: the source's,
 * what the device held before, what guest memory held. */
#ifndef AGPU_CASES_RIG_CONTENTS_H
#define AGPU_CASES_RIG_CONTENTS_H

#include "tests/cases/harness/check.h"

/* In the top two bits of each byte; the others depend on its place and on the seed. No byte is 0. */
enum agpu_origin {
    AGPU_FROM_SOURCE = 1, /* what is copied or uploaded */
    AGPU_FROM_DEVICE = 2, /* what the device's own copy of the destination held before */
    AGPU_FROM_GUEST = 3,  /* what the CPU has put into guest memory without telling the device */
};

void agpu_fill_origin(void *memory, size_t size, uint32_t seed, enum agpu_origin origin);
/* The byte that such a fill puts at a place. */
uint8_t agpu_origin_at(size_t place, uint32_t seed, enum agpu_origin origin);

/* Compares; the failed check says what, the first wrong byte as an offset, and whether it looks like one of the
 * origins, zero, or the expected bytes of a place near by; only the offset when the expected bytes have no origin
 * themselves. what is text of the caller's. */
#define agpu_check_origins(t, actual, expected, size, what)                                                  \
    agpu_check_origins_at((t), (actual), (expected), (size), (what), AGPU_HERE)
bool agpu_check_origins_at(struct agpu_test *test, const void *actual, const void *expected, size_t size,
                           const char *what, struct agpu_where where);

#endif
