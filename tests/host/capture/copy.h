/* copy.h: captures from one file into another: record by record, packed or as the image reads them. */
#ifndef AGPU_HOST_CAPTURE_COPY_H
#define AGPU_HOST_CAPTURE_COPY_H

#include "tests/capture/encode.h"
#include "tests/host/capture/reader.h"

/* One record as it is. False when the encoder failed. */
bool agpu_capture_copy_record(struct agpu_capture_encoder *encoder, const struct agpu_capture_item *item);

/* All that the capture has of the function, which is number 0 from then on, or the cases of it that the globs select (NULL: all),
 * with stored blocks, which the image plays (tests/capture/blocks.h). False with the reason in message: it cannot be read, is not
 * complete, has no such case, or `to` cannot be written; `to` is not there then. */
bool agpu_capture_unpack(const char *from, uint32_t function, const char *cases, const char *to,
                         char *message, size_t message_size);

#endif
