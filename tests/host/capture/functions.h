/* functions.h: which functions and submissions of a capture a command is asked for, and which there are. */
#ifndef AGPU_HOST_CAPTURE_FUNCTIONS_H
#define AGPU_HOST_CAPTURE_FUNCTIONS_H

#include "tests/host/capture/reader.h"

/* The value of --function: a number, 0 to AGPU_CAPTURE_FUNCTIONS - 1, or, *name then gets it, where the function is: "00:04.0". False
 * with a message of the command. */
bool agpu_capture_function_read(const char *command, const char *text, uint32_t *function, const char **name);

/* The value of an option that names a submission: its number. False with a message of the command. */
bool agpu_capture_submission_read(const char *command, const char *option, const char *text,
                                  uint64_t *number);

/* The number, in this file, of the function with that name; nothing to do with NULL. False with a message of the command. */
bool agpu_capture_function_find(const char *command, const char *path, const char *name, uint32_t *function);

/* With chosen AGPU_CAPTURE_EVERY_FUNCTION: the next behind function of those that were met, or AGPU_CAPTURE_FUNCTIONS when that was
 * the last; else that. */
uint32_t agpu_capture_function_next(uint32_t chosen, uint32_t function, uint32_t met);

/* Opens the file, shows function; as agpu_capture_open(). */
struct agpu_capture_reader *agpu_capture_open_function(const char *path, uint32_t function, char *message,
                                                       size_t message_size);

/* Reads what is left of a file, for whoever needs no more of it. False, with the reader's error, when it has no end: it is cut, or
 * damaged further on. */
bool agpu_capture_ends(struct agpu_capture_reader *reader);

/* Where in a capture its player is, for who finds the device dead or hanging. Zero at first. */
struct agpu_capture_progress {
    char test[sizeof(((struct agpu_capture_item *)NULL)->text)];
};
#define AGPU_CAPTURE_PROGRESS_TEXT 200
/* True when the record, which is to be played now, begins something: text then says where that is, "in case ring.submit.empty, at
 * or behind submission 5". */
bool agpu_capture_progress_take(struct agpu_capture_progress *progress, const struct agpu_capture_item *item,
                                char *text, size_t size);

/* At the end of a file: cases were chosen, and it has none of them. */
bool agpu_capture_lacks_cases(const struct agpu_capture_reader *reader, char *message, size_t message_size);

/* At the end of a file: it has nothing of that function. message says of which it has. */
bool agpu_capture_lacks_function(const struct agpu_capture_reader *reader, uint32_t function, char *message,
                                 size_t message_size);

#endif
