/* output_file.c: result files that become visible when complete, and logs with a size limit. */
#include "tests/host/output_file.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/new_file.h"

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

static bool make_path(char *to, size_t size, const char *folder, const char *name, const char *suffix)
{
    int n = snprintf(to, size, "%s/%s%s", folder, name, suffix);

    errno = ENAMETOOLONG;
    return n > 0 && (size_t)n < size;
}

bool agpu_output_open(struct agpu_output_file *file, const char *folder, const char *name)
{
    file->stream = NULL;
    if (!make_path(file->path, sizeof file->path, folder, name, "") ||
        !make_path(file->part, sizeof file->part, folder, name, ".part")) {
        return false;
    }
    file->stream = agpu_new_file(file->part);
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
    return rename(file->part, file->path) == 0;
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
        unlink(file->part);
    }
}

void agpu_output_remove(struct agpu_output_file *file, const char *folder, const char *name)
{
    if (make_path(file->path, sizeof file->path, folder, name, "")) {
        unlink(file->path);
    }
    if (make_path(file->part, sizeof file->part, folder, name, ".part")) {
        unlink(file->part);
    }
}

bool agpu_log_open(struct agpu_log_file *log, const char *folder, const char *name, uint64_t limit_bytes)
{
    char path[4096];

    *log = (struct agpu_log_file){.left = limit_bytes};
    if (!make_path(path, sizeof path, folder, name, "")) {
        return false;
    }
    log->stream = agpu_new_file(path);
    if (log->stream == NULL) {
        return false;
    }
    return true;
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
