/* records.h: the records of a block that anybody may have written, one by one: no size is used before it is checked (format.h).
 * Freestanding: the image plays captures. */
#ifndef AGPU_CAPTURE_RECORDS_H
#define AGPU_CAPTURE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/capture/format.h"

/* One record. Pointers are into the block; the one of its type points at its structure, the others are NULL. What
 * the structure says of bytes that follow it is true; those of a record that says AGAIN are where it says that they are. */
struct agpu_capture_item {
    enum agpu_capture_type type;
    uint64_t number;   /* of the record in the file, from 1 */
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
    const uint8_t *tail; /* what follows the structure: bytes, descriptor, registers */
    uint32_t tail_size;
    char text[132]; /* of the types that have one, printable; "" else */
};

/* Takes the record at this place of its block, whose records take size bytes. *record_size gets how many are its own, *known
 * whether this version knows its type; else item is unchanged. The number is the caller's. NULL, or what is wrong with it. */
const char *agpu_capture_parse(const uint8_t *block, uint32_t size, uint32_t at,
                               struct agpu_capture_item *item, uint32_t *record_size, bool *known);

#endif
