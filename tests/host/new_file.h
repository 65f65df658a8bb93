/* new_file.h: a file of ours under a name that others may know: never what somebody laid there. */
#ifndef AGPU_TESTS_HOST_NEW_FILE_H
#define AGPU_TESTS_HOST_NEW_FILE_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the file anew, to be written and read; a file or a link of that name goes first, of which a link's target stays as it
 * is. NULL with errno, EEXIST where something else has the name (a FIFO, a device, a folder). */
static inline FILE *agpu_new_file(const char *path)
{
    struct stat status;
    FILE *file;
    int fd;

    if (lstat(path, &status) == 0 && (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode))) {
        unlink(path);
    }
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (file == NULL && fd >= 0) {
        close(fd);
    }
    return file;
}

#endif
