/* cache.c: finds the cache directory (cache.h). */
#include "tests/host/run/cache.h"

#include <stdio.h>
#include <stdlib.h>

bool agpu_cache_path(const char *name, char *path, size_t size)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"AGPU_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/agpu"}, {"HOME", "/.cache/agpu"}};

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *base = getenv(places[i].variable);

        if (base != NULL && *base != '\0') {
            return snprintf(path, size, "%s%s%s", base, places[i].below, name) < (int)size;
        }
    }
    return false;
}
