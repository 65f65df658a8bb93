/* both.h: compares two captures of one run, the driver's view and the device's, submission by submission: what
 * arrived changed, and results that came back changed (tests/handbook/capture.md). Reads untrusted files. */
#ifndef AGPU_HOST_DECODE_BOTH_H
#define AGPU_HOST_DECODE_BOTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/decode/pair.h"

/* Limit of reported differences per pair; the rest are counted. */
#define AGPU_BOTH_SHOWN 8u

struct agpu_both_difference {
    const char
        *part; /* "descriptor", "stream", "table", "memory", "result", "fence", "registers", "accesses" */
    char text[300]; /* the location, and both contents */
};

struct agpu_both_pair {
    struct agpu_posted_view guest, device;
    uint64_t differences; /* total; the first ones are reported */
    struct agpu_both_difference shown[AGPU_BOTH_SHOWN];
};

struct agpu_both_counts {
    uint64_t guest, device; /* submissions in the files */
    uint64_t pairs, differing;
    uint64_t guest_only, device_only; /* without a partner, in the guest's cases */
    uint64_t outside;                 /* by the device, before, between and after the guest's cases */
    uint64_t mixed;                   /* pairs whose memory was not compared, since others were in progress */
};

/* Called in the order of the guest's file. */
struct agpu_both_output {
    void *ctx;
    void (*test)(void *ctx, const char *id); /* a case starts */
    void (*pair)(void *ctx, const struct agpu_both_pair *pair);
    /* The device has this many submissions outside of the guest's cases. */
    void (*outside)(void *ctx, uint64_t count, uint64_t first, uint64_t last);
    void (*remark)(void *ctx, const char *text); /* a view reports that it is incomplete */
};

/* function: number in the guest's file of the function that the device's file describes. test: globs of the cases to
 * report; NULL: all. Returns false with the reason in message when a file cannot be read, is incomplete, or has the
 * wrong view: the output is then incomplete. */
bool agpu_both(const char *guest_path, uint32_t function, const char *device_path, const char *test,
               const struct agpu_both_output *output, struct agpu_both_counts *counts, char *message,
               size_t message_size);

#endif
