/* write_json.h: prints a decoded stream as JSON, for programs. */
#ifndef AGPU_HOST_DECODE_WRITE_JSON_H
#define AGPU_HOST_DECODE_WRITE_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/decode/stream.h"

/* One object per line: {"stream":{"offset","size","version"}},
 * {"offset","packet","opcode","size","members":[{"name","value", "element","is"}],"payload_bytes","problems":[...]},
 * and {"problem":{...}} for one outside of packets. */
struct agpu_json_writer {
    FILE *out;
    void *packet;  /* json_t of the current packet, NULL outside */
    void *members; /* borrowed from it */
    void *problems;
    bool failed; /* memory was exhausted: the output is incomplete */
};

/* Returns an output that writes to writer->out; writer must outlive it. */
struct agpu_decode_output agpu_json_writer_output(struct agpu_json_writer *writer, FILE *out);

#endif
