/* record_json.h: converts a record to one JSON object and back: the line format of results.jsonl. */
#ifndef AGPU_HOST_REPORT_RECORD_JSON_H
#define AGPU_HOST_REPORT_RECORD_JSON_H

#include <jansson.h>

#include "tests/host/wire/collector.h"

/* Room for the line of any parsed record: each byte of its text becomes at most six. */
#define AGPU_RECORD_LINE_MAX (6 * AGPU_RECEIVED_TEXT_MAX + 1024)

/* Writes {"seq","t_us","type","id", keys of the record..., "boot" if not 0, "via","host_us"} and a newline, in
 * ASCII; host_us counts from epoch_us. Returns its length, without a NUL; 0 when it does not fit or memory is
 * exhausted. */
size_t agpu_record_line(const struct agpu_received *received, uint64_t epoch_us,
                        char line[AGPU_RECORD_LINE_MAX]);

/* Decimal text of a record's numbers. */
struct agpu_record_scratch {
    char numbers[AGPU_RECEIVED_FIELDS_MAX][24];
};

/* Converts object back to a record; *out and its texts live as long as object and scratch. Returns NULL on success,
 * else the error. */
const char *agpu_record_from_json(const json_t *object, struct agpu_received *received,
                                  struct agpu_parsed_record *out, struct agpu_record_scratch *scratch);

#endif
