/* capture_text.h: prints a capture as lines for people. */
#ifndef AGPU_HOST_DECODE_CAPTURE_TEXT_H
#define AGPU_HOST_DECODE_CAPTURE_TEXT_H

#include "tests/host/decode/capture_walk.h"
#include "tests/host/decode/write_text.h"

struct agpu_capture_text {
    FILE *out;
    bool legacy;
    /* Contiguous pieces of memory are merged into one line, which is written when another record follows. size 0:
     * none. */
    struct {
        enum agpu_capture_type type;
        uint64_t address, size, time_ns;
        uint32_t flags, shown;
        uint8_t bytes[16];
    } memory;
    struct agpu_text_writer stream;
};

/* Returns an output that writes to out: the time in microseconds, then the record; after a submission its table and
 * its packets. writer must outlive it. */
struct agpu_capture_view_output agpu_capture_text_output(struct agpu_capture_text *writer, FILE *out);

/* Writes the pending line, at the end of a capture. */
void agpu_capture_text_end(struct agpu_capture_text *writer);

#endif
