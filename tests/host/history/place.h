/* place.h: finds the history file of a folder of results. */
#ifndef AGPU_HOST_HISTORY_PLACE_H
#define AGPU_HOST_HISTORY_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#define AGPU_HISTORY_FILE "history.sqlite"

/* Returns the default folder of results: build/results in a source tree, else results. */
const char *agpu_history_results(void);

/* Writes the given database to path, or, when it is NULL, that of the folder of results. */
void agpu_history_path(const char *database, const char *results, char *path, size_t size);

#endif
