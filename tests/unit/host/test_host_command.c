/* test_host_command.c: the command of agpu run --machine, and the consoles that the command gets. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "tests/host/run/command.h"
#include "tests/host/run/console.h"
#include "tests/unit/test.h"

static char folder[64];

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/agpu-console-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    static const char *const names[] = {"file", "other", "socket"};
    char path[128];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void assert_refused(const char *command, const char *part)
{
    char message[600] = "";

    assert_false(agpu_command_check(command, message, sizeof message));
    if (strstr(message, part) == NULL) {
        fail_msg("\"%s\" does not have: %s", message, part);
    }
}

TEST(places_are_known)
{
    char message[600] = "";

    assert_true(agpu_command_check("emulator {image} -s {serial-socket}", message, sizeof message));
    assert_refused("emulator {image} {seriall-file}",
                   "{seriall-file} is not a placeholder; expected one of {image},");
    assert_refused("emulator {image} {x}", "{vdev-socket}");
    assert_refused("emulator {image} {serial-file} {serial-socket}", "are the same console");
    assert_refused("emulator {image} {debugcon-socket} {debugcon-file}", "are the same console");
    assert_refused("emulator", "{image}");
    assert_refused("", "{image}");
    assert_refused("echo {image", "expected } after \"{image\", found the end of the command");
    assert_refused("echo {image -m {memory}", "expected } after \"{image\", found something else");
    assert_refused("echo {image} {imag", "expected } after \"{imag\"");
    /* Braces of the shell and of JSON stay. */
    assert_true(agpu_command_check(
        "x=${image} emulator {image} {a,b} { true; } {\"path\":\"{vdev-socket}\"} {{print}", message,
        sizeof message));
    assert_false(agpu_command_uses("x=${serial-file} {{serial-socket}", AGPU_PLACE_SERIAL_FILE));
    assert_false(agpu_command_uses("x=${serial-file} {{serial-socket}", AGPU_PLACE_SERIAL_SOCKET));
    assert_true(agpu_command_uses("{\"path\":\"{vdev-socket}\"}", AGPU_PLACE_VDEV_SOCKET));
}

TEST(places_are_filled)
{
    const char *values[AGPU_PLACE_COUNT] = {[AGPU_PLACE_IMAGE] = "/a/b.img", [AGPU_PLACE_MEMORY] = "512"};
    char *text;

    text = agpu_command_fill("{image}{image} -m {memory} {{memory} ${memory} {", values);
    assert_string_equal(text, "/a/b.img/a/b.img -m 512 {memory} ${memory} {");
    free(text);
}

static void write_to(const char *name, int flags, const char *bytes)
{
    char path[128];
    int fd;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | flags, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, strlen(bytes)), strlen(bytes));
    close(fd);
}

static void assert_reads(struct agpu_console *console, const char *expected)
{
    char bytes[64] = "";
    const size_t n = agpu_console_read(console, bytes, sizeof bytes - 1);

    assert_int_equal(n, strlen(expected));
    assert_string_equal(bytes, expected);
}

FIXTURE(setup, teardown);

TEST(files_are_followed)
{
    struct agpu_console console;
    char path[128], other[128];

    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    assert_true(agpu_console_make_file(&console, path));
    assert_true(agpu_console_poll_fd(&console) >= 0);
    assert_reads(&console, "");
    write_to("file", O_TRUNC, "one");
    assert_reads(&console, "one");
    write_to("file", O_APPEND, "two");
    assert_reads(&console, "two");
    assert_reads(&console, "");
    write_to("file", O_TRUNC, "3"); /* truncated: read from the start again */
    assert_reads(&console, "3");
    write_to("other", 0, "another file");
    assert_int_equal(rename(other, path), 0);
    assert_reads(&console, "another file");
    assert_true(agpu_console_is_open(&console));
    agpu_console_settle(&console);
    assert_reads(&console, "");
    assert_false(agpu_console_is_open(&console));
    assert_int_equal(agpu_console_poll_fd(&console), -1);
}

TEST(sockets_take_one_machine)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct agpu_console console;
    char longer[256];
    int machine;

    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
    assert_true(agpu_console_make_socket(&console, address.sun_path));
    assert_reads(&console, "");
    machine = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(connect(machine, (const struct sockaddr *)&address, sizeof address), 0);
    assert_reads(&console, "");
    assert_int_equal(write(machine, "bytes", 5), 5);
    assert_reads(&console, "bytes");
    close(machine);
    assert_reads(&console, "");
    assert_false(agpu_console_is_open(&console));
    unlink(address.sun_path);

    assert_true(agpu_console_make_socket(&console, address.sun_path));
    agpu_console_settle(&console); /* nothing connected */
    assert_reads(&console, "");
    assert_false(agpu_console_is_open(&console));
    snprintf(longer, sizeof longer, "%s/%0110d", folder, 0);
    assert_false(agpu_console_make_socket(&console, longer));
}
