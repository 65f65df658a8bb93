/* output_file.c: result files that become visible when complete, and logs with a size limit. */
#include "tests/host/output_file.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/below.h"

bool agpu_make_folder(const char *path)
{
    char copy[4096];
    size_t length = strlen(path);

    if (length == 0 || length >= sizeof copy) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (copy[i] == '/' || copy[i] == '\0') {
            char kept = copy[i];

            copy[i] = '\0';
            if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
                return false;
            }
            copy[i] = kept;
        }
    }
    struct stat status;
    if (stat(path, &status) != 0) {
        return false;
    }
    errno = ENOTDIR;
    return S_ISDIR(status.st_mode);
}

static bool set_names(struct agpu_output_file *file, int folder, const char *name)
{
    *file = (struct agpu_output_file){.folder = folder};
    errno = ENAMETOOLONG;
    return snprintf(file->name, sizeof file->name, "%s", name) < (int)sizeof file->name &&
           snprintf(file->part, sizeof file->part, "%s.part", name) < (int)sizeof file->part;
}

bool agpu_output_open(struct agpu_output_file *file, int folder, const char *name)
{
    if (!set_names(file, folder, name)) {
        return false;
    }
    file->stream = agpu_below_new(folder, file->part);
    if (file->stream == NULL) {
        return false;
    }
    __fsetlocking(file->stream, FSETLOCKING_BYCALLER); /* single-threaded: reports are written byte by byte */
    return true;
}

/* Returns false with errno set, also for an earlier write error. */
static bool close_stream(FILE **stream)
{
    const bool bad = ferror(*stream) != 0;
    const bool closed = fclose(*stream) == 0;

    *stream = NULL;
    if (bad && closed) {
        errno = EIO; /* the original errno is lost */
    }
    return !bad && closed;
}

bool agpu_output_end(struct agpu_output_file *file)
{
    return close_stream(&file->stream);
}

bool agpu_output_name(struct agpu_output_file *file)
{
    return renameat(file->folder, file->part, file->folder, file->name) == 0;
}

bool agpu_output_commit(struct agpu_output_file *file)
{
    return agpu_output_end(file) && agpu_output_name(file);
}

void agpu_output_discard(struct agpu_output_file *file)
{
    if (file->stream != NULL) {
        fclose(file->stream);
        file->stream = NULL;
        unlinkat(file->folder, file->part, 0);
    }
}

void agpu_output_remove(struct agpu_output_file *file, int folder, const char *name)
{
    if (set_names(file, folder, name)) {
        unlinkat(folder, file->name, 0);
        unlinkat(folder, file->part, 0);
    }
}

bool agpu_log_open(struct agpu_log_file *log, int folder, const char *name, uint64_t limit_bytes)
{
    *log = (struct agpu_log_file){.stream = agpu_below_new(folder, name), .left = limit_bytes};
    return log->stream != NULL;
}

bool agpu_log_room(struct agpu_log_file *log, size_t size)
{
    if (log->stream == NULL || log->cut) {
        return false;
    }
    if (size > log->left) {
        fputs("(log cut here: it reached its bound)\n", log->stream);
        log->cut = true;
        return false;
    }
    log->left -= size;
    return true;
}

void agpu_log_flush(struct agpu_log_file *log)
{
    if (log->stream != NULL) {
        fflush(log->stream);
    }
}

bool agpu_log_close(struct agpu_log_file *log)
{
    return log->stream == NULL || close_stream(&log->stream);
}
