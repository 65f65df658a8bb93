/* streamed_capture.h: the capture that an image sends piece by piece over the lossless stream (tests/host/wire/README.md 1), into
 * capture.agpucap of the result folder; each further one, of another boot say, into capture-1.agpucap, capture-2.agpucap. */
#ifndef AGPU_HOST_REPORT_STREAMED_CAPTURE_H
#define AGPU_HOST_REPORT_STREAMED_CAPTURE_H

#include "tests/host/wire/record.h"

#define AGPU_STREAMED_CAPTURE_MAX (UINT64_C(4) << 30) /* bytes of all of one run */
#define AGPU_STREAMED_CAPTURES    64u                 /* of one run */

/* Zero-initialised, with folder set: none. */
struct agpu_streamed_capture {
    const char *folder; /* the result folder */
    char name[32];      /* of the last file, also when there was no room for it; "": none came */
    unsigned count;     /* files that are there */
    uint64_t next;      /* bytes of the last of them */
    uint64_t bytes;     /* of all */
    bool complete;      /* the last one's end came, and nothing before it was missing */
    const char *wrong;  /* why nothing more of the last one is kept; NULL: nothing is */
};

/* Does the record announce a piece of a capture? */
bool agpu_streamed_capture_announced(const struct agpu_parsed_record *record);

/* Appends a piece; record announces it. What does not follow upon the piece before is not kept, and nothing behind it: readers of captures
 * stop at a hole. refused: why there is no room for it; NULL: there is. NULL, or what is wrong, once for each file. */
const char *agpu_streamed_capture_put(struct agpu_streamed_capture *capture,
                                      const struct agpu_parsed_record *record, const void *bytes, size_t size,
                                      const char *refused);

/* NULL: the last file has all that the image sent. Else why it has not. A piece must have come. */
const char *agpu_streamed_capture_lacks(const struct agpu_streamed_capture *capture);

#endif
