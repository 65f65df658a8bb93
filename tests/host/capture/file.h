/* file.h: writes a capture file on the host: the blocks of an encoder, compressed with zstd
 * (tests/capture/format.h). */
#ifndef AGPU_HOST_CAPTURE_FILE_H
#define AGPU_HOST_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/capture/encode.h"

struct agpu_capture_file;

/* Creates path, or truncates it. Returns NULL with the reason in message. */
struct agpu_capture_file *agpu_capture_file_create(const char *path, char *message, size_t message_size);

/* Takes the header of a file or one block from an external encoder, whose ctx is the file; the file's own encoder is
 * then unused. Returns false when it could not be written. */
bool agpu_capture_file_take(void *file, const void *bytes, size_t size);

/* Returns the file's own encoder, for agpu_capture_put(); the first call starts it. */
struct agpu_capture_encoder *agpu_capture_file_encoder(struct agpu_capture_file *file);

/* Writes what the file's own encoder still holds and, if complete, its end block, without which readers treat the
 * file as incomplete; an external encoder must have been finished before. Returns false with the reason in message
 * when any write failed. Always closes the file. NULL is allowed. */
bool agpu_capture_file_close(struct agpu_capture_file *file, bool complete, char *message,
                             size_t message_size);

#endif
