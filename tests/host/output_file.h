/* output_file.h: files of the result folder: written under a temporary name and renamed when complete, or logs with
 * a size limit. */
#ifndef AGPU_HOST_OUTPUT_FILE_H
#define AGPU_HOST_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Creates the folder path and its parents. Returns false (reason in errno) when it does not exist afterwards. */
bool agpu_make_folder(const char *path);

/* A file that gets its final name only when it is complete. */
struct agpu_output_file {
    FILE *stream;
    int folder; /* its folder's descriptor, of the caller */
    char name[4096];
    char part[4096]; /* name with ".part" */
};

/* Opens a file in the folder for writing and reading back. Returns false with errno set. */
bool agpu_output_open(struct agpu_output_file *file, int folder, const char *name);
/* Closes and renames. Returns false with errno set when not all of it is on disk; the old file then stays. */
bool agpu_output_commit(struct agpu_output_file *file);
/* The two steps of agpu_output_commit(): close, then rename. */
bool agpu_output_end(struct agpu_output_file *file);
bool agpu_output_name(struct agpu_output_file *file);
/* Closes the file and deletes it. */
void agpu_output_discard(struct agpu_output_file *file);
/* Removes the file and its temporary file. */
void agpu_output_remove(struct agpu_output_file *file, int folder, const char *name);

/* A log with a size limit: a device that floods must not fill the disk. */
struct agpu_log_file {
    FILE *stream;
    uint64_t left;
    bool cut;
};

bool agpu_log_open(struct agpu_log_file *log, int folder, const char *name, uint64_t limit_bytes);
/* Returns true when `size` more bytes may be written to log->stream; writes a note into the log, once, when it is
 * cut off. */
bool agpu_log_room(struct agpu_log_file *log, size_t size);
/* Flushes what was written to the file. */
void agpu_log_flush(struct agpu_log_file *log);
/* Returns false with errno set when not all of it is on disk. */
bool agpu_log_close(struct agpu_log_file *log);

#endif
