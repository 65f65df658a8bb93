/* file.h: writes a capture file on the host: the blocks of an encoder, packed with zstd (tests/capture/format.h). */
#ifndef AGPU_HOST_CAPTURE_FILE_H
#define AGPU_HOST_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/capture/encode.h"

struct agpu_capture_file;

/* Creates path, or empties it. NULL with the reason in message. */
struct agpu_capture_file *agpu_capture_file_create(const char *path, char *message, size_t message_size);

/* Takes the header of a file or one block from an encoder elsewhere, whose ctx is the file; then the file's own encoder is
 * not used. False when it could not be written. */
bool agpu_capture_file_take(void *file, const void *bytes, size_t size);

/* Where records go (agpu_capture_put()); the file's own, started by the first call. */
struct agpu_capture_encoder *agpu_capture_file_encoder(struct agpu_capture_file *file);

/* Writes what the file's own encoder has left and, if complete, its end block, without which no reader takes the file for a whole
 * one; an encoder elsewhere was finished before. False with the reason in message when a write failed at any time. The file is closed in any case. NULL is allowed. */
bool agpu_capture_file_close(struct agpu_capture_file *file, bool complete, char *message,
                             size_t message_size);

#endif
