/* disk.h: the disk space that all runs of a collector may still use together. */
#ifndef AGPU_HOST_REPORT_DISK_H
#define AGPU_HOST_REPORT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit for files that machines send (artifacts). */
#define AGPU_DISK_FILES_MAX 10000

struct agpu_disk {
    uint64_t bytes_left;
    uint64_t files_left;
    bool reported; /* the exhaustion was reported */
};

/* Reserves this many bytes and files; returns false, with nothing reserved, when there are not enough. disk NULL: no
 * limit. */
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
