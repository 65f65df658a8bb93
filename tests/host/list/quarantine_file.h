/* quarantine_file.h: a list of known failures as a file: one entry a line, GLOB YYYY-MM-DD REASON; # begins a comment. */
#ifndef AGPU_HOST_LIST_QUARANTINE_FILE_H
#define AGPU_HOST_LIST_QUARANTINE_FILE_H

#include <stdio.h>

#include "tests/cases/choice/quarantine.h"

/* Adds the entries of the file, and sets today. A line that is none, or one too many, is named on complaints: then false,
 * and the list is not to be used. */
bool agpu_quarantine_load(const char *path, struct agpu_quarantine *list, FILE *complaints);

#endif
