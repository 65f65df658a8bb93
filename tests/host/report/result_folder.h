/* result_folder.h: the numbered folder that one run writes into, locked against other runs. */
#ifndef AGPU_HOST_REPORT_RESULT_FOLDER_H
#define AGPU_HOST_REPORT_RESULT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Creates the folder path if needed, and locks it until *lock is closed or this process ends. Returns its descriptor,
 * -1 with a line on stderr: in use by another run, or not usable. */
int agpu_result_folder_open(const char *path, int *lock);

/* Removes the results of an earlier run from the folder, so that they are not mistaken for this run's. Removes only
 * files that runs write, and only from a folder with results. */
void agpu_result_folder_clean(int folder);

/* Creates the next numbered folder in parent, starting at "0001", and writes its path to path. Returns false with
 * errno set. */
bool agpu_result_folder_next(const char *parent, char *path, size_t size);

/* Points parent/latest, and links in parent with the names of the reports, to parent's folder path, which
 * agpu_result_folder_next() created. Ignores errors: only the folder itself is essential. */
void agpu_result_folder_set_latest(const char *parent, const char *path);

#endif
