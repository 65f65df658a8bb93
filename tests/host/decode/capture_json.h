/* capture_json.h: a capture as JSON, for programs. */
#ifndef AGPU_HOST_DECODE_CAPTURE_JSON_H
#define AGPU_HOST_DECODE_CAPTURE_JSON_H

#include <jansson.h>

#include "tests/host/decode/capture_walk.h"
#include "tests/host/decode/write_json.h"

/* One object a line: {"record":NUMBER,"t_ns","type",...} with the members of its structure (tests/capture/format.h), bytes as
 * hexadecimal text; below a submission {"allocation":{...}} for each entry of its table and the objects of its stream as
 * write_json.h has them; behind all of it {"end":{...}}. */
struct agpu_capture_json {
    FILE *out;
    struct agpu_json_writer stream; /* failed: what was written is not all */
};

/* Output that writes to out; writer must outlive it. */
struct agpu_capture_view_output agpu_capture_json_output(struct agpu_capture_json *writer, FILE *out);

/* The last object of a file, {"end":{"status","records","bytes","text"}}: without it, what was written is not all. */
struct agpu_capture_json_end {
    const char *status; /* "whole"; "cut": right, and not all; "wrong": contradicts itself; "unread" */
    struct agpu_capture_place place; /* how far the file was read */
    const char *text;                /* a sentence about it, or about what was asked of the file */
};
void agpu_capture_json_finish(struct agpu_capture_json *writer, const struct agpu_capture_json_end *end);

/* 64-bit numbers that are no counts, as text "0x...": JSON's are doubles to many readers. The caller's. */
json_t *agpu_json_number64(uint64_t value);

#endif
