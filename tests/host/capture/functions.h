/* functions.h: the functions and submissions of a capture that a command selects, and those in the file. */
#ifndef AGPU_HOST_CAPTURE_FUNCTIONS_H
#define AGPU_HOST_CAPTURE_FUNCTIONS_H

#include "tests/host/capture/reader.h"

/* Parses the value of --function: a number, 0 to AGPU_CAPTURE_FUNCTIONS - 1, or a location, "00:04.0", which is
 * stored in *name. Returns false with a message of the command. */
bool agpu_capture_function_read(const char *command, const char *text, uint32_t *function, const char **name);

/* Parses the number of a submission, the value of an option. Returns false with a message of the command. */
bool agpu_capture_submission_read(const char *command, const char *option, const char *text,
                                  uint64_t *number);

/* Finds the number of the named function in this file; does nothing for NULL. Returns false with a message of the
 * command. */
bool agpu_capture_function_find(const char *command, const char *path, const char *name, uint32_t *function);

/* Returns the next function in met after function. Returns AGPU_CAPTURE_FUNCTIONS when there is none, or when chosen
 * is not AGPU_CAPTURE_EVERY_FUNCTION. */
uint32_t agpu_capture_function_next(uint32_t chosen, uint32_t function, uint32_t met);

/* Opens the file and selects function; returns as agpu_capture_open(). */
struct agpu_capture_reader *agpu_capture_open_function(const char *path, uint32_t function, char *message,
                                                       size_t message_size);

/* Reads and checks the rest of a file whose contents are no longer needed. Returns false, with the reader's error,
 * when it has no end: it is cut off, or damaged further on. */
bool agpu_capture_ends(struct agpu_capture_reader *reader);

/* The player's position in a capture, for reports of a dead or hanging device. Zero-initialised. */
struct agpu_capture_progress {
    char test[sizeof(((struct agpu_capture_item *)NULL)->text)];
};
#define AGPU_CAPTURE_PROGRESS_TEXT 200
/* Call before playing the record. Returns true when the record starts something: text then gives the position, "in
 * case ring.submit.empty, at or after submission 5". */
bool agpu_capture_progress_take(struct agpu_capture_progress *progress, const struct agpu_capture_item *item,
                                char *text, size_t size);

/* At the end of a file: returns true when cases were selected, and the file has none of them. */
bool agpu_capture_lacks_cases(const struct agpu_capture_reader *reader, char *message, size_t message_size);

/* At the end of a file: returns true when it has no records of that function. message lists the functions that it
 * has. */
bool agpu_capture_lacks_function(const struct agpu_capture_reader *reader, uint32_t function, char *message,
                                 size_t message_size);

#endif
