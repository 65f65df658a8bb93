/* cache.h: the directory for what can be had again, which tests/deps uses, too. */
#ifndef AGPU_HOST_RUN_CACHE_H
#define AGPU_HOST_RUN_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* Sets path to NAME ("/...", or "") in $AGPU_CACHE_DIR, $XDG_CACHE_HOME/agpu or ~/.cache/agpu. Returns false when none
 * of these variables is set, or the path is too long. */
bool agpu_cache_path(const char *name, char *path, size_t size);

#endif
