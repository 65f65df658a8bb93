/* result_folder.c: the folder that one run writes into (result_folder.h). */
#include "tests/host/report/result_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/output_file.h"

#define NUMBER_MAX 999999u

/* The reports of a run; every folder that a run has written contains results.jsonl or summary.json. */
static const char *const reports[] = {"results.jsonl", "summary.json", "junit.xml",      "ktap.txt",
                                      "report.html",   "metrics.csv",  "netconsole.log", "console.log"};

/* Returns the process that holds the lock, from the file's text; 0 when it cannot be read. */
static long lock_owner(int fd)
{
    char text[24] = "";
    const ssize_t length = pread(fd, text, sizeof text - 1, 0);

    return length > 0 ? strtol(text, NULL, 10) : 0;
}

int agpu_result_folder_open(const char *path, int *lock)
{
    const int folder = agpu_make_folder(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int fd;

    *lock = -1;
    if (folder < 0) {
        fprintf(stderr, "agpu: cannot make the output folder %s: %s\n", path, strerror(errno));
        return -1;
    }
    fd = openat(folder, ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        fprintf(stderr, "agpu: cannot use the output folder %s: %s\n", path, strerror(errno));
        close(folder);
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            fprintf(stderr,
                    "agpu: %s is in use by another run (process %ld): give this one another --out, or wait "
                    "for it\n",
                    path, lock_owner(fd));
        } else {
            fprintf(stderr, "agpu: cannot lock the output folder %s: %s\n", path, strerror(errno));
        }
        close(fd);
        close(folder);
        return -1;
    }
    if (ftruncate(fd, 0) == 0) {
        dprintf(fd, "%ld\n", (long)getpid());
    }
    *lock = fd;
    return folder;
}

static bool was_written(int folder)
{
    static const char *const marks[] = {"results.jsonl", "summary.json", "results.jsonl.unsorted.part"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (faccessat(folder, marks[i], F_OK, 0) == 0) {
            return true;
        }
    }
    return false;
}

/* name: a folder below `below`, or "." for that itself. */
static void remove_files_in(int below, const char *name, const char *pattern)
{
    const int fd = openat(below, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        struct stat status;

        if (fnmatch(pattern, entry->d_name, 0) == 0 &&
            fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode)) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

void agpu_result_folder_clean(int folder)
{
    if (!was_written(folder)) {
        return;
    }
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        unlinkat(folder, reports[i], 0);
    }
    remove_files_in(folder, "artifacts", "*");
    remove_files_in(folder, ".", "capture.agpucap");
    remove_files_in(folder, ".", "capture-*.agpucap");
}

/* Returns the highest number of a folder in parent; 0: none. */
static unsigned long highest_number(const char *parent)
{
    DIR *folder = opendir(parent);
    struct dirent *entry;
    unsigned long highest = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char *end;
        const unsigned long number = strtoul(entry->d_name, &end, 10);

        if (end != entry->d_name && *end == '\0' && number <= NUMBER_MAX && number > highest) {
            highest = number;
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return highest;
}

bool agpu_result_folder_next(const char *parent, char *path, size_t size)
{
    if (!agpu_make_folder(parent)) {
        return false;
    }
    for (unsigned long number = highest_number(parent) + 1; number <= NUMBER_MAX; number++) {
        if (snprintf(path, size, "%s/%04lu", parent, number) >= (int)size) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (mkdir(path, 0777) == 0) {
            return true;
        }
        if (errno != EEXIST) { /* another run took this number: try the next */
            return false;
        }
    }
    errno = ENOSPC;
    return false;
}

/* Replaces the existing file with a symbolic link, atomically. */
static void replace_link(const char *parent, const char *name, const char *target)
{
    char made[PATH_MAX], path[PATH_MAX];

    if (snprintf(path, sizeof path, "%s/%s", parent, name) < (int)sizeof path &&
        snprintf(made, sizeof made, "%s/.%s.%ld", parent, name, (long)getpid()) < (int)sizeof made &&
        symlink(target, made) == 0 && rename(made, path) != 0) {
        unlink(made);
    }
}

void agpu_result_folder_set_latest(const char *parent, const char *path)
{
    const char *slash = strrchr(path, '/');
    char target[64];

    replace_link(parent, "latest", slash != NULL ? slash + 1 : path);
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        snprintf(target, sizeof target, "latest/%s", reports[i]);
        replace_link(parent, reports[i], target);
    }
    replace_link(parent, "artifacts", "latest/artifacts");
}
