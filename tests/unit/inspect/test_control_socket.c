/* test_control_socket.c: the control socket with its thread. This thread plays the device's thread, which visits on
 * request and never waits for a client. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/host/vdev/control.h"
#include "tests/host/vdev/control_client.h"
#include "tests/unit/device/fake_driver.h"
#include "tests/unit/test.h"

#define WAIT_MS 20000
#define FB      (RAM_BASE + 0x400000)
#define EDGE    512u /* of the scanout: 1 MiB of noise, larger than a socket's buffer even compressed */

struct socket_fixture {
    struct fake_driver *driver;
    struct agpu_control *control;
    char folder[64];
    char path[96];
};

static int setup(void **state)
{
    struct socket_fixture *fixture = calloc(1, sizeof *fixture);
    char message[256] = "";

    assert_non_null(fixture);
    fixture->driver = driver_create();
    strcpy(fixture->folder, "/tmp/agpu-control-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/socket", fixture->folder);
    fixture->control = agpu_control_open(fixture->path, message, sizeof message);
    if (fixture->control == NULL) {
        fail_msg("%s", message);
    }
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct socket_fixture *fixture = *state;

    agpu_control_close(fixture->control);
    assert_int_equal(access(fixture->path, F_OK), -1);
    rmdir(fixture->folder);
    driver_destroy(fixture->driver);
    free(fixture);
    return 0;
}

static int dial(const struct socket_fixture *fixture)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", fixture->path);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Serves visits of the device until fd is readable. */
static void serve_until(const struct socket_fixture *fixture, int fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN},
                           {.fd = agpu_control_visit_fd(fixture->control), .events = POLLIN}};

    for (;;) {
        assert_true(poll(fds, 2, WAIT_MS) > 0);
        if (fds[1].revents != 0) {
            agpu_control_visit(fixture->control, fixture->driver->machine->device);
        }
        if (fds[0].revents != 0) {
            return;
        }
    }
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Reads one line. Returns false at the end of the connection. */
static bool hear(const struct socket_fixture *fixture, int fd, char *line, size_t size)
{
    for (size_t length = 0; length + 1 < size; length++) {
        serve_until(fixture, fd);
        if (recv(fd, line + length, 1, 0) != 1) {
            return false;
        }
        if (line[length] == '\n') {
            line[length + 1] = '\0';
            return true;
        }
    }
    fail_msg("a reply longer than %zu bytes", size);
    return false;
}

FIXTURE(setup, teardown);

TEST(question_and_answer)
{
    const struct socket_fixture *fixture = *state;
    const int fd = dial(fixture);
    char line[16384];

    say(fd, "stats\n");
    assert_true(hear(fixture, fd, line, sizeof line));
    assert_non_null(strstr(line, "\"ok\":true"));
    assert_non_null(strstr(line, "\"submissions\":0"));
    submit_good(fixture->driver);
    say(fd, "st");
    say(fd, "ats\nnonsense\n"); /* a command in pieces, and two at once */
    assert_true(hear(fixture, fd, line, sizeof line));
    assert_non_null(strstr(line, "\"submissions\":1"));
    assert_true(hear(fixture, fd, line, sizeof line));
    assert_non_null(strstr(line, "\"ok\":false"));
    close(fd);
}

/* Only this user may connect. */
TEST(private_socket)
{
    const struct socket_fixture *fixture = *state;
    struct stat status;

    assert_int_equal(stat(fixture->path, &status), 0);
    assert_int_equal(status.st_mode & 077, 0);
}

static void show_noise(const struct socket_fixture *fixture)
{
    struct fake_machine *machine = fixture->driver->machine;
    uint32_t *pixels = ram(machine, FB);
    uint32_t seed = 1;

    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        seed = seed * 1664525 + 1013904223;
        pixels[i] = seed ^ seed >> 15;
    }
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, EDGE);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, EDGE);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, EDGE * 4);
    reg_write64(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, FB);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
}

