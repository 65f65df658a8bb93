/* cache_folder.c: see cache_folder.h. */
#include "tests/device/render/cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool make_folders(const char *path)
{
    char part[4096];

    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part || part[0] == '\0') {
        return false;
    }
    for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST) {
            return false;
        }
        *slash = '/';
    }
    return mkdir(part, 0700) == 0 || errno == EEXIST;
}

int vgpu_cache_folder_open(const char *path, const char **why)
{
    struct stat about;
    int folder;

    *why = NULL;
    if (!make_folders(path)) {
        return -1;
    }
    folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) {
        *why = errno == ELOOP || errno == ENOTDIR ? "it is a link or no folder" : NULL;
        return -1;
    }
    if (fstat(folder, &about) != 0) {
        close(folder);
        return -1;
    }
    if (about.st_uid != geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        *why = about.st_uid != geteuid() ? "it is another user's" : "others may write to it (chmod go-w)";
        close(folder);
        return -1;
    }
    return folder;
}

/* Writes the user's directory with the given suffix. */
static bool usual_dir(const char *below, char *path, uint32_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = cache != NULL && *cache ? snprintf(path, size, "%s/agpu/spirv%s", cache, below)
                 : home != NULL && *home ? snprintf(path, size, "%s/.cache/agpu/spirv%s", home, below)
                                         : -1;

    return length > 0 && (uint32_t)length < size;
}

bool vgpu_render_cache_dir(char *path, uint32_t size)
{
    const char *own = getenv("AGPU_RENDER_CACHE");
    int length;

    if (own == NULL || *own == '\0') {
        return usual_dir("", path, size);
    }
    length = snprintf(path, size, "%s", own);
    return length > 0 && (uint32_t)length < size;
}

bool vgpu_render_driver_dir(char *path, uint32_t size)
{
    return usual_dir("/driver", path, size);
}
