/* quarantine_file.h: reads a list of known failures from a file: one entry per line, GLOB YYYY-MM-DD REASON; #
 * starts a comment. */
#ifndef AGPU_HOST_LIST_QUARANTINE_FILE_H
#define AGPU_HOST_LIST_QUARANTINE_FILE_H

#include <stdio.h>

#include "tests/cases/choice/quarantine.h"

/* Adds the entries of the file, and sets today. Reports an invalid line, or too many lines, on complaints: then
 * returns false, and the list must not be used. */
bool agpu_quarantine_load(const char *path, struct agpu_quarantine *list, FILE *complaints);

#endif
