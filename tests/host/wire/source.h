/* source.h: the ways by which records of one machine come, and what is counted of them. */
#ifndef AGPU_HOST_WIRE_SOURCE_H
#define AGPU_HOST_WIRE_SOURCE_H

#include <stdint.h>

enum agpu_source {
    AGPU_SOURCE_UDP,      /* datagrams, any order, losses, copies */
    AGPU_SOURCE_DEBUGCON, /* a byte stream in order */
    AGPU_SOURCE_SERIAL,   /* likewise, with the firmware's console in between */
    AGPU_SOURCE_STREAM,   /* the lossless stream (README.md), whose connection showed its credentials */
    AGPU_SOURCE_COUNT
};

/* "udp" ... */
const char *agpu_source_name(enum agpu_source source);

struct agpu_source_stats {
    uint64_t received[AGPU_SOURCE_COUNT]; /* records parsed, copies included */
    uint64_t copies;                      /* second arrivals of a record */
    uint64_t filled;    /* records that UDP, once it had begun, lost and another source brought */
    uint64_t malformed; /* packets, and headers in streams, whose text is not a record */
    uint64_t unread;    /* of another version: kept as text (foreign.h) */
    uint64_t conflicts; /* copies that differ */
    uint64_t strangers; /* datagrams without the token or with another one */
    uint64_t forged;    /* datagrams with the token whose keyed hash is not right */
    uint64_t abandoned; /* fragmented records given up */
    uint64_t first_us[AGPU_SOURCE_COUNT]; /* host time of the first record of each source; 0 = none */
    uint64_t plan_us;
    uint64_t summary_us;
};

#endif
