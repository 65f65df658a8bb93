/* reader.h: reads capture files that anybody may have written: every size is checked before it is used, and no record is shown
 * that is not well formed (tests/capture/format.h). */
#ifndef AGPU_HOST_CAPTURE_READER_H
#define AGPU_HOST_CAPTURE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/capture/records.h"

struct agpu_capture_reader;

/* The file begins as a capture does: worth opening with the others. */
bool agpu_capture_is_one(const void *bytes, size_t size);

/* NULL with the reason in message: what was expected, what was found. The memory is not copied. */
struct agpu_capture_reader *agpu_capture_open(const char *path, char *message, size_t message_size);
/* The same of what comes through a stream, which the reader closes in the end, and here when there is none. */
struct agpu_capture_reader *agpu_capture_open_stream(FILE *stream, char *message, size_t message_size);
struct agpu_capture_reader *agpu_capture_open_memory(const void *bytes, size_t size, char *message,
                                                     size_t message_size);
void agpu_capture_close(struct agpu_capture_reader *reader);

enum agpu_capture_next {
    AGPU_CAPTURE_NEXT_RECORD,
    AGPU_CAPTURE_NEXT_DONE,  /* the end block: that was all */
    AGPU_CAPTURE_NEXT_CUT,   /* the file ends without one: what was shown is right, and not all */
    AGPU_CAPTURE_NEXT_WRONG, /* the file contradicts itself: agpu_capture_error() */
};

/* Shows the records of this function only, which is 0 where nobody has chosen: what a file tells of memory, it tells of each
 * function on its own. For those who take records as they are: all. */
#define AGPU_CAPTURE_EVERY_FUNCTION UINT32_MAX
void agpu_capture_choose(struct agpu_capture_reader *reader, uint32_t function);
/* Shows of the cases only those that the globs select (tests/cases/choice/filter.h), each with the DEVICE before it; NULL, which is
 * so at first: all, and what stands outside of cases. filter must stay. */
void agpu_capture_choose_cases(struct agpu_capture_reader *reader, const char *filter);
const char *agpu_capture_cases_wanted(const struct agpu_capture_reader *reader);
/* How many cases were shown so far, since they were chosen. */
uint64_t agpu_capture_cases_met(const struct agpu_capture_reader *reader);
/* A bit for each function of which records were met so far, shown or not: at the end, of all. */
uint32_t agpu_capture_functions_met(const struct agpu_capture_reader *reader);

/* The next record that this version knows. After anything but a record it answers the same again. */
enum agpu_capture_next agpu_capture_next(struct agpu_capture_reader *reader, struct agpu_capture_item *item);

/* How far the file was read, shown or not. */
struct agpu_capture_place {
    uint64_t records, bytes;
};
struct agpu_capture_place agpu_capture_where(const struct agpu_capture_reader *reader);

/* What is wrong, or that the file is cut, with the place. */
const char *agpu_capture_error(const struct agpu_capture_reader *reader);

#endif
