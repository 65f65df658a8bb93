/* timeline.h: when each submission of a run was posted, taken, done and seen: what the page draws (report_html.h). */
#ifndef AGPU_HOST_REPORT_TIMELINE_H
#define AGPU_HOST_REPORT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_TIMELINE_UNKNOWN INT64_MIN

/* One submission: nanoseconds of the guest's clock from the first one of its case, AGPU_TIMELINE_UNKNOWN where nothing tells. */
struct agpu_timeline_entry {
    uint64_t fence;
    uint32_t slot, stream_bytes;
    int64_t posted, seen; /* by the guest: its doorbell, and when it saw the end */
    int64_t taken, done;  /* by the device */
};

struct agpu_timeline_case {
    char id[132];
    size_t first, count; /* of the entries */
    size_t left_out;     /* behind them */
    /* The two clocks are laid over each other for each case so that nothing is taken before it is posted, and nothing seen before
     * it is done; that leaves so much play to either side. Negative: no such place exists, for twice as much. */
    int64_t play_ns;
};

struct agpu_timeline {
    struct agpu_timeline_entry *entries;
    size_t entry_count;
    struct agpu_timeline_case
        *cases; /* in the order of the run; those without submissions are not among them */
    size_t case_count;
    size_t cases_left_out;
    bool device; /* the device's view is there */
};

#endif
