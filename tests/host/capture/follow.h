/* follow.h: the capture on the disk of a machine that still runs, block by block as the image writes it, so that it is
 * packed by the time the machine ends. */
#ifndef AGPU_HOST_CAPTURE_FOLLOW_H
#define AGPU_HOST_CAPTURE_FOLLOW_H

#include <stdio.h>
#include <sys/types.h>

struct agpu_capture_follow;

/* Opens the disk, which one machine writes to from its beginning on; the file lies there from byte at on, in one piece. One that
 * firmware has put elsewhere comes cut short. NULL with errno. */
struct agpu_capture_follow *agpu_capture_follow_open(const char *disk, off_t at);

/* The file as a stream for one thread: whoever reads waits until the next block is whole, its checksum says. It ends behind the
 * end block, or where the next is not when the machine has ended. Closing it is the caller's, before
 * agpu_capture_follow_close(). NULL: no memory. */
FILE *agpu_capture_follow_stream(struct agpu_capture_follow *follow);

/* The machine writes no more: whoever waits goes on. From any thread. */
void agpu_capture_follow_ended(struct agpu_capture_follow *follow);

/* NULL is allowed. */
void agpu_capture_follow_close(struct agpu_capture_follow *follow);

#endif
