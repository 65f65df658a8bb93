/* capture_disk.h: the second disk of the virtual machine, to which the image writes its capture. */
#ifndef AGPU_HOST_RUN_CAPTURE_DISK_H
#define AGPU_HOST_RUN_CAPTURE_DISK_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "tests/host/run/process.h"

/* Name of the disk in the directory of working files. */
#define AGPU_CAPTURE_DISK "capture.img"

/* Creates the disk at path, sparse, with mtools: one FAT volume and an empty AGPU.CAP, by which the image recognises
 * it. Returns false with a line on stderr. */
bool agpu_capture_disk_make(const char *path);

/* Returns the byte offset on the disk where the data of AGPU.CAP starts if the firmware allocates the first free
 * clusters. */
off_t agpu_capture_disk_file_at(void);

/* Starts to read AGPU.CAP from the disk, as a stream; the file's own format shows whether it is complete. The caller
 * closes the stream, then kills the process. Returns NULL with a line on stderr. */
FILE *agpu_capture_disk_open(const char *path, struct agpu_process *reading);

/* A disk with a capture to replay, as REPLAY.CAP. */
#define AGPU_REPLAY_DISK "replay.img"
bool agpu_replay_disk_make(const char *path, const char *file);

/* Writes the lines of agpu.cfg for these disks; capture, until: NULL when not given. */
void agpu_capture_disk_config(const char *capture, bool replay, const char *until, FILE *out);

#endif
