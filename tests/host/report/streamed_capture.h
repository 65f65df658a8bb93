/* streamed_capture.h: stores the capture that an image sends piece by piece over the lossless stream
 * (tests/handbook/stream.md 1) as capture.agpucap in the result folder; each further one, for example of another
 * boot, as capture-1.agpucap, capture-2.agpucap. */
#ifndef AGPU_HOST_REPORT_STREAMED_CAPTURE_H
#define AGPU_HOST_REPORT_STREAMED_CAPTURE_H

#include "tests/host/wire/record.h"

#define AGPU_STREAMED_CAPTURE_MAX (UINT64_C(4) << 30) /* bytes of all captures of one run */
#define AGPU_STREAMED_CAPTURES    64u                 /* number in one run */

/* Zero-initialised, with folder set: none. */
struct agpu_streamed_capture {
    int folder;        /* the result folder */
    char name[32];     /* name of the last file, even if there was no room for it; "": none arrived */
    unsigned count;    /* files that exist */
    uint64_t next;     /* size of the last file */
    uint64_t bytes;    /* total size */
    bool complete;     /* the last file is complete, to its end and without holes */
    const char *wrong; /* why nothing more is added to the last file; NULL: it is still growing */
};

/* Returns true when the record announces a piece of a capture. */
bool agpu_streamed_capture_announced(const struct agpu_parsed_record *record);

/* Appends a piece, which record announces. A piece that does not directly follow the previous one is dropped, and
 * all later ones: readers of captures stop at a hole. refused: why there is no room for it; NULL: there is. Returns
 * NULL, or the error, once for each file. */
const char *agpu_streamed_capture_put(struct agpu_streamed_capture *capture,
                                      const struct agpu_parsed_record *record, const void *bytes, size_t size,
                                      const char *refused);

/* Returns NULL when the last file has all that the image sent, else why not. A piece must have arrived. */
const char *agpu_streamed_capture_lacks(const struct agpu_streamed_capture *capture);

#endif
