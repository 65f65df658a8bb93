/* file.h: writes a capture file on the host: the blocks of an encoder, packed with zstd (tests/capture/format.h). */
#ifndef AGPU_HOST_CAPTURE_FILE_H
#define AGPU_HOST_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/capture/encode.h"

struct agpu_capture_file;

/* Creates path, or empties it. NULL with the reason in message. */
struct agpu_capture_file *agpu_capture_file_create(const char *path, char *message, size_t message_size);

/* Where records go (agpu_capture_put()); the file's own. */
struct agpu_capture_encoder *agpu_capture_file_encoder(struct agpu_capture_file *file);

/* Writes what is left and, if complete, the end block, without which no reader takes the file for a whole one. False with the
 * reason in message when a write failed at any time. The file is closed in any case. NULL is allowed. */
bool agpu_capture_file_close(struct agpu_capture_file *file, bool complete, char *message,
                             size_t message_size);

#endif
