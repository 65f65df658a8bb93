/* capture_json.h: a capture as JSON, for programs. */
#ifndef AGPU_HOST_DECODE_CAPTURE_JSON_H
#define AGPU_HOST_DECODE_CAPTURE_JSON_H

#include <jansson.h>

#include "tests/host/decode/capture_walk.h"
#include "tests/host/decode/write_json.h"

/* One object a line: {"record":NUMBER,"t_ns","type",...} with the members of its structure (tests/capture/format.h), bytes as
 * hexadecimal text; below a submission {"allocation":{...}} for each entry of its table and the objects of its stream as
 * write_json.h has them. */
struct agpu_capture_json {
    FILE *out;
    struct agpu_json_writer stream; /* failed: what was written is not all */
};

/* Output that writes to out; writer must outlive it. */
struct agpu_capture_view_output agpu_capture_json_output(struct agpu_capture_json *writer, FILE *out);

/* 64-bit numbers that are no counts, as text "0x...": JSON's are doubles to many readers. The caller's. */
json_t *agpu_json_number64(uint64_t value);

#endif
