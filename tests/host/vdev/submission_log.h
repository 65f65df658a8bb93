/* submission_log.h: the file of `agpu vdev --submission-log`: accepts lines without blocking and writes them on its
 * own thread. Drops and counts lines that the disk is too slow for. */
#ifndef AGPU_HOST_VDEV_SUBMISSION_LOG_H
#define AGPU_HOST_VDEV_SUBMISSION_LOG_H

#include <stddef.h>
#include <stdint.h>

/* Limits for lines that wait for the disk, and for the file: a guest that floods must not fill the disk. */
#define AGPU_SUBMISSION_LOG_QUEUE (8u << 20)
#define AGPU_SUBMISSION_LOG_LIMIT (1ull << 30)

struct agpu_line_writer;

struct agpu_line_writer_stats {
    uint64_t lines;   /* accepted */
    uint64_t dropped; /* rejected: queue or file full, or a write error */
    int error;        /* errno value of the first failed write, 0 = none */
};

/* Opens path, a regular file, which is truncated, with a queue of `queue` bytes and at most limit bytes in the file.
 * Returns NULL with a sentence for the user in message. The caller must block the signals that it handles before
 * this. */
struct agpu_line_writer *agpu_line_writer_open(const char *path, size_t queue, uint64_t limit, char *message,
                                               size_t message_size);

/* Takes one line, including its end. Never waits for the disk. ctx is the writer. */
void agpu_line_writer_line(void *ctx, const char *text, size_t length);

/* Writes the queue and, if lines were dropped, {"dropped":N}; closes. NULL is allowed. */
struct agpu_line_writer_stats agpu_line_writer_close(struct agpu_line_writer *writer);

#endif
