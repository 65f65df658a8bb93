/* disk.h: what all runs of a collector together may still write. */
#ifndef AGPU_HOST_REPORT_DISK_H
#define AGPU_HOST_REPORT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Files that machines send (artifacts). */
#define AGPU_DISK_FILES_MAX 10000

struct agpu_disk {
    uint64_t bytes_left;
    uint64_t files_left;
    bool said; /* that there is no room left */
};

/* Takes room for so many bytes and files; false, having taken nothing, when there is not so much. No disk: there always is. */
static inline bool agpu_disk_take(struct agpu_disk *disk, uint64_t bytes, uint64_t files)
{
    if (disk == NULL) {
        return true;
    }
    if (disk->bytes_left < bytes || disk->files_left < files) {
        return false;
    }
    disk->bytes_left -= bytes;
    disk->files_left -= files;
    return true;
}

#endif
