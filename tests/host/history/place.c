/* place.c: finds the history file of a folder of results (place.h). */
#include "tests/host/history/place.h"

#include <stdio.h>
#include <sys/stat.h>

const char *agpu_history_results(void)
{
    struct stat status;

    return stat("build/results", &status) == 0 && S_ISDIR(status.st_mode) ? "build/results" : "results";
}

void agpu_history_path(const char *database, const char *results, char *path, size_t size)
{
    if (database != NULL) {
        snprintf(path, size, "%s", database);
    } else {
        snprintf(path, size, "%s/%s", results, AGPU_HISTORY_FILE);
    }
}
