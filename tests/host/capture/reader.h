/* reader.h: reads capture files from untrusted sources: every size is checked before use, and only well-formed
 * records are returned (tests/capture/format.h). */
#ifndef AGPU_HOST_CAPTURE_READER_H
#define AGPU_HOST_CAPTURE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/capture/records.h"

struct agpu_capture_reader;

/* Returns true when the bytes start like a capture, so that it is worth opening. */
bool agpu_capture_is_one(const void *bytes, size_t size);

/* Returns NULL with the reason in message: expected and found. The memory is not copied. */
struct agpu_capture_reader *agpu_capture_open(const char *path, char *message, size_t message_size);
/* Like agpu_capture_open(), for a stream. agpu_capture_close() closes it; this function does on failure. */
struct agpu_capture_reader *agpu_capture_open_stream(FILE *stream, char *message, size_t message_size);
struct agpu_capture_reader *agpu_capture_open_memory(const void *bytes, size_t size, char *message,
                                                     size_t message_size);
void agpu_capture_close(struct agpu_capture_reader *reader);

enum agpu_capture_next {
    AGPU_CAPTURE_NEXT_RECORD,
    AGPU_CAPTURE_NEXT_DONE, /* the end block: the file is complete */
    AGPU_CAPTURE_NEXT_CUT, /* the file ends without an end block: the records so far are valid, but not all */
    AGPU_CAPTURE_NEXT_WRONG, /* the file contradicts itself: agpu_capture_error() */
};

/* Returns only the records of this function; 0 by default, because the memory contents in a file are per function.
 * AGPU_CAPTURE_EVERY_FUNCTION returns all, for tools that process raw records. */
#define AGPU_CAPTURE_EVERY_FUNCTION UINT32_MAX
void agpu_capture_choose(struct agpu_capture_reader *reader, uint32_t function);
/* Returns only the cases that the globs select (tests/cases/choice/filter.h), each with the DEVICE record in front
 * of it. NULL, the default: all, including records outside of cases. filter must stay valid. */
void agpu_capture_choose_cases(struct agpu_capture_reader *reader, const char *filter);
const char *agpu_capture_cases_wanted(const struct agpu_capture_reader *reader);
/* Returns how many cases were returned since agpu_capture_choose_cases(). */
uint64_t agpu_capture_cases_met(const struct agpu_capture_reader *reader);
/* Returns one bit for each function with records so far, returned or not: at the end of all. */
uint32_t agpu_capture_functions_met(const struct agpu_capture_reader *reader);

/* Returns the next record of a known type. After any other result it returns the same result again. */
enum agpu_capture_next agpu_capture_next(struct agpu_capture_reader *reader, struct agpu_capture_item *item);

/* Position in the file, including skipped records. */
struct agpu_capture_place {
    uint64_t records, bytes;
};
struct agpu_capture_place agpu_capture_where(const struct agpu_capture_reader *reader);

/* Returns the error, or that the file is cut off, with the position. */
const char *agpu_capture_error(const struct agpu_capture_reader *reader);

#endif
