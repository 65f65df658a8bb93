/* collector_private.h: the collector's state, shared by its record half (collector.c) and its clock half
 * (collector_clock.c). */
#ifndef AGPU_HOST_WIRE_COLLECTOR_PRIVATE_H
#define AGPU_HOST_WIRE_COLLECTOR_PRIVATE_H

#include "tests/host/wire/collector.h"

struct agpu_source_state {
    struct agpu_reassembly reassembly;
    struct agpu_line_stream lines;
    bool heard;        /* in this boot */
    uint64_t last_seq; /* highest in this boot */
    uint64_t first_us; /* host time of the first record in this boot */
};

struct agpu_collector {
    struct agpu_collector_config config;
    struct agpu_run run;
    struct agpu_collector_stats stats;
    struct agpu_gaps gaps;
    struct agpu_seq_map current;
    struct agpu_seq_map previous; /* of the boot before: its stragglers are not a restart */
    struct agpu_source_state sources[AGPU_SOURCE_COUNT];
    struct agpu_parsed_record record;
    uint64_t now_us;
    uint64_t last_record_us;
    size_t announced; /* cases before this one are announced */
    uint64_t exception_us;
    char exception[160];
    char exception_at[80];
};

/* Hands finished cases to the caller; all of them if everything is set, else those whose records are complete
 * or have been waited for. */
void agpu_collector_announce(struct agpu_collector *collector, uint64_t now_us, bool everything);

#endif
