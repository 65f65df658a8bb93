/* result_folder.h: the folder that one run writes into: numbered, and nobody else's while the run goes on. */
#ifndef AGPU_HOST_REPORT_RESULT_FOLDER_H
#define AGPU_HOST_REPORT_RESULT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the folder path if it is not there and locks it until the descriptor is closed, or this process ends. -1 with a
 * line on stderr: in use by another run, or not usable. */
int agpu_result_folder_lock(const char *path);

/* Removes what an earlier run has left in the folder, so that none of it is taken for this one's. Only files that
 * runs write, and only where a run has written. */
void agpu_result_folder_clean(const char *path);

/* Makes the next numbered folder in parent, "0001" at first, and writes its path to path. False with errno set. */
bool agpu_result_folder_next(const char *parent, char *path, size_t size);

/* Points parent/latest, and links in parent with the names of the reports, at parent's folder path, as made by
 * agpu_result_folder_next(). What cannot be linked is left as it is: the folder itself is what counts. */
void agpu_result_folder_set_latest(const char *parent, const char *path);

#endif
