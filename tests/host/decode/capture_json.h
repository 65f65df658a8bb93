/* capture_json.h: prints a capture as JSON, for programs. */
#ifndef AGPU_HOST_DECODE_CAPTURE_JSON_H
#define AGPU_HOST_DECODE_CAPTURE_JSON_H

#include <jansson.h>

#include "tests/host/decode/capture_walk.h"
#include "tests/host/decode/write_json.h"

/* One object per line: {"record":NUMBER,"t_ns","type",...} with the members of its structure
 * (tests/capture/format.h), bytes as hexadecimal text. A submission is followed by {"allocation":{...}} for each entry
 * of its table, and by the objects of its stream as in write_json.h. The last line is {"end":{...}}. */
struct agpu_capture_json {
    FILE *out;
    struct agpu_json_writer stream; /* failed: the output is incomplete */
};

/* Returns an output that writes to out; writer must outlive it. */
struct agpu_capture_view_output agpu_capture_json_output(struct agpu_capture_json *writer, FILE *out);

/* The last object of a file, {"end":{"status","records","bytes","text"}}: without it, the output is incomplete. */
struct agpu_capture_json_end {
    const char *status; /* "whole"; "cut": valid, but incomplete; "wrong": contradicts itself; "unread" */
    struct agpu_capture_place place; /* how far the file was read */
    const char *text;                /* a sentence about it, or about the request */
};
void agpu_capture_json_finish(struct agpu_capture_json *writer, const struct agpu_capture_json_end *end);

/* Returns a 64-bit number that is not a count as text "0x...": many readers treat JSON numbers as doubles. New
 * reference. */
json_t *agpu_json_number64(uint64_t value);

#endif
