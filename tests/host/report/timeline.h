/* timeline.h: when each submission of a run was posted, fetched, completed and seen: the data of the page's timeline
 * (report_html.h). */
#ifndef AGPU_HOST_REPORT_TIMELINE_H
#define AGPU_HOST_REPORT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_TIMELINE_UNKNOWN INT64_MIN

/* One submission: nanoseconds of the guest's clock since the first one of its case, AGPU_TIMELINE_UNKNOWN where not
 * recorded. */
struct agpu_timeline_entry {
    uint64_t fence;
    uint32_t slot, stream_bytes;
    int64_t posted, seen; /* by the guest: its doorbell, and when it saw the completion */
    int64_t taken, done;  /* by the device */
};

struct agpu_timeline_case {
    char id[132];
    size_t first, count; /* range of the entries */
    size_t left_out;     /* entries after these that are not stored */
    /* For each case the two clocks are aligned so that nothing is fetched before it is posted, and nothing seen
     * before it is done; the alignment is uncertain by this much in either direction. Negative: no alignment
     * satisfies all entries; the violation is twice the amount. */
    int64_t play_ns;
};

struct agpu_timeline {
    struct agpu_timeline_entry *entries;
    size_t entry_count;
    struct agpu_timeline_case *cases; /* in the order of the run; without cases that have no submissions */
    size_t case_count;
    size_t cases_left_out;
    bool device; /* the device's times are present */
};

#endif
