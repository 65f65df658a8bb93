/* hole.c: searches downwards, past one range in each step. */
#include "efi/bare/hole.h"

uint64_t agpu_bare_find_hole(const struct agpu_bare_range *taken, unsigned count, uint64_t bytes,
                             uint64_t floor, uint64_t limit)
{
    while (bytes != 0 && limit >= bytes && limit - bytes >= floor) {
        const uint64_t at = (limit - bytes) & ~(bytes - 1);
        unsigned i = 0;

        while (i < count && (taken[i].start >= at + bytes || taken[i].start + taken[i].bytes <= at)) {
            i++;
        }
        if (i == count) {
            return at >= floor ? at : 0;
        }
        limit = taken[i].start;
    }
    return 0;
}
