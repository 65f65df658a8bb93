/* variant.c: finds and loads models with a fault. */
#include "tests/device/plugin/variant.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/plugin/load.h"

#define FOLDER "/variants"

/* Writes the path of the nearest directory with the variants. Returns false when there is none. */
static bool find_folder(char path[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof FOLDER);
    char *slash;

    path[length > 0 ? length : 0] = '\0';
    while ((slash = strrchr(path, '/')) != NULL) {
        strcpy(slash, FOLDER);
        if (access(path, X_OK) == 0) {
            return true;
        }
        *slash = '\0';
    }
    return false;
}

/* Writes the path of a file of the variant. Returns false when there is none. */
static bool find_file(const char *name, const char *file, char path[PATH_MAX])
{
    char folder[PATH_MAX];

    return *name != '\0' && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0' &&
           find_folder(folder) && snprintf(path, PATH_MAX, "%s/%s/%s", folder, name, file) < PATH_MAX &&
           access(path, R_OK) == 0;
}

const struct agpu_device_plugin *vgpu_variant_load(const char *name, char *message, size_t message_size)
{
    /* Present when the fault is one of drawing or of translation. */
    static const struct {
        const char *file;
        const char *variable;
    } helpers[] = {
        {"agpu-render", "AGPU_RENDER"}, {"agpu-shaderc", "AGPU_SHADERC"}, {"shaders", "AGPU_RENDER_CACHE"}};
    char path[PATH_MAX], helper[PATH_MAX];
    const char *options;

    if (!find_file(name, "agpu_model.so", path)) {
        snprintf(
            message, message_size,
            "no model is built with the fault %s: expected variants/NAME/agpu_model.so beside this program "
            "or above it; tests/run --fault list prints the names, python3 tests/faults/faults.py build . "
            "build/host NAME builds one",
            name);
        return NULL;
    }
    for (size_t i = 0; i < sizeof helpers / sizeof helpers[0]; i++) {
        if (find_file(name, helpers[i].file, helper)) {
            setenv(helpers[i].variable, helper, 1);
        }
    }
    return vgpu_plugin_load(path, &options, message, message_size);
}

void vgpu_variant_each(void (*name)(void *ctx, const char *name), void *ctx)
{
    struct dirent **entries;
    char path[PATH_MAX];
    const int count = find_folder(path) ? scandir(path, &entries, NULL, alphasort) : -1;

    for (int i = 0; i < count; i++) {
        if (find_file(entries[i]->d_name, "agpu_model.so", path)) {
            name(ctx, entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}
