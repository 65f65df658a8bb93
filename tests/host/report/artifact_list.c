/* artifact_list.c: the files in artifacts/ of a result folder (artifact_list.h). */
#include "tests/host/report/artifact_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/report/artifacts.h"

/* More than a run may leave: a few per case. */
#define FILES_MAX 262144u

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(struct agpu_artifact_list *list, size_t *capacity, const char *name)
{
    if (list->count == *capacity) {
        const size_t grown = *capacity != 0 ? *capacity * 2 : 64;
        char **names = grown > FILES_MAX ? NULL : realloc(list->names, grown * sizeof *names);

        if (names == NULL) {
            return false;
        }
        list->names = names;
        *capacity = grown;
    }
    list->names[list->count] = strdup(name);
    return list->names[list->count] != NULL && ++list->count != 0;
}

bool agpu_artifact_list_read(struct agpu_artifact_list *list, int folder)
{
    const int fd = openat(folder, "artifacts", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    size_t capacity = 0;
    bool good = true;
    DIR *files = fd >= 0 ? fdopendir(fd) : NULL;

    *list = (struct agpu_artifact_list){0};
    for (struct dirent *entry; good && files != NULL && (entry = readdir(files)) != NULL;) {
        good = entry->d_name[0] == '.' || add_name(list, &capacity, entry->d_name);
    }
    if (files != NULL) {
        closedir(files);
    }
    if (list->count > 1) {
        qsort(list->names, list->count, sizeof *list->names, by_name);
    }
    return good;
}

void agpu_artifact_list_free(struct agpu_artifact_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->names[i]);
    }
    free(list->names);
    *list = (struct agpu_artifact_list){0};
}

/* Copies the id as agpu_artifact_file_name() writes it at the start of a name; "" when it does not fit. */
static size_t name_prefix(const char *id, char *prefix, size_t size)
{
    char plain[AGPU_CASE_NAME_MAX + 1];
    char *slash;

    snprintf(plain, sizeof plain, "%s", id);
    slash = strchr(plain, '/');
    if (slash != NULL) {
        *slash = '-'; /* the device is in front */
    }
    if (!agpu_artifact_file_name(plain, "", prefix, size)) {
        prefix[0] = '\0';
    }
    return strlen(prefix);
}

size_t agpu_artifact_list_of(const struct agpu_artifact_list *list, const char *id, size_t *first)
{
    char prefix[256];
    const size_t length = name_prefix(id, prefix, sizeof prefix);
    size_t low = 0, high = list->count, found = 0;

    *first = 0;
    if (length == 0) {
        return 0;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (strcmp(list->names[middle], prefix) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *first = low;
    while (low + found < list->count && strncmp(list->names[low + found], prefix, length) == 0) {
        found++;
    }
    return found;
}

const char *agpu_artifact_kind(const char *name, const char *id)
{
    char prefix[256];
    const size_t length = name_prefix(id, prefix, sizeof prefix);

    return strncmp(name, prefix, length) == 0 ? name + length : name;
}
