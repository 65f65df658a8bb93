/* vdev_jail.c: drops privileges (vdev_jail.h). */
#include "tests/host/vdev/vdev_jail.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/jail/jail_rules.h"
#include "tests/device/jail/jail_server.h"
#include "tests/device/render/cache_folder.h"
#include "tests/device/render/render.h"

enum { FOLDERS_MOST = 8, PATH_BYTES = 4096 };

static void add_folder_of(const char *path, char folders[FOLDERS_MOST][PATH_BYTES], unsigned *count)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    if (path == NULL || (slash != NULL && slash - path >= PATH_BYTES - 1)) {
        return;
    }
    if (slash == NULL) {
        memcpy(folders[*count], ".", 2);
    } else {
        const size_t length = slash == path ? 1 : (size_t)(slash - path);

        memcpy(folders[*count], path, length);
        folders[*count][length] = '\0';
    }
    (*count)++;
}

/* Creates the cache now, since the folder above it will be inaccessible. */
static void add_cache(bool (*name)(char *path, uint32_t size), char folders[FOLDERS_MOST][PATH_BYTES],
                      unsigned *count)
{
    const char *why;
    int folder;

    if (!name(folders[*count], PATH_BYTES)) {
        return;
    }
    folder = vgpu_cache_folder_open(folders[*count], &why);
    if (folder >= 0) {
        close(folder);
        (*count)++;
    }
}

void agpu_vdev_jail(const struct agpu_vdev_options *options, int evidence, char *message, size_t message_size)
{
    char folders[FOLDERS_MOST][PATH_BYTES], programs[VGPU_RENDER_PROGRAMS][PATH_BYTES];
    const char *folder_list[FOLDERS_MOST], *program_list[VGPU_RENDER_PROGRAMS];
    struct vgpu_jail_server places = {
        .folders = folder_list,
        .programs = program_list,
        .stranger = options->device != NULL && strncmp(options->device, "model,", 6) != 0,
    };

    add_folder_of("./", folders, &places.folder_count);
    add_folder_of(options->socket, folders, &places.folder_count);
    add_folder_of(options->control, folders, &places.folder_count);
    add_folder_of(options->submission_log, folders, &places.folder_count);
    add_folder_of(options->capture, folders, &places.folder_count);
    if (evidence >= 0) {
        snprintf(folders[places.folder_count++], PATH_BYTES, "/proc/self/fd/%d", evidence);
    }
    add_cache(vgpu_render_cache_dir, folders, &places.folder_count);
    add_cache(vgpu_render_driver_dir, folders, &places.folder_count);
    places.program_count = vgpu_render_programs(programs);
    for (unsigned i = 0; i < places.folder_count; i++) {
        folder_list[i] = folders[i];
    }
    for (unsigned i = 0; i < places.program_count; i++) {
        program_list[i] = programs[i];
    }
    vgpu_jail_server(&places);
    message[0] = '\0';
    if (places.stranger) {
        snprintf(message, message_size,
                 "a device from a shared library has all rights of its user, but cannot gain new privileges");
    } else if (vgpu_jail_missing()[0] != '\0') {
        snprintf(message, message_size, "runs without %s, which this machine does not offer",
                 vgpu_jail_missing());
    }
}
