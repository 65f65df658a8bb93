/* both.h: two captures of one run, the driver's view and the device's, submission beside submission: what arrived otherwise than
 * it was sent, and came back otherwise than it was done (tests/capture/README.md). Reads untrusted files. */
#ifndef AGPU_HOST_DECODE_BOTH_H
#define AGPU_HOST_DECODE_BOTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/decode/pair.h"

/* Differences of one pair that are told; the rest are counted. */
#define AGPU_BOTH_TOLD 8u

struct agpu_both_difference {
    const char
        *part; /* "descriptor", "stream", "table", "memory", "result", "fence", "registers", "accesses" */
    char text[300]; /* where, and what either has there */
};

struct agpu_both_pair {
    struct agpu_posted_view guest, device;
    uint64_t differences; /* all of them, those told first */
    struct agpu_both_difference told[AGPU_BOTH_TOLD];
};

struct agpu_both_counts {
    uint64_t guest, device; /* submissions in the files */
    uint64_t pairs, differing;
    uint64_t guest_only, device_only; /* in the guest's cases */
    uint64_t outside;                 /* of the device, before, between and behind the guest's cases */
    uint64_t mixed;                   /* pairs whose memory was not compared, since others were under way */
};

/* Told in the order of the guest's file. */
struct agpu_both_output {
    void *ctx;
    void (*test)(void *ctx, const char *id); /* a case begins */
    void (*pair)(void *ctx, const struct agpu_both_pair *pair);
    /* The device has so many submissions here, and the guest no case. */
    void (*outside)(void *ctx, uint64_t count, uint64_t first, uint64_t last);
    void (*remark)(void *ctx, const char *text); /* a view says that it is not all there */
};

/* function: number in the guest's file of the one that the device's file is of. test: globs of the cases that are told; NULL: all.
 * False with the reason in message when a file cannot be read, is not
 * complete, or is not the view that it should be: what was told is then not all. */
bool agpu_both(const char *guest_path, uint32_t function, const char *device_path, const char *test,
               const struct agpu_both_output *output, struct agpu_both_counts *counts, char *message,
               size_t message_size);

#endif
