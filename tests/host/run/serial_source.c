/* serial_source.c: reads the records of a serial console or of a log (serial_source.h). */
#include "tests/host/run/serial_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/terminal.h"

/* Time for what follows the summary: the network's own statistics. */
#define SETTLE_US UINT64_C(500000)

size_t agpu_glued_packet(const char *line, size_t length)
{
    const char *const semicolon = memchr(line, ';', length);
    const char *fragment = semicolon != NULL ? memmem(line, (size_t)(semicolon - line), ",ncfrag=", 8) : NULL;
    unsigned long long offset, total;

    if (fragment == NULL || sscanf(fragment, ",ncfrag=%llu/%llu;", &offset, &total) != 2 || offset >= total) {
        return length;
    }
    /* the next fragment of this record starts in the same way */
    const size_t header = (size_t)(fragment - line) + 8;
    const char *const text = semicolon + 1;
    const size_t left = length - (size_t)(text - line);
    const char *next = memmem(text, left, line, header);
    if (next != NULL) {
        return (size_t)(next - line);
    }
    return total - offset < left ? (size_t)(text - line) + (size_t)(total - offset) : length;
}

/* Feeds the bytes unchanged; they are cut into lines here so that glued packets can be separated. */
static void feed_line(struct agpu_session *session, const char *line, size_t length, uint64_t now_us)
{
    while (length > 0) {
        const size_t n = agpu_glued_packet(line, length);

        agpu_session_stream(session, AGPU_SOURCE_SERIAL, line, n, now_us);
        agpu_session_stream(session, AGPU_SOURCE_SERIAL, "\n", 1, now_us);
        line += n;
        length -= n;
    }
}

static void feed_bytes(struct agpu_session *session, struct agpu_line_stream *lines, const char *bytes,
                       size_t size)
{
    while (size > 0) {
        const char *line;
        size_t length;
        const size_t taken = agpu_line_stream_take(lines, bytes, size, &line, &length);

        if (line != NULL) {
            feed_line(session, line, length, agpu_now_us());
        }
        bytes += taken;
        size -= taken;
    }
}

static bool is_over(struct agpu_session *session, uint64_t now_us)
{
    const struct agpu_run *run = agpu_collector_run(session->collector);

    return run->ending != AGPU_ENDING_NONE ||
           (run->summary.seen && now_us >= agpu_collector_stats(session->collector)->summary_us + SETTLE_US);
}

/* Reads until the source or the run ends, or a signal arrives. */
static int feed_all(const struct agpu_serial_source *source, int fd, bool is_file,
                    struct agpu_session *session)
{
    static struct agpu_line_stream lines;
    static char bytes[65536];

    lines.length = 0;
    for (;;) {
        const uint64_t now = agpu_now_us();
        uint64_t deadline = agpu_session_deadline(session, now);
        struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = source->signal_fd, .events = POLLIN}};

        if (!is_file) {
            agpu_session_tick(session, now);
            if (is_over(session, now)) {
                return 0;
            }
            if (agpu_collector_run(session->collector)->summary.seen && now + SETTLE_US < deadline) {
                deadline = now + SETTLE_US;
            }
        }
        const uint64_t wait_us = deadline > now ? deadline - now : 0;
        if (poll(fds, 2, wait_us > 3600000000 ? 3600000 : (int)((wait_us + 999) / 1000)) < 0 &&
            errno != EINTR) {
            return -1;
        }
        if (fds[1].revents != 0) {
            struct signalfd_siginfo info;
            const bool known = read(source->signal_fd, &info, sizeof info) == sizeof info;

            agpu_collector_end(session->collector, AGPU_ENDING_INTERRUPTED, "reading was interrupted");
            return known ? (int)info.ssi_signo : 2;
        }
        const ssize_t n = fds[0].revents != 0 ? read(fd, bytes, sizeof bytes) : -1;
        if (fds[0].revents != 0 && (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))) {
            size_t length;
            const char *rest = agpu_line_stream_rest(&lines, &length);

            if (rest != NULL) {
                feed_line(session, rest, length, now);
            }
            return 0;
        }
        feed_bytes(session, &lines, bytes, n > 0 ? (size_t)n : 0);
    }
}

int agpu_serial_feed(const struct agpu_serial_source *source, struct agpu_session *session)
{
    const bool standard = strcmp(source->path, "-") == 0;
    const int fd = standard ? STDIN_FILENO : open(source->path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    int result = -1;

    if (fd < 0 || fstat(fd, &status) != 0) {
        fprintf(stderr, "agpu: cannot read %s: %s\n", source->path, strerror(errno));
    } else if (S_ISDIR(status.st_mode)) {
        fprintf(stderr, "agpu: %s is a folder; --serial needs a serial device, or a file with its output\n",
                source->path);
    } else if (isatty(fd) == 1 && !standard && !agpu_terminal_prepare(fd, source->baud)) {
        fprintf(stderr, "agpu: %s cannot be set to %u baud: %s\n", source->path, source->baud,
                strerror(errno));
    } else {
        result = feed_all(source, fd, S_ISREG(status.st_mode), session);
    }
    if (fd >= 0 && !standard) {
        close(fd);
    }
    return result;
}
