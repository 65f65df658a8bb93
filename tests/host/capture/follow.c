/* follow.c: reads the blocks of a growing file. */
#include "tests/host/capture/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "tests/capture/format.h"

struct agpu_capture_follow {
    int disk;
    int changes; /* inotify on the disk; -1: the file is read after the machine has ended */
    int ended;   /* eventfd */
    off_t at;    /* offset of the next block */
    uint64_t blocks, sums;
    bool begun, done;
    size_t used, size; /* of piece: bytes already returned, and all */
    _Alignas(8) uint8_t piece[sizeof(struct agpu_capture_block) + AGPU_CAPTURE_BLOCK_MAX];
};

struct agpu_capture_follow *agpu_capture_follow_open(const char *disk, off_t at)
{
    struct agpu_capture_follow *follow = malloc(sizeof *follow);

    if (follow == NULL) {
        return NULL;
    }
    memset(follow, 0, offsetof(struct agpu_capture_follow, piece));
    follow->at = at;
    follow->sums = AGPU_CAPTURE_SUM_SEED;
    follow->disk = open(disk, O_RDONLY | O_CLOEXEC);
    follow->ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    follow->changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (follow->disk < 0 || follow->ended < 0) {
        agpu_capture_follow_close(follow);
        return NULL;
    }
    if (follow->changes >= 0 && inotify_add_watch(follow->changes, disk, IN_MODIFY) < 0) {
        close(follow->changes);
        follow->changes = -1;
    }
    return follow;
}

void agpu_capture_follow_close(struct agpu_capture_follow *follow)
{
    if (follow != NULL) {
        const int error = errno, fds[] = {follow->disk, follow->changes, follow->ended};

        for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
            if (fds[i] >= 0) {
                close(fds[i]);
            }
        }
        free(follow);
        errno = error;
    }
}

void agpu_capture_follow_ended(struct agpu_capture_follow *follow)
{
    eventfd_write(follow->ended, 1); /* remains readable: it is never reset */
}

/* Returns true when all bytes from the next offset on were written: cheaper than reading them and computing the
 * checksum. A file system without holes always returns true. */
static bool is_written(const struct agpu_capture_follow *follow, size_t size)
{
    const off_t hole = lseek(follow->disk, follow->at, SEEK_HOLE);

    return hole < 0 || hole >= follow->at + (off_t)size;
}

static bool read_next(struct agpu_capture_follow *follow, size_t size)
{
    size_t got = 0;
    ssize_t n;

    if (!is_written(follow, size)) {
        return false;
    }
    while (got < size) {
        n = pread(follow->disk, follow->piece + got, size - got, follow->at + (off_t)got);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        got += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool take_next(struct agpu_capture_follow *follow, size_t size)
{
    follow->used = 0;
    follow->size = size;
    follow->at += (off_t)size;
    return true;
}

/* Reads the next piece of the file, if it is complete; its own fields are valid only then. */
static bool find_next(struct agpu_capture_follow *follow)
{
    const uint64_t magic = AGPU_CAPTURE_MAGIC;
    struct agpu_capture_block block;

    if (!follow->begun) {
        follow->begun = read_next(follow, sizeof(struct agpu_capture_header)) &&
                        memcmp(follow->piece, &magic, sizeof magic) == 0;
        return follow->begun && take_next(follow, sizeof(struct agpu_capture_header));
    }
    if (!read_next(follow, sizeof block)) {
        return false;
    }
    memcpy(&block, follow->piece, sizeof block);
    if (block.magic != AGPU_CAPTURE_BLOCK_MAGIC || block.number != follow->blocks) {
        return false;
    }
    if (block.packing == AGPU_CAPTURE_END) {
        follow->done = block.sum == follow->sums;
        return follow->done && take_next(follow, sizeof block);
    }
    if (block.packing != AGPU_CAPTURE_STORED || block.size > AGPU_CAPTURE_BLOCK_MAX || block.size % 8 != 0 ||
        block.stored_size != block.size || !read_next(follow, sizeof block + block.size) ||
        memcmp(follow->piece, &block, sizeof block) != 0 ||
        agpu_capture_sum(AGPU_CAPTURE_SUM_SEED, follow->piece + sizeof block, block.size) != block.sum) {
        return false;
    }
    follow->blocks++;
    follow->sums = agpu_capture_sum_word(follow->sums, block.sum);
    return take_next(follow, sizeof block + block.size);
}

/* Waits until something was written, or the machine has ended, which its owner always reports: returns true when it
 * has. */
static bool wait_for_more(struct agpu_capture_follow *follow)
{
    struct pollfd more[] = {{.fd = follow->ended, .events = POLLIN},
                            {.fd = follow->changes, .events = POLLIN}};
    char events[4096];

    while (poll(more, 2, -1) < 0 && errno == EINTR) {
    }
    while (follow->changes >= 0 && read(follow->changes, events, sizeof events) > 0) {
    }
    return more[0].revents != 0;
}

static ssize_t read_follow(void *cookie, char *to, size_t size)
{
    struct agpu_capture_follow *follow = cookie;
    bool ended = false;

    while (follow->used == follow->size && !follow->done && !find_next(follow)) {
        if (ended) { /* set before the last check */
            return 0;
        }
        ended = wait_for_more(follow);
    }
    size = size < follow->size - follow->used ? size : follow->size - follow->used;
    memcpy(to, follow->piece + follow->used, size);
    follow->used += size;
    return (ssize_t)size;
}

FILE *agpu_capture_follow_stream(struct agpu_capture_follow *follow)
{
    return fopencookie(follow, "rb", (cookie_io_functions_t){.read = read_follow});
}
