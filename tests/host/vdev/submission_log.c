/* submission_log.c: a bounded queue of lines, and a thread that writes them to a file. */
#include "tests/host/vdev/submission_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct agpu_line_writer {
    int fd;
    size_t capacity;
    uint64_t left; /* remaining bytes before the limit of the file */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    /* Protected by the lock: a ring of bytes, [first, first + used) modulo capacity. The thread writes from it
     * without the lock: bytes stay in use until they are written. */
    size_t first;
    size_t used;
    bool idle; /* the thread waits */
    bool closing;
    struct agpu_line_writer_stats stats;
    char bytes[];
};

/* Returns 0 or an errno value. */
static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(fd, bytes, length);

        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return 0;
}

static void *writer_thread(void *arg)
{
    struct agpu_line_writer *writer = arg;

    pthread_mutex_lock(&writer->lock);
    for (;;) {
        size_t piece;
        int error;

        while (writer->used == 0 && !writer->closing) {
            writer->idle = true;
            pthread_cond_wait(&writer->filled, &writer->lock);
        }
        writer->idle = false;
        if (writer->used == 0) {
            break;
        }
        piece = writer->capacity - writer->first;
        piece = writer->used < piece ? writer->used : piece;
        pthread_mutex_unlock(&writer->lock);
        error = write_all(writer->fd, writer->bytes + writer->first, piece);
        pthread_mutex_lock(&writer->lock);
        if (error != 0 && writer->stats.error == 0) {
            writer->stats.error = error;
        }
        writer->first = (writer->first + piece) % writer->capacity;
        writer->used -= piece;
    }
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

static int open_file(const char *path, char *message, size_t message_size)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    struct stat status;

    if (fd < 0) {
        snprintf(message, message_size, "cannot write the submission log %s: %s", path, strerror(errno));
        return -1;
    }
    /* A pipe could block the writer forever. */
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || ftruncate(fd, 0) != 0) {
        snprintf(message, message_size, "cannot write the submission log %s: expected an ordinary file",
                 path);
        close(fd);
        return -1;
    }
    return fd;
}

struct agpu_line_writer *agpu_line_writer_open(const char *path, size_t queue, uint64_t limit, char *message,
                                               size_t message_size)
{
    const int fd = open_file(path, message, message_size);
    struct agpu_line_writer *writer;

    if (fd < 0) {
        return NULL;
    }
    writer = calloc(1, sizeof *writer + queue);
    if (writer != NULL) {
        writer->fd = fd;
        writer->capacity = queue;
        writer->left = limit;
        pthread_mutex_init(&writer->lock, NULL);
        pthread_cond_init(&writer->filled, NULL);
        if (pthread_create(&writer->thread, NULL, writer_thread, writer) == 0) {
            return writer;
        }
        pthread_cond_destroy(&writer->filled);
        pthread_mutex_destroy(&writer->lock);
        free(writer);
    }
    snprintf(message, message_size, "no memory or no thread for the submission log");
    close(fd);
    return NULL;
}

static void put_line(struct agpu_line_writer *writer, const char *text, size_t length)
{
    const size_t at = (writer->first + writer->used) % writer->capacity;
    const size_t to_end = writer->capacity - at;
    const size_t piece = length < to_end ? length : to_end;

    memcpy(writer->bytes + at, text, piece);
    memcpy(writer->bytes, text + piece, length - piece);
    writer->used += length;
    writer->left -= length;
}

void agpu_line_writer_line(void *ctx, const char *text, size_t length)
{
    struct agpu_line_writer *writer = ctx;

    pthread_mutex_lock(&writer->lock);
    if (length > writer->capacity - writer->used || length > writer->left || writer->stats.error != 0) {
        writer->stats.dropped++;
    } else {
        put_line(writer, text, length);
        writer->stats.lines++;
        if (writer->idle) {
            writer->idle = false;
            pthread_cond_signal(&writer->filled);
        }
    }
    pthread_mutex_unlock(&writer->lock);
}

struct agpu_line_writer_stats agpu_line_writer_close(struct agpu_line_writer *writer)
{
    struct agpu_line_writer_stats stats = {0};

    if (writer == NULL) {
        return stats;
    }
    pthread_mutex_lock(&writer->lock);
    writer->closing = true;
    pthread_cond_signal(&writer->filled);
    pthread_mutex_unlock(&writer->lock);
    pthread_join(writer->thread, NULL);
    stats = writer->stats;
    if (stats.dropped > 0 && stats.error == 0) {
        char text[64];

        const int length =
            snprintf(text, sizeof text, "{\"dropped\":%llu}\n", (unsigned long long)stats.dropped);

        stats.error = write_all(writer->fd, text, (size_t)length);
    }
    close(writer->fd);
    pthread_cond_destroy(&writer->filled);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
    return stats;
}
