/* below.h: creates files and folders below the descriptor of a folder. Names are plain: a link in their place is
 * replaced or refused, never followed, so nothing is written elsewhere after another program has moved the folder. */
#ifndef AGPU_TESTS_HOST_BELOW_H
#define AGPU_TESTS_HOST_BELOW_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens the folder `name`, and creates it first if it does not exist. Returns -1 with errno. */
static inline int agpu_below_folder(int folder, const char *name)
{
    if (mkdirat(folder, name, 0777) != 0 && errno != EEXIST) {
        return -1;
    }
    return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Creates the file for writing and reading; removes an existing file or link of that name first, without touching a
 * link's target. Returns -1 with errno, EEXIST when the name belongs to something else (a FIFO, a device, a folder). */
static inline int agpu_below_create(int folder, const char *name, mode_t mode)
{
    struct stat status;

    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode))) {
        unlinkat(folder, name, 0);
    }
    return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

/* Builds a path of the file that other programs of this user can open while this process has the folder open. Returns
 * false when it does not fit. */
static inline bool agpu_below_path(int folder, const char *name, char *path, size_t size)
{
    return snprintf(path, size, "/proc/%ld/fd/%d/%s", (long)getpid(), folder, name) < (int)size;
}

/* Returns agpu_below_create() as a stream, NULL with errno. */
static inline FILE *agpu_below_new(int folder, const char *name)
{
    const int fd = agpu_below_create(folder, name, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;

    if (file == NULL && fd >= 0) {
        close(fd);
    }
    return file;
}

#endif
