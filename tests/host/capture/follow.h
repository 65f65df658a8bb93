/* follow.h: reads the capture from the disk of a running machine, block by block as the image writes it, so that it
 * is packed when the machine ends. */
#ifndef AGPU_HOST_CAPTURE_FOLLOW_H
#define AGPU_HOST_CAPTURE_FOLLOW_H

#include <stdio.h>
#include <sys/types.h>

struct agpu_capture_follow;

/* Opens the disk, which one machine has written from its start; the file starts at byte `at` and is contiguous. If
 * the firmware placed it elsewhere, it appears cut off. Returns NULL with errno. */
struct agpu_capture_follow *agpu_capture_follow_open(const char *disk, off_t at);

/* Returns the file as a stream for one thread: reads block until the next block is complete, by its checksum. The
 * stream ends after the end block, or at the first missing block after the machine has ended. The caller closes it
 * before agpu_capture_follow_close(). NULL: no memory. */
FILE *agpu_capture_follow_stream(struct agpu_capture_follow *follow);

/* Reports that the machine has ended, which wakes a blocked reader. May be called from any thread. */
void agpu_capture_follow_ended(struct agpu_capture_follow *follow);

/* NULL is allowed. */
void agpu_capture_follow_close(struct agpu_capture_follow *follow);

#endif
