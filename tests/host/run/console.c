/* console.c: the pipes, files and sockets that carry a machine's consoles. */
#include "tests/host/run/console.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

void agpu_console_close(struct agpu_console *console)
{
    if (console->fd >= 0) {
        close(console->fd);
    }
    if (console->waits_on >= 0) {
        close(console->waits_on);
    }
    *console = AGPU_CONSOLE_CLOSED;
}

void agpu_console_use_pipe(struct agpu_console *console, int fd)
{
    *console = AGPU_CONSOLE_CLOSED;
    console->kind = AGPU_CONSOLE_PIPE;
    console->fd = fd;
    /* only our end: the machine's end keeps blocking when the pipe is full */
    (void)fcntl(fd, F_SETFL, O_NONBLOCK);
}

static bool set_path(struct agpu_console *console, const char *path)
{
    *console = AGPU_CONSOLE_CLOSED;
    if (strlen(path) >= sizeof console->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(console->path, path);
    return true;
}

static bool fail_open(struct agpu_console *console)
{
    const int failure = errno;

    agpu_console_close(console);
    errno = failure;
    return false;
}

bool agpu_console_make_file(struct agpu_console *console, const char *path)
{
    char folder[sizeof console->path];

    if (!set_path(console, path)) {
        return false;
    }
    strcpy(folder, path);
    console->kind = AGPU_CONSOLE_FILE;
    console->fd = open(path, O_RDONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0600);
    console->waits_on = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (console->fd < 0 || console->waits_on < 0 ||
        inotify_add_watch(console->waits_on, dirname(folder), IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0) {
        return fail_open(console);
    }
    return true;
}

bool agpu_console_make_socket(struct agpu_console *console, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (!set_path(console, path)) {
        return false;
    }
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    strcpy(address.sun_path, path);
    console->kind = AGPU_CONSOLE_SOCKET;
    console->waits_on = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (console->waits_on < 0 ||
        bind(console->waits_on, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(console->waits_on, 1) != 0) {
        return fail_open(console);
    }
    return true;
}

bool agpu_console_is_open(const struct agpu_console *console)
{
    return console->fd >= 0 || console->waits_on >= 0;
}

int agpu_console_poll_fd(const struct agpu_console *console)
{
    if (console->kind == AGPU_CONSOLE_FILE) {
        return console->waits_on;
    }
    return console->fd >= 0 ? console->fd : console->waits_on;
}

/* The file at the path may have been truncated or replaced. */
static void follow_file(struct agpu_console *console)
{
    struct stat ours, there;

    if (fstat(console->fd, &ours) != 0) {
        return;
    }
    if (stat(console->path, &there) == 0 && (there.st_ino != ours.st_ino || there.st_dev != ours.st_dev)) {
        const int fd = open(console->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

        if (fd >= 0) {
            close(console->fd);
            console->fd = fd;
            console->offset = 0;
        }
    } else if ((uint64_t)ours.st_size < console->offset) {
        console->offset = 0;
    }
}

static ssize_t read_file(struct agpu_console *console, char *bytes, size_t size)
{
    char events[4096];
    ssize_t n = pread(console->fd, bytes, size, (off_t)console->offset);

    if (n == 0) {
        /* Clear the notifications first, then read: data written in between is notified again. */
        while (read(console->waits_on, events, sizeof events) > 0) {
        }
        follow_file(console);
        n = pread(console->fd, bytes, size, (off_t)console->offset);
    }
    if (n > 0) {
        console->offset += (uint64_t)n;
    } else if (!console->settled) {
        errno = EAGAIN;
        n = -1;
    }
    return n;
}

static ssize_t read_socket(struct agpu_console *console, char *bytes, size_t size)
{
    if (console->fd < 0) {
        console->fd = accept4(console->waits_on, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (console->fd < 0) {
            return console->settled ? 0 : -1;
        }
        close(console->waits_on); /* one machine, one connection */
        console->waits_on = -1;
    }
    return recv(console->fd, bytes, size, MSG_DONTWAIT);
}

size_t agpu_console_read(struct agpu_console *console, char *bytes, size_t size)
{
    ssize_t n;

    switch (console->kind) {
    case AGPU_CONSOLE_FILE:
        n = read_file(console, bytes, size);
        break;
    case AGPU_CONSOLE_SOCKET:
        n = read_socket(console, bytes, size);
        break;
    case AGPU_CONSOLE_PIPE:
        n = read(console->fd, bytes, size);
        break;
    default:
        return 0;
    }
    if (n > 0) {
        return (size_t)n;
    }
    if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        agpu_console_close(console);
    }
    return 0;
}

void agpu_console_settle(struct agpu_console *console)
{
    console->settled = true;
}
