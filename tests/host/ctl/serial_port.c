/* serial_port.c: exchanges lines with a serial port. */
#include "tests/host/ctl/serial_port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/host/monotonic.h"
#include "tests/host/terminal.h"

#define PREFIX       "serial:"
#define BAUD_DEFAULT 115200
/* Time limit for one line: the port accepts it at once, or it is stuck. */
#define WRITE_MS 2000
/* Time until the other end has received the end of the connection: closing the port may discard unsent data. */
#define END_NS    UINT64_C(300000000)
#define END_TRIES 3

bool agpu_ctl_serial_is(const char *target)
{
    return strncmp(target, PREFIX, sizeof PREFIX - 1) == 0;
}

static int connect_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    strcpy(address.sun_path, path);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        const int error = errno;

        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static int open_device(const char *path, unsigned baud, const char **failed)
{
    const int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0 && isatty(fd) != 1) {
        *failed = "not a serial port: expected serial:PATH of a terminal device, or of a UNIX socket";
    } else if (fd >= 0 && !agpu_terminal_prepare(fd, baud)) {
        *failed = errno == EINVAL ? "the port has no such speed: expected serial:PATH,115200 or the like"
                                  : strerror(errno);
    } else {
        return fd;
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

int agpu_ctl_serial_open(const char *target, const char **failed)
{
    const char *path = target + sizeof PREFIX - 1;
    const char *comma = strrchr(path, ',');
    const size_t length = comma != NULL ? (size_t)(comma - path) : strlen(path);
    unsigned long baud = BAUD_DEFAULT;
    char name[sizeof((struct sockaddr_un *)NULL)->sun_path];
    struct stat status;
    char *end = NULL;
    int fd = -1;

    *failed = NULL;
    if (comma != NULL) {
        baud = strtoul(comma + 1, &end, 10);
    }
    if (length == 0 || length >= sizeof name ||
        (comma != NULL && (comma[1] < '0' || comma[1] > '9' || *end != '\0' || baud > 4000000))) {
        *failed = "expected serial:PATH or serial:PATH,BAUD, a path of at most 107 characters";
        return -1;
    }
    memcpy(name, path, length);
    name[length] = '\0';
    if (stat(name, &status) == 0) {
        fd = S_ISSOCK(status.st_mode) ? connect_socket(name) : open_device(name, (unsigned)baud, failed);
    }
    if (fd < 0 && *failed == NULL) {
        *failed = strerror(errno);
    }
    return fd;
}

void agpu_ctl_serial_begin(struct agpu_ctl_serial *serial, uint64_t connection)
{
    agpu_serial_link_begin(&serial->link, connection, false);
    serial->lines.length = 0;
}

static bool write_all(int fd, const char *text, size_t size)
{
    while (size != 0) {
        const ssize_t done = write(fd, text, size);
        struct pollfd one = {.fd = fd, .events = POLLOUT};

        if (done > 0) {
            text += done;
            size -= (size_t)done;
        } else if (done < 0 && errno != EAGAIN && errno != EINTR) {
            return false;
        } else if (poll(&one, 1, WRITE_MS) == 0) {
            errno = ETIMEDOUT;
            return false;
        }
    }
    return true;
}

bool agpu_ctl_serial_send(struct agpu_ctl_serial *serial, int fd, struct agpu_ctl_client *client,
                          uint64_t now_ns)
{
    struct agpu_serial_line line;
    char text[AGPU_SERIAL_OUTPUT_MAX];
    const uint8_t *bytes;
    size_t size, taken;

    while ((size = agpu_ctl_client_output(client, &bytes)) != 0 &&
           (taken = agpu_serial_link_put(&serial->link, bytes, size)) != 0) {
        agpu_ctl_client_sent(client, taken);
    }
    while (agpu_serial_link_next(&serial->link, now_ns, &line)) {
        if (!write_all(fd, text, agpu_serial_line_write(&line, text))) {
            return false;
        }
    }
    return true;
}

static void take_line(struct agpu_ctl_serial *serial, const char *text, size_t size,
                      struct agpu_ctl_client *client)
{
    struct agpu_serial_line line;
    uint8_t *to;
    size_t fresh;

    if (!agpu_serial_line_read(text, size, &line)) {
        if (serial->rest >= 0 && !agpu_serial_line_is_meant(text, size) && size != 0 &&
            (!write_all(serial->rest, text, size) || !write_all(serial->rest, "\n", 1))) {
            serial->rest = -1; /* its reader has closed it */
        }
        return;
    }
    if (line.to_image || line.connection != serial->link.connection) {
        return; /* an echo, or the rest of an earlier connection */
    }
    if (agpu_ctl_client_room(client, &to) < line.size) {
        return; /* it will be sent again */
    }
    fresh = agpu_serial_link_take(&serial->link, &line);
    if (fresh != 0) {
        memcpy(to, line.bytes + line.size - fresh, fresh);
        agpu_ctl_client_came(client, fresh);
    }
}

void agpu_ctl_serial_take(struct agpu_ctl_serial *serial, const char *bytes, size_t size,
                          struct agpu_ctl_client *client)
{
    while (size != 0) {
        const char *line;
        size_t length;
        const size_t taken = agpu_line_stream_take(&serial->lines, bytes, size, &line, &length);

        if (line != NULL) {
            take_line(serial, line, length, client);
        }
        bytes += taken;
        size -= taken;
    }
}

void agpu_ctl_serial_end(struct agpu_ctl_serial *serial, int fd, struct agpu_ctl_client *client)
{
    const struct agpu_serial_line line = {
        .to_image = true, .kind = AGPU_SERIAL_END, .connection = serial->link.connection};
    char text[AGPU_SERIAL_OUTPUT_MAX], bytes[4096];
    const size_t size = agpu_serial_line_write(&line, text);

    for (int i = 0; i < END_TRIES && serial->link.state == AGPU_SERIAL_OPEN; i++) {
        const uint64_t until_ns = agpu_monotonic_ns() + END_NS;

        if (!write_all(fd, text, size)) {
            return;
        }
        for (uint64_t now_ns;
             serial->link.state == AGPU_SERIAL_OPEN && (now_ns = agpu_monotonic_ns()) < until_ns;) {
            struct pollfd one = {.fd = fd, .events = POLLIN};
            const int count = poll(&one, 1, (int)((until_ns - now_ns) / 1000000) + 1);
            const ssize_t came = count > 0 ? read(fd, bytes, sizeof bytes) : -1;

            if (came == 0) {
                return;
            }
            agpu_ctl_serial_take(serial, bytes, came > 0 ? (size_t)came : 0, client);
        }
    }
}
