/* load.c: dlopen(), and what can be wrong with it. */
#include "tests/device/plugin/load.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/plugin/table.h"

/* A name without a slash would be looked up in the system's library folders: what the user named is a file. */
static bool file_of(const char *spec, size_t length, char *path, size_t path_size)
{
    const int needed =
        snprintf(path, path_size, "%s%.*s", memchr(spec, '/', length) != NULL ? "" : "./", (int)length, spec);

    return needed > 0 && (size_t)needed < path_size;
}

const struct agpu_device_plugin *vgpu_plugin_load(const char *spec, const char **options, char *message,
                                                  size_t message_size)
{
    const char *comma = strchr(spec, ',');
    const size_t length = comma != NULL ? (size_t)(comma - spec) : strlen(spec);
    const struct agpu_device_plugin *table;
    agpu_device_plugin_function *function;
    char path[PATH_MAX], why[256];
    void *library, *symbol;

    *options = comma != NULL ? comma + 1 : "";
    if (length == 0 || length > INT_MAX || !file_of(spec, length, path, sizeof path)) {
        snprintf(message, message_size, "\"%.64s\" names no file: expected FILE or FILE,OPTIONS", spec);
        return NULL;
    }
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(message, message_size,
                 "%s; expected a shared library for this machine (cc -shared -fPIC), every symbol of which "
                 "can be found",
                 dlerror());
        return NULL;
    }
    symbol = dlsym(library, AGPU_DEVICE_PLUGIN_SYMBOL);
    if (symbol == NULL) {
        snprintf(message, message_size,
                 "%s has no function %s(): include agpu_device_plugin.h and define it; in C++ it needs "
                 "extern \"C\"",
                 path, AGPU_DEVICE_PLUGIN_SYMBOL);
        dlclose(library);
        return NULL;
    }
    memcpy(&function, &symbol, sizeof function); /* ISO C has no conversion from object to function pointer */
    table = function();
    if (!vgpu_table_check(table, why, sizeof why)) {
        snprintf(message, message_size, "%s: %s", path, why);
        dlclose(library);
        return NULL;
    }
    return table;
}
