/* write_text.h: prints a decoded stream as lines for people. */
#ifndef AGPU_HOST_DECODE_WRITE_TEXT_H
#define AGPU_HOST_DECODE_WRITE_TEXT_H

#include <stdio.h>

#include "tests/host/decode/stream.h"

/* One line per packet, "offset NAME member=value ...", followed by one for each problem, starting with "!". */
struct agpu_text_writer {
    FILE *out;
    bool inside; /* in a packet; its problems are written after it */
    size_t length, problem_length;
    char line[8192];     /* a longer packet is truncated, and marked so */
    char problems[4096]; /* those that fit */
};

/* Returns an output that writes to writer->out; writer must outlive it. */
struct agpu_decode_output agpu_text_writer_output(struct agpu_text_writer *writer, FILE *out);

#endif
