/* capture_text.h: a capture as lines for a person. */
#ifndef AGPU_HOST_DECODE_CAPTURE_TEXT_H
#define AGPU_HOST_DECODE_CAPTURE_TEXT_H

#include "tests/host/decode/capture_walk.h"
#include "tests/host/decode/write_text.h"

struct agpu_capture_text {
    FILE *out;
    bool legacy;
    /* Pieces of memory one behind the other are one line, written when something else comes. size 0: none. */
    struct {
        enum agpu_capture_type type;
        uint64_t address, size, time_ns;
        uint32_t flags, shown;
        uint8_t bytes[16];
    } memory;
    struct agpu_text_writer stream;
};

/* Output that writes to out: the time in microseconds, then the record; below a submission its table and its packets.
 * writer must outlive it. */
struct agpu_capture_view_output agpu_capture_text_output(struct agpu_capture_text *writer, FILE *out);

/* Writes the line that is held back, at the end of a capture. */
void agpu_capture_text_end(struct agpu_capture_text *writer);

#endif
