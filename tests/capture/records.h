/* records.h: reads the records of an untrusted block one by one; checks each size before it is used (format.h).
 * Freestanding: the image replays captures. */
#ifndef AGPU_CAPTURE_RECORDS_H
#define AGPU_CAPTURE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/capture/format.h"

/* One record. Pointers are into the block; the one for its type points to its structure, the others are NULL. The
 * sizes of following bytes in the structure are valid; bytes of a record with AGAIN are at the place that it names. */
struct agpu_capture_item {
    enum agpu_capture_type type;
    uint64_t number;   /* number in the file, from 1 */
    uint32_t function; /* below AGPU_CAPTURE_FUNCTIONS */
    uint64_t time_ns;
    const struct agpu_capture_device *device;
    const struct agpu_capture_case *test; /* CASE, CASE_END */
    const struct agpu_capture_map *map;   /* MAP, UNMAP */
    const struct agpu_capture_access *access;
    const struct agpu_capture_bytes *bytes; /* CONTENTS, CHANGED */
    const struct agpu_capture_submission *submission;
    const struct agpu_capture_back *back;
    const struct agpu_capture_registers *registers;
    const struct agpu_capture_line *line;
    const struct agpu_capture_way *way;
    const struct agpu_capture_lost *lost;
    const uint8_t *tail; /* data after the structure: bytes, descriptor, registers */
    uint32_t tail_size;
    char text[132]; /* for types that have one, printable; else "" */
};

/* Parses the record at this place of its block, whose records are size bytes. *record_size gets its size, *known:
 * this version knows its type; if not, item is unchanged. The caller sets the number. Returns NULL, or what is wrong
 * with it. */
const char *agpu_capture_parse(const uint8_t *block, uint32_t size, uint32_t at,
                               struct agpu_capture_item *item, uint32_t *record_size, bool *known);

#endif
