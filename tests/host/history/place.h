/* place.h: which file the history of a folder of results is. */
#ifndef AGPU_HOST_HISTORY_PLACE_H
#define AGPU_HOST_HISTORY_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#define AGPU_HISTORY_FILE "history.sqlite"

/* The folder of results that a command looks at when none is named: build/results in a tree, else results. */
const char *agpu_history_results(void);

/* database as it was named, or, when it is NULL, that of the folder of results. */
void agpu_history_path(const char *database, const char *results, char *path, size_t size);

#endif
