/* capture_disk.h: the volume that the image writes its capture to, a second disk of the virtual machine. */
#ifndef AGPU_HOST_RUN_CAPTURE_DISK_H
#define AGPU_HOST_RUN_CAPTURE_DISK_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "tests/host/run/process.h"

/* Name of the disk in the folder of working files. */
#define AGPU_CAPTURE_DISK "capture.img"

/* Makes the disk at path, sparse, with one FAT volume and an empty AGPU.CAP, by which the image knows it; mtools. False with a
 * line on stderr. */
bool agpu_capture_disk_make(const char *path);

/* Where on the disk, in bytes, the data of AGPU.CAP begins if firmware gives it the first clusters that are free. */
off_t agpu_capture_disk_file_at(void);

/* Starts to read AGPU.CAP out of it, as a stream; whether all has come, the file itself says. The caller closes the stream, then
 * kills the process. NULL with a line on stderr. */
FILE *agpu_capture_disk_open(const char *path, struct agpu_process *reading);

/* The same for a capture that is to be played: a volume with the file as REPLAY.CAP. */
#define AGPU_REPLAY_DISK "replay.img"
bool agpu_replay_disk_make(const char *path, const char *file);

/* The lines of agpu.cfg about these disks; capture, until: NULL when nothing is said of it. */
void agpu_capture_disk_config(const char *capture, bool replay, const char *until, FILE *out);

#endif
