/* fixture.c: opens and closes a server with its client. */
#include "tests/unit/test.h"
#include "tests/unit/vfio/fixture.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int fixture_count_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = -1; /* the directory's own descriptor */

    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

int fixture_count_maps(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    int count = 0;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        count += strstr(line, name) != NULL;
    }
    fclose(maps);
    return count;
}

static void keep_line(void *ctx, const char *text)
{
    struct vfio_fixture *fixture = ctx;

    snprintf(fixture->log, sizeof fixture->log, "%s", text);
}

static int setup(void **state, bool once)
{
    struct vfio_fixture *fixture = calloc(1, sizeof *fixture);
    struct vgpu_vfio_server_config config = {
        .device = fixture_device(), .options = "", .once = once, .map_vram = true};
    char message[256];

    assert_non_null(fixture);
    fixture->open_fds = fixture_count_fds();
    fixture->stop_fd = eventfd(0, EFD_CLOEXEC);
    config.stop_fd = fixture->stop_fd;
    config.log.line = keep_line;
    config.log.ctx = fixture;
    fixture->server = vgpu_vfio_server_create(&config, message, sizeof message);
    assert_non_null(fixture->server);
    client_connect(&fixture->client, fixture->server);
    *state = fixture;
    return 0;
}

int fixture_setup(void **state)
{
    return setup(state, false);
}

int fixture_setup_once(void **state)
{
    return setup(state, true);
}

void fixture_reconnect(struct vfio_fixture *fixture)
{
    client_disconnect(&fixture->client);
    client_connect(&fixture->client, fixture->server);
}

int fixture_teardown(void **state)
{
    struct vfio_fixture *fixture = *state;

    client_disconnect(&fixture->client);
    assert_int_equal(fixture_count_maps("guest-ram"), 0);
    vgpu_vfio_server_destroy(fixture->server);
    close(fixture->stop_fd);
    assert_int_equal(fixture_count_fds(), fixture->open_fds);
    free(fixture);
    return 0;
}
