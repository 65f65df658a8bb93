/* reader.h: reads capture files that anybody may have written: every size is checked before it is used, and no record is shown
 * that is not well formed (tests/capture/format.h). */
#ifndef AGPU_HOST_CAPTURE_READER_H
#define AGPU_HOST_CAPTURE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/capture/format.h"

struct agpu_capture_reader;

/* One record. Pointers are valid until the next call; the one of its type points at its structure, the others are NULL. What
 * the structure says of bytes that follow it is true. */
struct agpu_capture_item {
    enum agpu_capture_type type;
    uint64_t number; /* of the record in the file, from 1 */
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
    const struct agpu_capture_lost *lost;
    const uint8_t *tail; /* what follows the structure: bytes, descriptor, registers */
    uint32_t tail_size;
    char text[132]; /* of the types that have one, printable; "" else */
};

/* The file begins as a capture does: worth opening with the others. */
bool agpu_capture_is_one(const void *bytes, size_t size);

/* NULL with the reason in message: what was expected, what was found. The memory is not copied. */
struct agpu_capture_reader *agpu_capture_open(const char *path, char *message, size_t message_size);
struct agpu_capture_reader *agpu_capture_open_memory(const void *bytes, size_t size, char *message,
                                                     size_t message_size);
void agpu_capture_close(struct agpu_capture_reader *reader);

enum agpu_capture_next {
    AGPU_CAPTURE_NEXT_RECORD,
    AGPU_CAPTURE_NEXT_DONE,  /* the end block: that was all */
    AGPU_CAPTURE_NEXT_CUT,   /* the file ends without one: what was shown is right, and not all */
    AGPU_CAPTURE_NEXT_WRONG, /* the file contradicts itself: agpu_capture_error() */
};

/* The next record that this version knows. After anything but a record it answers the same again. */
enum agpu_capture_next agpu_capture_next(struct agpu_capture_reader *reader, struct agpu_capture_item *item);

/* What is wrong, or that the file is cut, with the place. */
const char *agpu_capture_error(const struct agpu_capture_reader *reader);

#endif
