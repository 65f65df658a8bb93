/* report_files.h: writes the reports of a finished run to files. */
#ifndef AGPU_HOST_REPORT_REPORT_FILES_H
#define AGPU_HOST_REPORT_REPORT_FILES_H

#include <stdbool.h>

#include "tests/host/report/report.h"

/* Returns the name of a format, "ktap", and its file, "ktap.txt"; NULL after the last. */
const char *agpu_report_format(size_t number, const char **file);

/* Writes only the formats of a comma-separated list, to folder; "-": to stdout. Returns false as
 * agpu_report_write(), or when a name is unknown, with a line on stderr that lists the names. */
bool agpu_report_write_formats(struct agpu_report *report, const char *folder, const char *list);

/* Writes all reports into folder, each complete or not at all. One that cannot be written makes the run an ERROR
 * (agpu_report_missing()); then returns false, with a line on stderr. */
bool agpu_report_write(struct agpu_report *report, const char *folder);

#endif
