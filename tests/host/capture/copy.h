/* copy.h: copies captures from one file to another: record by record, packed or in the form that the image reads. */
#ifndef AGPU_HOST_CAPTURE_COPY_H
#define AGPU_HOST_CAPTURE_COPY_H

#include "tests/capture/encode.h"
#include "tests/host/capture/reader.h"

/* Copies one record unchanged. Returns false when the encoder failed. */
bool agpu_capture_copy_record(struct agpu_capture_encoder *encoder, const struct agpu_capture_item *item);

/* Extracts the capture of one function, which becomes number 0, or those of its cases that the globs select (NULL:
 * all), into stored blocks, which the image can replay (tests/capture/blocks.h). Returns false with the reason in
 * message: the capture cannot be read, is incomplete, has no such case, or `to` cannot be written; `to` does not
 * exist then. */
bool agpu_capture_unpack(const char *from, uint32_t function, const char *cases, const char *to,
                         char *message, size_t message_size);

#endif
