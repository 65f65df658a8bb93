/* reassembly.h: reassembles records that were split over several packets (ncfrag), in bounded memory. */
#ifndef AGPU_HOST_WIRE_REASSEMBLY_H
#define AGPU_HOST_WIRE_REASSEMBLY_H

#include "tests/host/wire/netconsole.h"
#include "tests/host/wire/record.h"

#define AGPU_REASSEMBLY_SLOTS 8

struct agpu_reassembly_slot {
    bool used;
    uint64_t seq;
    uint64_t t_us;
    size_t total;
    size_t have;        /* bytes received */
    uint64_t touched;   /* order of last use: a new record replaces the least recently used slot */
    bool final_newline; /* the fragment that reaches the end had a newline */
    uint8_t seen[AGPU_RECEIVED_TEXT_MAX / 8];
    char text[AGPU_RECEIVED_TEXT_MAX];
};

/* One per source. Zero-initialised is empty. */
struct agpu_reassembly {
    struct agpu_reassembly_slot slots[AGPU_REASSEMBLY_SLOTS];
    uint64_t clock;
    uint64_t abandoned; /* records dropped incomplete */
};

enum agpu_reassembly_result {
    AGPU_REASSEMBLY_PENDING,  /* fragments are missing */
    AGPU_REASSEMBLY_COMPLETE, /* whole is the record; its text is valid until the next call */
    /* bytes differ from an earlier copy: both are dropped, and the record counts as lost */
    AGPU_REASSEMBLY_CONFLICT,
};

/* Adds one fragment. Duplicates and overlaps with equal bytes are harmless. */
enum agpu_reassembly_result agpu_reassembly_add(struct agpu_reassembly *reassembly,
                                                const struct agpu_packet *fragment,
                                                struct agpu_packet *whole);

#endif
