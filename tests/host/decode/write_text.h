/* write_text.h: a decoded stream as lines for a person. */
#ifndef AGPU_HOST_DECODE_WRITE_TEXT_H
#define AGPU_HOST_DECODE_WRITE_TEXT_H

#include <stdio.h>

#include "tests/host/decode/stream.h"

/* One line a packet, "offset NAME member=value ...", and one below it for each problem, beginning with "!". */
struct agpu_text_writer {
    FILE *out;
    bool inside; /* a packet, whose problems wait for its end */
    size_t length, problem_length;
    char line[8192];     /* a longer packet is cut, and says so */
    char problems[4096]; /* as many as fit */
};

/* Output that writes to writer->out; writer must outlive it. */
struct agpu_decode_output agpu_text_writer_output(struct agpu_text_writer *writer, FILE *out);

#endif
