/* new_file.h: creates a file under a predictable name, and never writes through a file or link that was planted
 * there. */
#ifndef AGPU_TESTS_HOST_NEW_FILE_H
#define AGPU_TESTS_HOST_NEW_FILE_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Creates the file for writing and reading; removes an existing file or link of that name first, without touching a
 * link's target. Returns NULL with errno, EEXIST when the name belongs to something else (a FIFO, a device, a
 * folder). */
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
