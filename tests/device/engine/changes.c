/* changes.c: a short ordered list of changed byte ranges. */
#include "tests/device/engine/changes.h"

#include <string.h>

/* Ranges with at most this gap are joined: copying the gap costs less than another transfer. */
#define NEAR_BYTES 256u

/* Joins ranges i and i + 1 and the gap between them. */
static void join_ranges(struct vgpu_changes *changes, uint32_t i)
{
    struct vgpu_change *range = &changes->ranges[i];

    if (range[1].end > range->end) {
        range->end = range[1].end;
    }
    changes->count--;
    memmove(range + 1, range + 2, (changes->count - i - 1) * sizeof *range);
}

/* Joins the two closest ranges. */
static void join_closest(struct vgpu_changes *changes)
{
    uint32_t closest = 0;
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i + 1 < changes->count; i++) {
        const uint64_t gap = changes->ranges[i + 1].begin - changes->ranges[i].end;

        if (gap < least) {
            least = gap;
            closest = i;
        }
    }
    join_ranges(changes, closest);
}

void vgpu_changes_add(struct vgpu_changes *changes, uint64_t begin, uint64_t end)
{
    struct vgpu_change *ranges = changes->ranges;
    uint32_t at = 0;

    while (at < changes->count && ranges[at].begin < begin) {
        at++;
    }
    memmove(ranges + at + 1, ranges + at, (changes->count - at) * sizeof *ranges);
    ranges[at] = (struct vgpu_change){begin, end};
    changes->count++;
    at -= at > 0;
    while (at + 1 < changes->count && ranges[at].begin <= end + NEAR_BYTES) {
        if (ranges[at + 1].begin <= ranges[at].end + NEAR_BYTES) {
            join_ranges(changes, at);
        } else {
            at++;
        }
    }
    if (changes->count > VGPU_MAX_CHANGES) {
        join_closest(changes);
    }
}
