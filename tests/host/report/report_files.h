/* report_files.h: the reports of a finished run as files. */
#ifndef AGPU_HOST_REPORT_REPORT_FILES_H
#define AGPU_HOST_REPORT_REPORT_FILES_H

#include <stdbool.h>

#include "tests/host/report/report.h"

/* Every format by its name, "ktap", and its file, "ktap.txt"; NULL behind the last. */
const char *agpu_report_format(size_t number, const char **file);

/* Only the formats of a list with commas between them, to folder; "-": to stdout. False as agpu_report_write(), or when a name
 * is unknown, with a line on stderr that lists them. */
bool agpu_report_write_formats(struct agpu_report *report, const char *folder, const char *list);

/* All of them in folder, each complete or not at all. One that cannot be written makes
 * the run an ERROR (agpu_report_missing()); false then, with a line on stderr. */
bool agpu_report_write(struct agpu_report *report, const char *folder);

#endif
