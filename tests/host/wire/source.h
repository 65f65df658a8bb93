/* source.h: the sources from which the records of one machine arrive, and their counters. */
#ifndef AGPU_HOST_WIRE_SOURCE_H
#define AGPU_HOST_WIRE_SOURCE_H

#include <stdint.h>

enum agpu_source {
    AGPU_SOURCE_UDP,      /* datagrams: any order, losses, copies */
    AGPU_SOURCE_DEBUGCON, /* a byte stream in order */
    AGPU_SOURCE_SERIAL,   /* likewise, mixed with the firmware's console */
    AGPU_SOURCE_STREAM,   /* the lossless stream, authenticated for the whole connection */
    AGPU_SOURCE_COUNT
};

/* "udp" ... */
const char *agpu_source_name(enum agpu_source source);

struct agpu_source_stats {
    uint64_t received[AGPU_SOURCE_COUNT]; /* records parsed, copies included */
    uint64_t copies;                      /* second arrivals of a record */
    uint64_t filled;    /* records that UDP lost after its first record, and another source delivered */
    uint64_t malformed; /* packets, and headers in streams, whose text is not a record */
    uint64_t unread;    /* records of another version: stored as text (foreign.h) */
    uint64_t conflicts; /* copies that differ */
    uint64_t strangers; /* datagrams without the token or with a different one */
    uint64_t forged;    /* datagrams with the token but a wrong keyed hash */
    uint64_t abandoned; /* fragmented records dropped incomplete */
    uint64_t first_us[AGPU_SOURCE_COUNT]; /* host time of the first record of each source; 0 = none */
    uint64_t plan_us;
    uint64_t summary_us;
};

#endif
