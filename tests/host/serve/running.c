/* running.c: finds the runs in progress in a folder of results (running.h). */
#include "tests/host/serve/running.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <jansson.h>

#define PART "results.jsonl.unsorted.part"
/* Bytes read at each end: the plan is among the first records, the running case among the last. */
#define END_BYTES (64u << 10)

static int is_folder(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "latest") != 0 &&
           strcmp(entry->d_name, "artifacts") != 0;
}

/* Returns true when the process named in its lock file exists: a killed run is not in progress. Trying the lock
 * would prevent a run from taking it. */
static bool is_held(int folder)
{
    char text[24] = "";
    const int file = openat(folder, ".lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    const long owner = length > 0 ? strtol(text, NULL, 10) : 0;

    if (file >= 0) {
        close(file);
    }
    return owner > 0 && owner <= INT32_MAX && (kill((pid_t)owner, 0) == 0 || errno == EPERM);
}

/* Reads the complete lines of a part of the file; ignores a line that is cut off at either end. */
static void take_lines(char *text, struct agpu_running *running, char *now, size_t size)
{
    char *rest = NULL;

    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        json_t *record = json_loads(line, 0, NULL);
        const char *type = json_string_value(json_object_get(record, "type"));
        const char *id = json_string_value(json_object_get(record, "id"));

        if (type != NULL && strcmp(type, "plan") == 0) {
            const json_int_t count = json_integer_value(json_object_get(record, "count"));
            running->planned = count > 0 ? (uint64_t)count : 0;
        } else if (type != NULL && id != NULL && strcmp(type, "start") == 0) {
            const json_int_t index = json_integer_value(json_object_get(record, "index"));
            running->begun = index > 0 ? (uint64_t)index : 0;
            snprintf(now, size, "%s", id);
        }
        json_decref(record);
    }
}

static void take_end(int file, off_t from, struct agpu_running *running, char *now, size_t size)
{
    char *text = malloc(END_BYTES + 1);
    const ssize_t length = text != NULL ? pread(file, text, END_BYTES, from) : -1;

    if (length > 0) {
        text[length] = '\0';
        take_lines(text, running, now, size);
    }
    free(text);
}

static void look_at(int folder, const char *name, void (*each)(void *ctx, const struct agpu_running *running),
                    void *ctx)
{
    char now[256] = "";
    struct agpu_running running = {.folder = name, .now = now};
    const int file = openat(folder, PART, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const off_t end = file >= 0 && is_held(folder) ? lseek(file, 0, SEEK_END) : -1;

    if (end >= 0) {
        take_end(file, 0, &running, now, sizeof now);
        if (end > (off_t)END_BYTES) {
            take_end(file, end - (off_t)END_BYTES, &running, now, sizeof now);
        }
        each(ctx, &running);
    }
    if (file >= 0) {
        close(file);
    }
}

void agpu_running_each(const char *results, void (*each)(void *ctx, const struct agpu_running *running),
                       void *ctx)
{
    struct dirent **entries = NULL;
    const int top = open(results, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int count = top >= 0 ? scandir(results, &entries, is_folder, versionsort) : -1;

    for (int i = 0; i < count; i++) {
        const int folder =
            (unsigned)i < AGPU_RUNNING_FOLDERS_MAX
                ? openat(top, entries[i]->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
                : -1;
        if (folder >= 0) {
            look_at(folder, entries[i]->d_name, each, ctx);
            close(folder);
        }
        free(entries[i]);
    }
    free(entries);
    if (top >= 0) {
        close(top);
    }
}
