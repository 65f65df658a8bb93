/* output_file.h: files of the result folder: written beside their name and renamed when complete, or bounded
 * logs. */
#ifndef AGPU_HOST_REPORT_OUTPUT_FILE_H
#define AGPU_HOST_REPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Makes the folder path, and the folders above it. False (reason in errno) when it is not there
 * afterwards. */
bool agpu_make_folder(const char *path);

/* A file that appears under its name only when it is complete. */
struct agpu_output_file {
    FILE *stream;
    char path[4096];
    char part[4096]; /* path with ".part" */
};

/* Opens folder/name for writing and reading back. False with errno set. */
bool agpu_output_open(struct agpu_output_file *file, const char *folder, const char *name);
/* Closes and renames. False with errno set when not all of it is on disk; the old file then stays. */
bool agpu_output_commit(struct agpu_output_file *file);
/* The two parts of that: closes it, and gives it its name. */
bool agpu_output_end(struct agpu_output_file *file);
bool agpu_output_name(struct agpu_output_file *file);
/* Closes and removes what was written. */
void agpu_output_discard(struct agpu_output_file *file);
/* Removes folder/name, and what was written of it. */
void agpu_output_remove(struct agpu_output_file *file, const char *folder, const char *name);

/* A log that stops at a bound: a device that floods must not fill the disk. */
struct agpu_log_file {
    FILE *stream;
    uint64_t left;
    bool cut;
};

bool agpu_log_open(struct agpu_log_file *log, const char *folder, const char *name, uint64_t limit_bytes);
/* True when `size` more bytes may be written to log->stream; says once that the log is cut. */
bool agpu_log_room(struct agpu_log_file *log, size_t size);
/* What was written is in the file now. */
void agpu_log_flush(struct agpu_log_file *log);
/* False with errno set when not all of it is on disk. */
bool agpu_log_close(struct agpu_log_file *log);

#endif
