/* test_listener.c: the socket file: created private, replaced if dead, left alone if live, removed at the end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/device/vfio/listener.h"
#include "tests/unit/test.h"
#include "tests/unit/vfio/fixture.h"

static char folder[] = "/tmp/agpu-listener-XXXXXX";
static char path[sizeof folder + 16];
static char message[256];

static int make_folder(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/socket", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder); /* fails if a test left a file */
}

static int try_connect(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

GROUP_FIXTURE(make_folder, remove_folder);

TEST(made_private_and_removed)
{
    struct vgpu_vfio_listener listener;
    struct stat status;
    int fd;

    assert_int_equal(vgpu_vfio_listener_open(&listener, path, message, sizeof message), 0);
    assert_return_code(stat(path, &status), errno);
    assert_int_equal(status.st_mode & 0777, 0600);
    fd = try_connect();
    assert_true(fd >= 0);
    close(fd);
    vgpu_vfio_listener_close(&listener);
    assert_int_equal(stat(path, &status), -1);
    vgpu_vfio_listener_close(&listener); /* a second close has no effect */
}

TEST(live_server_is_respected)
{
    struct vgpu_vfio_listener first, second;

    assert_int_equal(vgpu_vfio_listener_open(&first, path, message, sizeof message), 0);
    assert_int_equal(vgpu_vfio_listener_open(&second, path, message, sizeof message), EADDRINUSE);
    assert_non_null(strstr(message, "another server"));
    vgpu_vfio_listener_close(&second);
    assert_true(try_connect() >= 0); /* the first listener still works; the test's exit closes this */
    vgpu_vfio_listener_close(&first);
}

TEST(stale_socket_is_replaced)
{
    struct vgpu_vfio_listener dead, listener;

    assert_int_equal(vgpu_vfio_listener_open(&dead, path, message, sizeof message), 0);
    close(dead.fd); /* as a killed server leaves it */
    assert_int_equal(try_connect(), -1);
    assert_int_equal(vgpu_vfio_listener_open(&listener, path, message, sizeof message), 0);
    vgpu_vfio_listener_close(&listener);
}

TEST(other_files_are_kept)
{
    struct vgpu_vfio_listener listener;
    const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    struct stat status;

    close(fd);
    assert_int_equal(vgpu_vfio_listener_open(&listener, path, message, sizeof message), EEXIST);
    assert_non_null(strstr(message, "not a socket"));
    assert_return_code(stat(path, &status), errno);
    unlink(path);
}

TEST(foreign_socket_is_not_removed)
{
    struct vgpu_vfio_listener ours, theirs;
    struct stat status;

    assert_int_equal(vgpu_vfio_listener_open(&ours, path, message, sizeof message), 0);
    unlink(path);
    assert_int_equal(vgpu_vfio_listener_open(&theirs, path, message, sizeof message), 0);
    vgpu_vfio_listener_close(&ours);
    assert_return_code(stat(path, &status), errno);
    vgpu_vfio_listener_close(&theirs);
}

TEST(bad_paths)
{
    struct vgpu_vfio_listener listener;
    char longest[200];

    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(vgpu_vfio_listener_open(&listener, longest, message, sizeof message), ENAMETOOLONG);
    assert_non_null(strstr(message, "expected 1 to 107"));
    assert_int_equal(vgpu_vfio_listener_open(&listener, "", message, sizeof message), ENAMETOOLONG);
    assert_int_equal(vgpu_vfio_listener_open(&listener, "/nowhere/at/all", message, sizeof message), ENOENT);
    assert_non_null(strstr(message, "/nowhere/at/all"));
}

TEST(a_server_accepts_and_turns_away)
{
    const struct vgpu_vfio_server_config config = {.device = fixture_device(), .stop_fd = -1};
    struct vgpu_vfio_server *server = vgpu_vfio_server_create(&config, message, sizeof message);
    int first, second;
    char byte;

    assert_non_null(server);
    assert_int_equal(vgpu_vfio_server_listen(server, path, message, sizeof message), 0);
    first = try_connect();
    assert_true(first >= 0);
    vgpu_vfio_server_step(server, 0);
    assert_true(vgpu_vfio_server_has_client(server));
    second = try_connect();
    assert_true(second >= 0);
    vgpu_vfio_server_step(server, 0);
    assert_int_equal(recv(second, &byte, 1, 0), 0);
    assert_int_equal(recv(first, &byte, 1, 0), -1);
    close(first);
    close(second);
    vgpu_vfio_server_step(server, 0);
    assert_false(vgpu_vfio_server_has_client(server));
    vgpu_vfio_server_destroy(server);
}
