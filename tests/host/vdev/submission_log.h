/* submission_log.h: the file behind `agpu vdev --submission-log`: takes lines without waiting and writes them
 * on a thread of its own. What it cannot keep up with it drops and counts. */
#ifndef AGPU_HOST_VDEV_SUBMISSION_LOG_H
#define AGPU_HOST_VDEV_SUBMISSION_LOG_H

#include <stddef.h>
#include <stdint.h>

/* Lines that wait for the disk, and the size at which the file ends: a guest that floods must not fill it. */
#define AGPU_SUBMISSION_LOG_QUEUE (8u << 20)
#define AGPU_SUBMISSION_LOG_LIMIT (1ull << 30)

struct agpu_line_writer;

struct agpu_line_writer_stats {
    uint64_t lines;   /* taken */
    uint64_t dropped; /* not taken: queue or file full, or the disk refused */
    int error;        /* errno value of the first failed write, 0 = none */
};

/* Opens path, an ordinary file that is emptied, with room for queue bytes and at most limit bytes in the
 * file. NULL with a sentence for the user in message. The caller blocks the signals that it handles before
 * this. */
struct agpu_line_writer *agpu_line_writer_open(const char *path, size_t queue, uint64_t limit, char *message,
                                               size_t message_size);

/* Takes one line, with its end. Never waits for the disk. ctx is the writer. */
void agpu_line_writer_line(void *ctx, const char *text, size_t length);

/* Writes what is queued and, if lines were dropped, {"dropped":N}; closes. NULL is allowed. */
struct agpu_line_writer_stats agpu_line_writer_close(struct agpu_line_writer *writer);

#endif