/* The length in the line is that of the bytes after it. The next reply follows directly. */
TEST(picture_and_more)
{
    const struct socket_fixture *fixture = *state;
    const int fd = dial(fixture);
    char line[16384];
    const char *bytes;
    long length;

    show_noise(fixture);
    say(fd, "png scanout\nhelp\n");
    assert_true(hear(fixture, fd, line, sizeof line));
    bytes = strstr(line, "\"bytes\":");
    assert_non_null(bytes);
    length = strtol(bytes + strlen("\"bytes\":"), NULL, 10);
    assert_true(length > EDGE * EDGE);
    for (long done = 0; done < length;) {
        char part[65536];
        const size_t want = length - done < (long)sizeof part ? (size_t)(length - done) : sizeof part;
        ssize_t got;

        serve_until(fixture, fd);
        got = recv(fd, part, want, 0);
        assert_true(got > 0);
        if (done == 0) {
            assert_memory_equal(part, "\x89PNG\r\n\x1a\n", 8);
        }
        done += got;
    }
    assert_true(hear(fixture, fd, line, sizeof line));
    assert_non_null(strstr(line, "\"commands\""));
    close(fd);
}

/* A client that does not read its picture delays neither the device nor another client. */
TEST(slow_reader)
{
    const struct socket_fixture *fixture = *state;
    const int slow = dial(fixture);
    const int other = dial(fixture);
    char line[16384];

    show_noise(fixture);
    say(slow, "png scanout\npng scanout\npng scanout\n");
    say(other, "stats\n");
    assert_true(hear(fixture, other, line, sizeof line));
    assert_non_null(strstr(line, "\"ok\":true"));
    close(other);
    close(slow);
}

/* A line without end gets an answer, and the connection is closed. */
TEST(endless_line)
{
    const struct socket_fixture *fixture = *state;
    const int fd = dial(fixture);
    char junk[AGPU_CONTROL_LINE];
    char line[1024];

    memset(junk, 'x', sizeof junk);
    assert_int_equal(send(fd, junk, sizeof junk, MSG_NOSIGNAL), sizeof junk);
    assert_true(hear(fixture, fd, line, sizeof line));
    assert_non_null(strstr(line, "too long"));
    assert_false(hear(fixture, fd, line, sizeof line));
    close(fd);
}

/* A client that sends its last line and closes its side still gets the reply. */
TEST(half_closed)
{
    const struct socket_fixture *fixture = *state;
    const int fd = dial(fixture);
    char line[16384];

    say(fd, "stats\nhel");
    assert_int_equal(shutdown(fd, SHUT_WR), 0);
    assert_true(hear(fixture, fd, line, sizeof line));
    assert_false(hear(fixture, fd, line, sizeof line)); /* half a line gets no reply */
    close(fd);
}

/* Clients that come and go, first one by one, then more at a time than there are places. */
TEST(many_clients)
{
    const struct socket_fixture *fixture = *state;
    char line[16384];
    int fds[6];

    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        fds[i] = dial(fixture);
        say(fds[i], "help\n");
    }
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        assert_true(hear(fixture, fds[i], line, sizeof line));
        close(fds[i]);
    }
}

/* Clients that connect and say nothing keep no other client out. */
TEST(idle_clients_give_way)
{
    const struct socket_fixture *fixture = *state;
    char line[16384];
    int fds[9];

    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        fds[i] = dial(fixture);
    }
    say(fds[8], "help\n");
    assert_true(hear(fixture, fds[8], line, sizeof line));
    assert_false(hear(fixture, fds[0], line, sizeof line)); /* displaced */
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        close(fds[i]);
    }
}

/* The socket is closed while a client waits for an answer that the device will not give any more. */
TEST(closed_in_a_question)
{
    struct socket_fixture *fixture = *state;
    struct pollfd visit = {.fd = agpu_control_visit_fd(fixture->control), .events = POLLIN};
    const int fd = dial(fixture);

    say(fd, "stats\n");
    assert_int_equal(poll(&visit, 1, WAIT_MS), 1);
    agpu_control_close(fixture->control);
    fixture->control = NULL;
    close(fd);
}

/* Given a path in use, a missing directory, or a path that is not a socket, opening must fail. */
TEST(cannot_open)
{
    const struct socket_fixture *fixture = *state;
    char message[256] = "";

    assert_null(agpu_control_open(fixture->path, message, sizeof message));
    assert_non_null(strstr(message, "another server"));
    assert_null(agpu_control_open("/no/such/folder/socket", message, sizeof message));
    assert_null(agpu_control_open(fixture->folder, message, sizeof message));
    agpu_control_close(NULL);
}
